/**
 * Turns what servers send into our shapes, leniently: null is absent, what is missing is filled in, and
 * only what cannot be used is refused, with its reason. Source: MCP schema, Tool and CallToolResult.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ContentBlock, ToolAnnotations, ToolDefinition, ToolResult } from '../tools/types.ts';
import { longName, MAX_NAME } from './long-names.ts';
import type { DroppedTool } from './types.ts';

/** One item of tools/list. */
export function adaptTool(item: JsonValue): ToolDefinition | DroppedTool {
  if (!isJsonObject(item))
    return { name: '(no name)', problem: `is ${kindOf(item)}, not an object` };
  const { name } = item;
  if (typeof name !== 'string' || name === '') {
    return { name: '(no name)', problem: `name is ${name === '' ? 'empty' : kindOf(name)}` };
  }
  const tooLong = longName('its name', name, MAX_NAME);
  if (tooLong !== undefined) return tooLong;
  const inputSchema = adaptInputSchema(item['inputSchema']);
  if (typeof inputSchema === 'string') return { name, problem: inputSchema };
  const annotations = isJsonObject(item['annotations']) ? item['annotations'] : {};
  const outputSchema = item['outputSchema'];
  return {
    name,
    title: textOf(item['title']) ?? textOf(annotations['title']),
    description: textOf(item['description']),
    inputSchema,
    outputSchema: isJsonObject(outputSchema) ? withoutNulls(outputSchema) : undefined,
    annotations: adaptAnnotations(annotations),
    raw: item,
  };
}

/** The result of tools/call. A server that answers at all has run the tool, so nothing is refused. */
export function adaptResult(received: JsonValue): ToolResult {
  const raw = unwrap(received);
  if (!isJsonObject(raw)) {
    const content = raw === null ? [] : [textBlock(raw)];
    return { content, structuredContent: undefined, isError: false, raw: received };
  }
  const structured = raw['structuredContent'];
  const content = contentOf(raw);
  return {
    content,
    structuredContent: structured ?? undefined,
    isError: raw['isError'] === true,
    raw: received,
  };
}

/** Old servers put the result into `toolResult`. */
function unwrap(received: JsonValue): JsonValue {
  if (!isJsonObject(received) || received['content'] !== undefined) return received;
  const inner = received['toolResult'];
  if (inner === undefined) return received;
  return isJsonObject(inner) && inner['content'] === undefined
    ? { content: [textBlock(inner)] }
    : inner;
}

const RESULT_FIELDS = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);

function contentOf(result: JsonObject): readonly ContentBlock[] {
  const { content } = result;
  if (Array.isArray(content)) return content.flatMap(adaptBlock);
  if (content !== undefined && content !== null) return adaptBlock(content);
  // A result that is something else altogether is shown as what it is.
  const rest = Object.entries(result).filter(([key]) => !RESULT_FIELDS.has(key));
  const hasStructured = (result['structuredContent'] ?? null) !== null;
  return rest.length === 0 || hasStructured ? [] : [textBlock(Object.fromEntries(rest))];
}

function adaptBlock(block: JsonValue): readonly ContentBlock[] {
  if (block === null) return [];
  if (!isJsonObject(block)) return [textBlock(block)];
  if (block['type'] === 'text' && typeof block['text'] !== 'string') {
    const text = block['text'] ?? null;
    return text === null ? [] : [{ ...block, text: JSON.stringify(text) }];
  }
  if (block['type'] === undefined && typeof block['text'] === 'string') {
    return [{ ...block, type: 'text' }];
  }
  return [block];
}

function textBlock(value: JsonValue): ContentBlock {
  return { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** An object schema, or what is wrong with it. */
function adaptInputSchema(schema: JsonValue | undefined): JsonObject | string {
  if (schema === undefined || schema === null || schema === true) return emptySchema();
  if (schema === false) return { ...emptySchema(), additionalProperties: false };
  if (!isJsonObject(schema)) return `inputSchema is ${kindOf(schema)}, not an object`;
  const present = withoutNulls(schema);
  const { type, properties } = present;
  const isObject =
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject) return `inputSchema has type ${JSON.stringify(type)}, not object`;
  return {
    ...present,
    type: 'object',
    properties: isJsonObject(properties) ? properties : {},
  };
}

function emptySchema(): JsonObject {
  return { type: 'object', properties: {} };
}

/** Keywords whose value may well be null stay; for any other null means absent. */
function withoutNulls(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([key, value]) => value !== null || key === 'default' || key === 'const',
    ),
  );
}

function adaptAnnotations(annotations: JsonObject): ToolAnnotations {
  const title = textOf(annotations['title']);
  const readOnlyHint = flagOf(annotations['readOnlyHint']);
  const destructiveHint = flagOf(annotations['destructiveHint']);
  const idempotentHint = flagOf(annotations['idempotentHint']);
  const openWorldHint = flagOf(annotations['openWorldHint']);
  return {
    ...(title === undefined ? {} : { title }),
    ...(readOnlyHint === undefined ? {} : { readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructiveHint }),
    ...(idempotentHint === undefined ? {} : { idempotentHint }),
    ...(openWorldHint === undefined ? {} : { openWorldHint }),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function flagOf(value: JsonValue | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function kindOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'missing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
