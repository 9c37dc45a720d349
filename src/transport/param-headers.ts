/**
 * Arguments that a tool's schema wants repeated as headers, by `x-mcp-header`. Pure.
 * Source: MCP 2026-07-28, Streamable HTTP, custom headers from tool parameters; tools, x-mcp-header.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { encodeHeaderValue } from './modern.ts';

export interface ParamHeader {
  /** Property names from the arguments down. */
  readonly path: readonly string[];
  /** As declared, without the prefix `Mcp-Param-`. */
  readonly name: string;
}

export type ParamHeaders =
  | { readonly kind: 'good'; readonly headers: readonly ParamHeader[] }
  /** The tool must not be offered. */
  | { readonly kind: 'bad'; readonly problem: string };

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<JsonValue | undefined> = new Set(['string', 'integer', 'boolean']);
const MAX_DEPTH = 100;

/** The annotations of an input schema, checked by every rule of the specification. */
export function readParamHeaders(inputSchema: JsonObject): ParamHeaders {
  const found: ParamHeader[] = [];
  const problem = collect(inputSchema, [], found);
  return problem === undefined ? { kind: 'good', headers: found } : { kind: 'bad', problem };
}

/** The headers of one call. What is absent, null or no text, integer or boolean has none. */
export function paramHeaders(
  headers: readonly ParamHeader[],
  args: JsonObject,
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const { path, name } of headers) {
    const text = headerText(valueAt(args, path));
    if (text !== undefined) filled[`mcp-param-${name.toLowerCase()}`] = encodeHeaderValue(text);
  }
  return filled;
}

/** Walks the chain of `properties`; returns what is wrong. */
function collect(
  schema: JsonValue | undefined,
  path: readonly string[],
  found: ParamHeader[],
): string | undefined {
  if (!isJsonObject(schema) || path.length > MAX_DEPTH) return undefined;
  if (ANNOTATION in schema) {
    const problem = path.length === 0 ? 'stands on the whole schema' : check(schema, found);
    if (problem !== undefined) return `${ANNOTATION} of ${where(path)} ${problem}`;
    found.push({ path, name: String(schema[ANNOTATION]) });
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' && isJsonObject(value)) {
      for (const [name, child] of Object.entries(value)) {
        const problem = collect(child, [...path, name], found);
        if (problem !== undefined) return problem;
      }
    } else if (HOLDS_SCHEMAS.has(keyword) && holdsAnnotation(value, MAX_DEPTH)) {
      return `${ANNOTATION} stands under ${keyword} of ${where(path)}, not on a plain property`;
    }
  }
  return undefined;
}

function check(schema: JsonObject, found: readonly ParamHeader[]): string | undefined {
  const name = schema[ANNOTATION];
  if (typeof name !== 'string' || name === '') return 'is not a name';
  if (!TOKEN.test(name)) return `is no header name: ${JSON.stringify(name)}`;
  if (!TYPES.has(schema['type'])) {
    return `stands on type ${JSON.stringify(schema['type'] ?? null)}, not string, integer or boolean`;
  }
  const isTaken = found.some((other) => other.name.toLowerCase() === name.toLowerCase());
  return isTaken ? `is used twice: ${name}` : undefined;
}

/** Keywords whose schemas no value can be looked up by; data such as `default` and `enum` is no schema. */
const HOLDS_SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'patternProperties',
  'dependentSchemas',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  '$defs',
  'definitions',
]);

function holdsAnnotation(value: JsonValue | undefined, depth: number): boolean {
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  if (isJsonObject(value) && ANNOTATION in value) return true;
  return Object.values(value).some((child: JsonValue | undefined) =>
    holdsAnnotation(child, depth - 1),
  );
}

function valueAt(args: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function headerText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function where(path: readonly string[]): string {
  return path.length === 0 ? 'the schema' : path.join('.');
}
