/** Small tools and sources for tests. */
import type { JsonObject } from '../../src/base/json.ts';
import type {
  RegisteredTool,
  SourceCall,
  ToolAnnotations,
  ToolDefinition,
  ToolResult,
  ToolSource,
} from '../../src/tools/types.ts';

export function definition(
  name: string,
  more: {
    readonly inputSchema?: JsonObject;
    readonly outputSchema?: JsonObject;
    readonly description?: string;
    readonly title?: string;
    readonly annotations?: ToolAnnotations;
  } = {},
): ToolDefinition {
  return {
    name,
    title: more.title,
    description: more.description,
    inputSchema: more.inputSchema ?? { type: 'object', properties: {} },
    outputSchema: more.outputSchema,
    annotations: more.annotations ?? {},
    raw: { name },
  };
}

/** A source that answers every call with `answer`, or with the call's name as text, and remembers the calls. */
export function sourceOf(
  name: string,
  answer?: (call: SourceCall) => Promise<ToolResult>,
): ToolSource & { readonly calls: SourceCall[] } {
  const calls: SourceCall[] = [];
  return {
    name,
    kind: 'stdio',
    identity: `run ${name}`,
    calls,
    async call(call) {
      calls.push(call);
      return answer === undefined ? textResult(`called ${call.tool}`) : answer(call);
    },
  };
}

export function textResult(text: string, isError = false): ToolResult {
  const content = [{ type: 'text', text }];
  return { content, structuredContent: undefined, isError, raw: { content } };
}

export function registered(server: string, tool: ToolDefinition): RegisteredTool {
  return {
    server,
    name: tool.name,
    publicName: `${server}_${tool.name}`,
    definition: tool,
    hidden: undefined,
    exposure: 'direct',
    source: sourceOf(server),
  };
}
