/** The tool `codemode`: one script as a tool call. Sends nothing itself; calls inside ask for permission each. */
import { UsageError } from '../base/errors.ts';
import { SCRIPT_TOOL } from '../tools/registry.ts';
import type {
  RegisteredTool,
  SourceCall,
  ToolDefinition,
  ToolResult,
  ToolSource,
} from '../tools/types.ts';
import { runScript } from './api.ts';
import { codeDescription, TOOL_DESCRIPTION } from './description.ts';
import { LIMITS } from './limits.ts';
import { SCRIPTS_NAME } from './names.ts';
import { readScriptOptions } from './options.ts';
import { outcomeResult, type SaveOutput } from './output.ts';
import type { ScriptPorts } from './ports.ts';

/** The definition as of these tools. */
export function scriptDefinition(
  tools: readonly RegisteredTool[],
  clean: (text: string) => string,
): ToolDefinition {
  const description = codeDescription(tools, clean);
  const inputSchema = {
    type: 'object',
    properties: { code: { type: 'string', description } },
    required: ['code'],
    additionalProperties: false,
  };
  return {
    name: SCRIPT_TOOL,
    title: undefined,
    description: TOOL_DESCRIPTION,
    inputSchema,
    outputSchema: undefined,
    annotations: {},
    raw: { name: SCRIPT_TOOL, description: TOOL_DESCRIPTION, inputSchema },
  };
}

export function createScriptSource(ports: ScriptPorts, save: SaveOutput): ToolSource {
  let count = 0;
  return {
    name: SCRIPTS_NAME,
    kind: 'builtin',
    identity: 'builtin:codemode',
    ownNames: true,
    isFree: true,
    alwaysOffered: true,
    call(call) {
      count += 1;
      return runCall(ports, save, call, call.id ?? `script-${count}`);
    },
  };
}

async function runCall(
  ports: ScriptPorts,
  save: SaveOutput,
  { arguments: args, signal }: SourceCall,
  id: string,
): Promise<ToolResult> {
  const code = typeof args['code'] === 'string' ? args['code'] : '';
  try {
    const { maxOutputTokens = LIMITS.outputTokens } = readScriptOptions(code);
    const outcome = await runScript(ports, { code, id, given: undefined }, signal);
    return await outcomeResult(outcome, maxOutputTokens, save);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const content = [{ type: 'text', text: `Script failed before it ran: ${error.message}` }];
    return {
      content,
      structuredContent: undefined,
      isError: true,
      raw: { content, isError: true },
    };
  }
}
