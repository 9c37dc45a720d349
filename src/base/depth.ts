/** Depth of JSON values. JSON.parse takes any depth, everything that recurses afterwards does not. */
import type { JsonValue } from './json.ts';

/** Deeper values come from no honest peer; recursion is safe far beyond it. */
export const MAX_JSON_DEPTH = 512;

/** True when arrays and objects nest deeper than `maxDepth`. Needs no stack of its own. */
export function isDeeperThan(value: JsonValue | undefined, maxDepth = MAX_JSON_DEPTH): boolean {
  let level: readonly (JsonValue | undefined)[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: (JsonValue | undefined)[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth === maxDepth) return true;
      for (const child of Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return false;
}
