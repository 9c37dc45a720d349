/** Reads the configuration: files in, a checked `Config` out. The only entry for the rest of usher. */
import { ConfigError } from '../base/errors.ts';
import { bracketWarnings } from './bracket-warnings.ts';
import { hasDefaultServers } from './default-servers.ts';
import type { Finding } from './merge.ts';
import { orderWarnings, renderAll } from './order.ts';
import { pendingServer, pendingWarnings } from './pending.ts';
import { permissionPlaces } from './permission-places.ts';
import { type ReadConfig, readConfig } from './read.ts';
import { unknownServerWarnings } from './rules.ts';
import { buildServer } from './server-build.ts';
import { buildServers } from './servers.ts';
import type { SourceOptions } from './sources.ts';
import type { Config, ServerConfig } from './types.ts';

/**
 * Loads `--config` or `$USHER_CONFIG` alone, else the user's, project and local files merged; without an own
 * file there is no model and the `workspace` built-in. Bad server entries are skipped, each with one warning;
 * servers of project files that nobody approved are in `pending`. Throws ConfigError for a named file that is
 * missing, an own file that cannot be read or parsed, and a bad root, `model:` or `mcp:` block, then with every
 * problem in the message. Registers secrets that `${VAR}` brought in.
 */
export async function loadConfig(options: SourceOptions): Promise<Config> {
  const read = await readConfig(options);
  const { exposure, list: _list, listPath: _path, problems: _problems, ...all } = read.root;
  const { logins, loginNames, ...blocks } = all;
  const { env, cwd } = options;
  const { servers, warnings, findings, skipped } = buildServers(read.merged, {
    env,
    cwd,
    exposure,
    logins: loginNames,
  });
  throwRootProblems(read, findings);
  const pending = read.merged.pending.map(pendingServer);
  const origins = read.merged.servers.map(
    ({ name, base }) => [name, { scope: base.source.scope, file: base.source.path }] as const,
  );
  const built = [...defaultServers(read, options, servers), ...servers];
  const known = [...built, ...pending].map(({ name }) => name);
  const unused = unknownServerWarnings(blocks.rules, [...known, ...skipped]);
  const brackets = bracketWarnings(read.layers, read.merged.servers);
  const places = permissionPlaces(read.merged.servers);
  return {
    files: read.layers.map(({ source }) => source.path),
    ...blocks,
    ...(loginNames.length === 0 ? {} : { logins }),
    servers: built,
    warnings: orderWarnings(
      [...warnings, ...read.warnings, ...unused, ...brackets, ...pendingWarnings(pending)],
      read.layers,
    ),
    skipped,
    ...(places.size === 0 ? {} : { permissionPlaces: places }),
    ...(pending.length === 0 ? {} : { pending }),
    ...(origins.length === 0 ? {} : { origins: Object.fromEntries(origins) }),
  };
}

function throwRootProblems({ layers }: ReadConfig, findings: readonly Finding[]): void {
  if (layers.every(({ root }) => root === undefined || root.problems.length === 0)) return;
  throw new ConfigError(renderAll(layers, findings), {
    hint: 'usher config example shows every key, usher config check tests a file',
  });
}

/** The workspace built-in, as long as the person has no file of their own that says anything. */
function defaultServers(
  { layers }: ReadConfig,
  { env, cwd }: SourceOptions,
  servers: readonly ServerConfig[],
): readonly ServerConfig[] {
  if (!hasDefaultServers(layers)) return [];
  if (servers.some(({ name }) => name === 'workspace')) return [];
  const { server } = buildServer(
    { name: 'workspace', builtin: 'workspace' },
    { env, cwd, exposure: 'direct' },
  );
  return server === undefined ? [] : [server];
}
