/**
 * A copy of a tool's schema that a provider accepts: root object with properties, no combinator at the
 * root, references inlined, bounded. The original stays what arguments are checked against, so the copy
 * may say less but never something else. Rules: the providers' function-calling references.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { cutToCharacters } from '../base/text.ts';
import { wellFormed } from './arguments.ts';
import type { ModelFamily } from './family.ts';
import { toGoogleSchema } from './google-schema.ts';
import { copySchema, type SchemaCopy } from './schema-copy.ts';
import { foldRoot } from './schema-root.ts';
import type { ModelTool } from './types.ts';

/** What is sent instead of the tool's own description and schema. */
export interface ProviderTool {
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** 1,024 characters: OpenAI's bound for a function's description in chat completions. */
const MAX_CHAT_DESCRIPTION = 1024;
/** 8,192 characters for the others, which name no bound. */
const MAX_DESCRIPTION = 8192;
const CUT_MARK = ' […]';
/** 64 KiB and 12 levels; deeper parts become "anything". */
export const MAX_SCHEMA_BYTES = 64 * 1024;
export const MAX_SCHEMA_DEPTH = 12;

/** The copy for one provider family. Never throws: what cannot be kept is left out. Cached by schema. */
export function toProviderTool(family: ModelFamily, tool: ModelTool): ProviderTool {
  const limit = family === 'chat' ? MAX_CHAT_DESCRIPTION : MAX_DESCRIPTION;
  return {
    description: cutDescription(wellFormed(tool.description), limit),
    inputSchema: toProviderSchema(family, tool.inputSchema),
  };
}

const cache = new WeakMap<JsonObject, Map<ModelFamily, JsonObject>>();

/** The schema alone; see `toProviderTool`. */
export function toProviderSchema(family: ModelFamily, schema: JsonObject): JsonObject {
  const known = cache.get(schema)?.get(family);
  if (known !== undefined) return known;
  const made = fitSize(family, schema);
  const byFamily = cache.get(schema) ?? new Map<ModelFamily, JsonObject>();
  cache.set(schema, byFamily.set(family, made));
  return made;
}

/** Tries less and less detail until the copy fits; at last any object. */
function fitSize(family: ModelFamily, schema: JsonObject): JsonObject {
  for (const detail of DETAILS) {
    const copy = makeSchema(family, schema, detail);
    if (Buffer.byteLength(JSON.stringify(copy)) <= MAX_SCHEMA_BYTES) return copy;
  }
  return { type: 'object', properties: {} };
}

const WHOLE: SchemaCopy = {
  maxDepth: MAX_SCHEMA_DEPTH,
  maxNodes: 5000,
  descriptions: true,
  maxEnum: 10_000,
};
const DETAILS: readonly SchemaCopy[] = [
  WHOLE,
  { ...WHOLE, descriptions: false, maxEnum: 200 },
  { maxDepth: 4, maxNodes: 1000, descriptions: false, maxEnum: 50 },
  { maxDepth: 2, maxNodes: 500, descriptions: false, maxEnum: 20 },
];

function makeSchema(family: ModelFamily, schema: JsonObject, detail: SchemaCopy): JsonObject {
  const folded = closeRoot(foldRoot(copySchema(schema, detail)));
  if (family === 'google') return closeRoot(toGoogleSchema(folded));
  return family === 'anthropic' ? closeRoot(dropOddKeys(folded)) : folded;
}

/** Anthropic's rule for property names; a property it refuses costs the whole request. */
const ANTHROPIC_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Leaves out properties whose names the provider does not take, at every level. */
function dropOddKeys(schema: JsonObject): JsonObject {
  return mapSchema(schema, (name) => ANTHROPIC_KEY.test(name));
}

function mapSchema(schema: JsonObject, keep: (name: string) => boolean): JsonObject {
  const below = (value: JsonValue): JsonValue =>
    isJsonObject(value) ? mapSchema(value, keep) : value;
  const mapped = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === 'properties' && isJsonObject(value)) {
      const kept = Object.entries(value).filter(([name]) => keep(name));
      return [keyword, Object.fromEntries(kept.map(([name, child]) => [name, below(child ?? {})]))];
    }
    if (Array.isArray(value) && SUBSCHEMA_LISTS.has(keyword)) return [keyword, value.map(below)];
    return [keyword, SUBSCHEMAS.has(keyword) ? below(value ?? {}) : value];
  });
  return Object.fromEntries(mapped);
}

const SUBSCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SUBSCHEMAS = new Set(['items', 'additionalProperties', 'not', 'contains']);

/** An object with properties, and `required` only for names that exist. */
function closeRoot(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const { required, ...rest } = schema;
  const names = stringsOf(required).filter((name) => Object.hasOwn(properties, name));
  return {
    ...rest,
    type: 'object',
    properties,
    ...(names.length === 0 ? {} : { required: names }),
  };
}

function cutDescription(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${cutToCharacters(text, maxCharacters - CUT_MARK.length)}${CUT_MARK}`;
}

function stringsOf(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((item) => typeof item === 'string'))];
}
