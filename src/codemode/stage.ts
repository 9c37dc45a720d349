/** What a script stores, before it is known whether the script succeeds. */
import { LIMITS } from './limits.ts';

export interface Stage {
  /** Returns a problem for people, or an empty text. `undefined` deletes. */
  save(key: string, json: string | undefined): string;
  load(key: string): string | undefined;
  changes(): readonly (readonly [string, string | undefined])[];
}

export function createStage(kept: readonly (readonly [string, string])[]): Stage {
  const values = new Map(kept);
  const changed = new Set<string>();
  let total = 0;
  for (const [key, json] of values) total += key.length + json.length;
  return {
    save(key, json) {
      const old = values.get(key);
      const before = old === undefined ? 0 : key.length + old.length;
      const after = json === undefined ? 0 : key.length + json.length;
      if (after > before && total - before + after > LIMITS.storeCharacters) {
        return `store(): all values together have at most ${LIMITS.storeCharacters} characters as JSON`;
      }
      total += after - before;
      if (json === undefined) values.delete(key);
      else values.set(key, json);
      changed.add(key);
      return '';
    },
    load: (key) => values.get(key),
    changes: () => [...changed].map((key) => [key, values.get(key)] as const),
  };
}
