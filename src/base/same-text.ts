/** Whether a text already says what a JSON value says, so that it need not be shown twice. */
import { isJsonObject, type JsonValue } from './json.ts';

/**
 * True when the text is the same JSON, whatever its white space and order of keys, and when the value is an
 * object that only wraps the text under one name, as servers do that must give structured content.
 */
export function saysTheSame(text: string, value: JsonValue): boolean {
  if (isJsonObject(value)) {
    const inner = Object.values(value);
    if (inner.length === 1 && inner[0] === text) return true;
  }
  if (!mayBeJson(text, value)) return false;
  try {
    const parsed: unknown = JSON.parse(text);
    return Bun.deepEquals(parsed, value, true);
  } catch (error) {
    // Text that is no JSON is another text.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Spares parsing megabytes of prose. */
function mayBeJson(text: string, value: JsonValue): boolean {
  const first = text.trimStart()[0];
  if (Array.isArray(value)) return first === '[';
  return typeof value !== 'object' || first === '{';
}
