/**
 * A schema as a model may read it: texts lose hidden characters and secrets. Values and names go back to the
 * server as they are, so one that hides something is left out: it could not be said without saying all of it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { sanitizeText } from '../results/sanitize.ts';

/** Lists of values, and of names. */
const VALUE_LISTS = new Set(['enum', 'examples', 'required']);
const VALUES = new Set(['const', 'default']);
/** Their keys are names of the server's choice, their values schemas. */
const NAMED_SCHEMAS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Definitions are bounded in depth where they are adapted. */
export function cleanSchema(schema: JsonObject): JsonObject {
  const clean: Record<string, JsonValue | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!isClean(key)) continue;
    if (VALUES.has(key)) {
      if (isClean(value)) clean[key] = value;
    } else if (VALUE_LISTS.has(key) && Array.isArray(value)) {
      const kept = value.filter((item: JsonValue) => isClean(item));
      if (kept.length > 0 || value.length === 0) clean[key] = kept;
    } else if (NAMED_SCHEMAS.has(key) && isJsonObject(value)) clean[key] = cleanEach(value);
    else clean[key] = cleanPart(value);
  }
  return clean;
}

export function cleanText(text: string): string {
  return scrubSecrets(sanitizeText(text));
}

function cleanEach(schemas: JsonObject): JsonObject {
  const entries = Object.entries(schemas).filter(([name]) => isClean(name));
  return Object.fromEntries(entries.map(([name, part]) => [name, cleanPart(part)]));
}

function cleanPart(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return cleanText(value);
  if (isJsonObject(value)) return cleanSchema(value);
  return Array.isArray(value) ? value.map((item: JsonValue) => cleanPart(item) ?? null) : value;
}

/** A carriage return hides nothing: a line end may be a value. */
function isClean(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') {
    const text = value.replaceAll('\r', '');
    return cleanText(text) === text;
  }
  if (Array.isArray(value)) return value.every((item: JsonValue) => isClean(item));
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([key, part]) => isClean(key) && isClean(part));
}
