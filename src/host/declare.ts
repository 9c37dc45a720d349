/** What the model is told of a tool: its public name, a bounded clean description, its schema with clean texts. */
import { shorten } from '../base/text.ts';
import type { ModelTool } from '../model/types.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { cleanSchema, cleanText } from './clean-schema.ts';

/** Longest tool description, characters (facts 1.6). */
const MAX_DESCRIPTION = 2048;

const declared = new WeakMap<RegisteredTool, ModelTool>();

/** The declarations of all exposed tools, each built once. */
export function declareTools(snapshot: RegistrySnapshot): readonly ModelTool[] {
  return snapshot.tools.map((tool) => {
    const known = declared.get(tool);
    if (known !== undefined) return known;
    const { title, description, inputSchema } = tool.definition;
    const declaration: ModelTool = {
      name: tool.publicName,
      description: shorten(cleanText(description ?? title ?? ''), MAX_DESCRIPTION),
      inputSchema: cleanSchema(inputSchema),
    };
    declared.set(tool, declaration);
    return declaration;
  });
}
