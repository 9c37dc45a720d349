/** Arguments of tool calls as models write them, and as history must have them. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';

/** Nothing, white space and `null` mean no arguments; other text is kept as written. */
export function readArguments(written: string | undefined): string {
  const trimmed = (written ?? '').trim();
  return trimmed === '' || trimmed === 'null' ? '{}' : (written ?? '');
}

/** The arguments as an object for history; `{}` when the text was not a JSON object. */
export function historyArguments(written: string): JsonObject {
  const parsed = tryParseJson(readArguments(written));
  return isJsonObject(parsed) ? wellFormedObject(parsed) : {};
}

/** Text a provider takes: no lone surrogate, no NUL. */
export function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function wellFormedObject(value: JsonObject): JsonObject {
  const entries = Object.entries(value).map(([key, child]) => [
    wellFormed(key),
    wellFormedValue(child),
  ]);
  return Object.fromEntries(entries);
}

function wellFormedValue(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map((item) => wellFormedValue(item) ?? null);
  return isJsonObject(value) ? wellFormedObject(value) : value;
}
