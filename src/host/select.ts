/** Which servers a run has: all enabled ones, or those named with `--server`. */
import { UsageError } from '../base/errors.ts';
import { nearestMatches } from '../base/text.ts';
import type { Config, ServerConfig } from '../config/types.ts';

/**
 * The servers to start, in configured order. A named server is taken also when it is disabled.
 * Throws UsageError for a name that is not configured, with the nearest one.
 */
export function selectServers(
  config: Config,
  names: readonly string[] | undefined,
): readonly ServerConfig[] {
  if (names === undefined) return config.servers.filter(({ enabled }) => enabled);
  const known = config.servers.map(({ name }) => name);
  for (const name of names) {
    if (!known.includes(name)) throw unknownServer(name, known, config.skipped);
  }
  return config.servers
    .filter(({ name }) => names.includes(name))
    .map((server) => ({ ...server, enabled: true }));
}

function unknownServer(
  name: string,
  known: readonly string[],
  skipped: readonly string[],
): UsageError {
  if (skipped.includes(name)) {
    return new UsageError(`server ${name} is configured, but its entry cannot be used`, {
      hint: 'usher config check shows why',
    });
  }
  const [nearest] = nearestMatches(name, known, 1);
  const list = known.length === 0 ? 'no server is configured' : `there is ${known.join(', ')}`;
  return new UsageError(`no server "${name}" is configured`, {
    hint: nearest === undefined ? list : `did you mean "${nearest}"?`,
  });
}
