/** JSON values, guards and a stable spelling. Knows nothing of MCP. */

export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for a plain JSON object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses text as JSON; `undefined` when it is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    // JSON.parse gives JSON values only.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** JSON with object keys sorted at every depth: equal values give equal text. */
export function stableStringify(value: JsonValue | undefined): string {
  if (value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => stableStringify(item)).join(',')}]`;
  if (isJsonObject(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    keys.sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${stableStringify(value[key])}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** False for a whole number whose digits a JSON number of ours would round, such as a long id. */
export function isExactNumber(text: string, parsed: JsonValue | undefined): boolean {
  return typeof parsed !== 'number' || Number.isSafeInteger(parsed) || !/^\s*-?\d+\s*$/.test(text);
}
