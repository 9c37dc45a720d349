/** The definition of a tool of our own, as if a server had listed it. Its texts are read by the model. */
import type { JsonObject, JsonValue } from './json.ts';

export interface OwnToolText {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Of the input, in order; no others are allowed. */
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Hints of MCP; ours are true. */
export interface OwnToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface OwnTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: undefined;
  readonly annotations: OwnToolHints;
  readonly raw: JsonObject;
}

export function defineTool(text: OwnToolText, annotations: OwnToolHints): OwnTool {
  const { name, title, description, properties, required } = text;
  const inputSchema: JsonObject = {
    type: 'object',
    properties,
    required: required satisfies JsonValue,
    additionalProperties: false,
  };
  const named = title === undefined ? { name } : { name, title };
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema: undefined,
    annotations,
    raw: { ...named, description, inputSchema, annotations: { ...annotations } },
  };
}
