/** placeholder */
import type { JsonObject } from '../base/json.ts';
import type { ModelFamily } from './family.ts';
import type { ModelTool } from './types.ts';
export function toProviderTool(
  _family: ModelFamily,
  tool: ModelTool,
): { description: string; inputSchema: JsonObject } {
  return tool;
}
