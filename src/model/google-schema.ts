/**
 * Narrows a copied schema to what Gemini's function declarations take: a subset of OpenAPI 3.0 that is
 * also valid JSON Schema, since the SDK sends it as `parametersJsonSchema`.
 * @see https://ai.google.dev/api/caching#Schema
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

const NUMBER_FORMATS = new Set(['float', 'double', 'int32', 'int64']);
const STRING_FORMATS = new Set(['enum', 'date-time']);
const KEPT = new Set([
  ...['title', 'description', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);

/** Subschemas in all; alternatives with siblings multiply. */
const MAX_NODES = 5000;

/** The narrowed schema: every part has one type or an anyOf, arrays have items, enums are strings. */
export function toGoogleSchema(schema: JsonObject): JsonObject {
  return narrow({ left: MAX_NODES }, schema);
}

interface Budget {
  left: number;
}

function narrow(budget: Budget, schema: JsonValue | undefined): JsonObject {
  budget.left -= 1;
  if (!isJsonObject(schema) || budget.left < 0) return anything();
  const union = unionOf(budget, schema);
  if (union !== undefined) return union;
  const type = typeOf(schema);
  const narrowed: Record<string, JsonValue | undefined> = { type };
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.has(keyword)) narrowed[keyword] = value;
  }
  const format = schema['format'];
  const formats = type === 'string' ? STRING_FORMATS : NUMBER_FORMATS;
  if (type !== 'object' && type !== 'array' && type !== 'boolean' && formats.has(String(format))) {
    narrowed['format'] = format;
  }
  if (type === 'string') narrowed['enum'] = enumOf(schema);
  if (type === 'array') narrowed['items'] = itemsOf(budget, schema);
  if (type === 'object') Object.assign(narrowed, membersOf(budget, schema));
  return Object.fromEntries(Object.entries(narrowed).filter(([, value]) => value !== undefined));
}

/** Any value: only a string is taken everywhere, and the server checks anyway. */
function anything(): JsonObject {
  return { type: 'string' };
}

/** Alternatives as an anyOf without siblings but its description; one that only adds null goes. */
function unionOf(budget: Budget, schema: JsonObject): JsonObject | undefined {
  const { anyOf, oneOf, allOf, type, ...siblings } = schema;
  const parts = listOf(allOf);
  if (parts.length > 0) {
    const { allOf: _, ...rest } = schema;
    return narrow(budget, mergeAll([...parts, rest]));
  }
  const typed = Array.isArray(type) ? type.map((name) => ({ type: name })) : [];
  const found = [...listOf(anyOf), ...listOf(oneOf), ...typed].filter((branch) => !isNull(branch));
  const { description, ...common } = siblings;
  const base = typeof type === 'string' ? { ...common, type } : common;
  const [only] = found;
  if (only === undefined) return undefined;
  if (found.length === 1) {
    return narrow(budget, {
      ...base,
      ...(description === undefined ? {} : { description }),
      ...only,
    });
  }
  const branches = found.map((branch) => narrow(budget, { ...base, ...branch }));
  const distinct = new Map(branches.map((made) => [JSON.stringify(made), made]));
  const [first] = distinct.values();
  const described = typeof description === 'string' ? { description } : {};
  return distinct.size === 1
    ? { ...described, ...first }
    : { ...described, anyOf: [...distinct.values()] };
}

/** One schema in place of several that all hold. */
function mergeAll(parts: readonly JsonObject[]): JsonObject {
  const merged: Record<string, JsonValue | undefined> = {};
  const properties: Record<string, JsonValue | undefined> = {};
  const required: JsonValue[] = [];
  for (const part of parts) {
    Object.assign(merged, part);
    if (isJsonObject(part['properties'])) Object.assign(properties, part['properties']);
    if (Array.isArray(part['required'])) required.push(...part['required']);
  }
  return Object.keys(properties).length === 0 ? merged : { ...merged, properties, required };
}

function isNull(schema: JsonObject): boolean {
  return schema['type'] === 'null' || schema['const'] === null;
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The type, guessed from the other keywords where it is missing. */
function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string' && type !== 'null') return type;
  if (schema['properties'] !== undefined || schema['additionalProperties'] !== undefined)
    return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  const values = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const']];
  if (values.every((value) => typeof value === 'boolean')) return 'boolean';
  if (values.every((value) => typeof value === 'number')) return 'number';
  if (schema['minimum'] !== undefined || schema['maximum'] !== undefined) return 'number';
  return 'string';
}

/** Strings only; empty ones are refused. */
function enumOf(schema: JsonObject): JsonValue | undefined {
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  if (!Array.isArray(values)) return undefined;
  const texts = values.filter((value) => typeof value === 'string' && value !== '');
  return texts.length === 0 ? undefined : [...new Set(texts)];
}

function itemsOf(budget: Budget, schema: JsonObject): JsonObject {
  const { items, prefixItems } = schema;
  if (isJsonObject(items) && Object.keys(items).length > 0) return narrow(budget, items);
  const tuple = listOf(prefixItems);
  return tuple.length === 0 ? anything() : narrow(budget, { anyOf: tuple });
}

function membersOf(budget: Budget, schema: JsonObject): JsonObject {
  const given = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const properties = Object.fromEntries(
    Object.entries(given).map(([name, child]) => [name, narrow(budget, child)]),
  );
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = [...new Set(required)].filter(
    (name) => typeof name === 'string' && Object.hasOwn(properties, name),
  );
  return { properties, ...(names.length === 0 ? {} : { required: names }) };
}
