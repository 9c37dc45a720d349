/** Arguments of the workspace tools. A call typed by a person is not checked against the schema before, so they are here. */
import { UsageError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';

/** A text argument; `fallback` where it is absent. Throws UsageError for another type, or absent without fallback. */
export function textArgument(args: JsonObject, name: string, fallback?: string): string {
  const value = args[name] ?? fallback;
  if (typeof value === 'string') return value;
  throw new UsageError(
    `arguments.${name}: expected text, got ${JSON.stringify(value) ?? 'nothing'}`,
  );
}

/** A whole number of at least 1, cut to `maximum`. */
export function countArgument(
  args: JsonObject,
  name: string,
  fallback: number,
  maximum: number,
): number {
  const value = args[name] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) {
    return Math.min(value, maximum);
  }
  throw new UsageError(
    `arguments.${name}: expected a whole number of at least 1, got ${JSON.stringify(value)}`,
  );
}
