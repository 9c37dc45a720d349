/**
 * Copies a JSON Schema of any origin into plain, finite JSON Schema: known keywords only, local
 * references inlined, recursion and remote references cut, boolean schemas spelled out.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { wellFormed } from './arguments.ts';

export interface SchemaCopy {
  /** Schema levels; what lies deeper accepts anything. */
  readonly maxDepth: number;
  /** Subschemas in all, against references that multiply. */
  readonly maxNodes: number;
  readonly descriptions: boolean;
  /** A longer enum is left out. */
  readonly maxEnum: number;
}

/** The copy. A schema that is not an object becomes `{}`. */
export function copySchema(schema: JsonValue | undefined, detail: SchemaCopy): JsonObject {
  const state: State = { root: schema, detail, nodes: 0 };
  return copyNode(state, schema, 0, []);
}

interface State {
  readonly root: JsonValue | undefined;
  readonly detail: SchemaCopy;
  nodes: number;
}

/** Keywords whose values are data and copied as they are. Everything else unknown is dropped. */
const DATA_KEYWORDS = new Set([
  ...['type', 'enum', 'const', 'default', 'format', 'title', 'description', 'required'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minProperties', 'maxProperties', 'examples'],
]);
const SCHEMA_KEYWORDS = new Set([
  'items',
  'additionalProperties',
  'not',
  'propertyNames',
  'contains',
]);
const LIST_KEYWORDS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const MAP_KEYWORDS = new Set(['properties', 'patternProperties']);
const TEXT_KEYWORDS = new Set(['title', 'description', 'examples', 'default']);
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
/** Names seen in the wild for the types of JSON Schema. */
const TYPE_ALIASES: Readonly<Record<string, string>> = {
  int: 'integer',
  int32: 'integer',
  int64: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  str: 'string',
  text: 'string',
  dict: 'object',
  map: 'object',
  list: 'array',
};
/** Look-around and back references are no part of the regular expressions providers take. */
const UNUSUAL_PATTERN = /\(\?[=!<]|\\[1-9k]|\\[pP]\{/;

function copyNode(
  state: State,
  schema: JsonValue | undefined,
  depth: number,
  refs: readonly string[],
): JsonObject {
  state.nodes += 1;
  if (!isJsonObject(schema)) return {};
  if (depth > state.detail.maxDepth || state.nodes > state.detail.maxNodes) return shallow(schema);
  const reference = schema['$ref'];
  if (typeof reference === 'string') return copyReference(state, schema, reference, depth, refs);
  const copy: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const copied = copyKeyword(state, keyword, value, depth, refs);
    if (copied !== undefined) copy[keyword] = copied;
  }
  // OpenAI refuses an array without items.
  if (copy['items'] === undefined && mayBeArray(copy['type'])) copy['items'] = {};
  return copy;
}

/** The target, with what stands beside the reference (a description, as a rule) on top. */
function copyReference(
  state: State,
  schema: JsonObject,
  reference: string,
  depth: number,
  refs: readonly string[],
): JsonObject {
  const { $ref: _, ...siblings } = schema;
  const target = refs.includes(reference) ? undefined : resolveLocal(state.root, reference);
  const beside = copyNode(state, siblings, depth, refs);
  if (target === undefined) return beside;
  return { ...copyNode(state, target, depth, [...refs, reference]), ...beside };
}

/** `#`, `#/a/b` with escapes, or `#anchor`-less names under $defs; undefined for anything else. */
function resolveLocal(root: JsonValue | undefined, reference: string): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined;
  const path = reference.slice(1).split('/').slice(1);
  let target = root;
  for (const step of path) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else if (isJsonObject(target) && Object.hasOwn(target, key)) target = target[key];
    else return undefined;
  }
  return target;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch (error) {
    if (error instanceof URIError) return step;
    throw error;
  }
}

function copyKeyword(
  state: State,
  keyword: string,
  value: JsonValue | undefined,
  depth: number,
  refs: readonly string[],
): JsonValue | undefined {
  const below = (child: JsonValue | undefined) => copyNode(state, child, depth + 1, refs);
  if (MAP_KEYWORDS.has(keyword)) {
    if (!isJsonObject(value)) return undefined;
    const entries = Object.entries(value).filter(([, child]) => child !== false);
    return Object.fromEntries(entries.map(([name, child]) => [wellFormed(name), below(child)]));
  }
  if (LIST_KEYWORDS.has(keyword)) {
    return Array.isArray(value) && value.length > 0 ? value.map(below) : undefined;
  }
  if (keyword === 'items' && Array.isArray(value)) return { anyOf: value.map(below) };
  if (SCHEMA_KEYWORDS.has(keyword))
    return typeof value === 'boolean' && keyword === 'additionalProperties' ? value : below(value);
  if (!DATA_KEYWORDS.has(keyword)) return undefined;
  if (!state.detail.descriptions && TEXT_KEYWORDS.has(keyword)) return undefined;
  if (keyword === 'enum' && Array.isArray(value) && value.length > state.detail.maxEnum)
    return undefined;
  return copyData(keyword, value);
}

/** Values of the wrong kind are dropped: a provider refuses the whole request for one of them. */
function copyData(keyword: string, value: JsonValue | undefined): JsonValue | undefined {
  switch (keyword) {
    case 'type':
      return copyType(value);
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? dataOf(value) : undefined;
    case 'required':
      return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
    case 'format':
    case 'title':
    case 'description':
      return typeof value === 'string' ? wellFormed(value) : undefined;
    case 'pattern':
      return typeof value === 'string' && !UNUSUAL_PATTERN.test(value) && isPattern(value)
        ? wellFormed(value)
        : undefined;
    case 'uniqueItems':
      return typeof value === 'boolean' ? value : undefined;
    case 'const':
    case 'default':
      return value === undefined ? undefined : dataOf(value);
    case 'examples':
      return Array.isArray(value) ? dataOf(value) : undefined;
    default:
      // Draft 4 spells exclusive bounds as booleans; they are dropped.
      return typeof value === 'number' ? value : undefined;
  }
}

function copyType(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return typeName(value);
  if (!Array.isArray(value)) return undefined;
  const names = value.map((name) => (typeof name === 'string' ? typeName(name) : undefined));
  const known = [...new Set(names.filter((name) => name !== undefined))];
  return known.length > 1 ? known : known[0];
}

function mayBeArray(type: JsonValue | undefined): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
}

function typeName(name: string): string | undefined {
  const lower = name.toLowerCase();
  const known = TYPE_ALIASES[lower] ?? lower;
  return TYPES.has(known) ? known : undefined;
}

function isPattern(value: string): boolean {
  try {
    new RegExp(value, 'u');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Data inside a schema, its strings acceptable. */
function dataOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(dataOf);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      child === undefined ? [] : [[wellFormed(key), dataOf(child)]],
    ),
  );
}

/** What is left of a schema beyond the depth: its type, as far as that can stand alone. */
function shallow(schema: JsonObject): JsonObject {
  const type = copyType(schema['type']);
  if (type === undefined) return {};
  return mayBeArray(type) ? { type, items: {} } : { type };
}
