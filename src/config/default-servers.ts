/** What is there by itself as long as a person says nothing: the `workspace` built-in. Pure. */
import { isMapping } from './entry.ts';
import type { Layer } from './layers.ts';

/**
 * True while no file of the person's own says anything. One whose last server was removed (`servers:` without a
 * list) counts as none; `servers: []` is a word: no server.
 */
export function hasDefaultServers(layers: readonly Pick<Layer, 'source' | 'file'>[]): boolean {
  return layers.every(
    ({ source, file }) =>
      source.scope === 'project' || (source.scope !== 'named' && isBlank(file.value)),
  );
}

/** Nothing, or keys without a value; `mcp:` may hold such keys. */
function isBlank(value: unknown, depth = 0): boolean {
  if (value === null) return true;
  return (
    depth < 2 &&
    isMapping(value) &&
    Object.values(value).every((child) => isBlank(child, depth + 1))
  );
}
