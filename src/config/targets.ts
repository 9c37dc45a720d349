/** Which file a change belongs into, and in which files a server stands. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, UsageError } from '../base/errors.ts';
import { userConfigFile } from '../base/paths.ts';
import { hasDefaultServers } from './default-servers.ts';
import type { Located } from './entry.ts';
import { readLayers } from './layers.ts';
import {
  type ConfigSource,
  LOCAL_FILE,
  listSources,
  MCP_JSON,
  PROJECT_FILE,
  type SourceOptions,
  sourceOf,
  workspaceFolders,
} from './sources.ts';

export type FileScope = 'user' | 'project' | 'local';

/**
 * The file of a scope that is written to: with `--config` that file, whatever the scope; of a project's or
 * local files the nearest to `cwd` that is there, else one at the workspace root. It need not exist.
 */
export function writeTarget(options: SourceOptions, scope: FileScope): ConfigSource {
  const named = namedTarget(options);
  if (named !== undefined) return named;
  const { env, cwd } = options;
  const folders = workspaceFolders(cwd);
  const root = folders[0] ?? cwd;
  switch (scope) {
    case 'user': {
      const path = userConfigFile(env);
      if (path !== undefined) return sourceOf('user', path, cwd);
      throw new ConfigError('there is no place for a config file: HOME is not set', {
        hint: 'name one with --config FILE or $USHER_CONFIG',
      });
    }
    case 'project': {
      const names = [PROJECT_FILE, MCP_JSON];
      const near = folders
        .toReversed()
        .flatMap((folder) => names.map((name) => join(folder, name)))
        .find((path) => existsSync(path));
      return sourceOf('project', near ?? join(root, PROJECT_FILE), cwd);
    }
    case 'local': {
      const near = folders
        .toReversed()
        .map((folder) => join(folder, LOCAL_FILE))
        .find((path) => existsSync(path));
      const source = sourceOf('local', near ?? join(root, LOCAL_FILE), cwd);
      const shipped = listSources(options).some(
        ({ path, isShipped }) => path === source.path && isShipped === true,
      );
      if (!shipped) return source;
      throw new ConfigError(`${source.label} is under version control, so it is not private`, {
        hint: `git rm --cached ${source.label}`,
      });
    }
  }
}

/** The file that was named by `--config` or `$USHER_CONFIG`. */
export function namedTarget(options: SourceOptions): ConfigSource | undefined {
  const [first] = listSources(options);
  return first?.scope === 'named' ? first : undefined;
}

/**
 * All entries of a name, lowest first, and whether the built-in workspace is there by itself beside them.
 * Throws ConfigError for an own file that cannot be read.
 */
export async function entriesOf(
  options: SourceOptions,
  name: string,
): Promise<{
  readonly found: readonly Located[];
  readonly names: readonly string[];
  readonly hasDefaults: boolean;
}> {
  const { layers } = await readLayers(options);
  const all = layers.flatMap(({ entries }) => entries);
  return {
    found: all.filter((entry) => entry.name === name),
    names: all.flatMap((entry) => (entry.name === undefined ? [] : [entry.name])),
    hasDefaults: hasDefaultServers(layers),
  };
}

/** The scope of an entry as `--scope` calls it; a file named by `--config` has none. */
export function scopeOf({ source }: Located): FileScope | undefined {
  return source.scope === 'named' ? undefined : source.scope;
}

/**
 * The one scope that is meant. Throws UsageError when the name stands in several and none was chosen, with the
 * exact lines, or when it does not stand in the chosen one.
 */
export function chooseScope(
  found: readonly Located[],
  wanted: FileScope | undefined,
  action: string,
  name: string,
): FileScope | undefined {
  const scopes = [...new Set(found.map(scopeOf))];
  if (wanted !== undefined) {
    if (scopes.includes(wanted)) return wanted;
    throw new UsageError(`server ${name} does not stand in a ${wanted} file`, {
      hint: `it stands in ${placesOf(found).join(', ')}`,
    });
  }
  const [only] = scopes;
  if (scopes.length === 1) return only;
  const lines = scopes.map((scope) => `usher mcp ${action} ${name} --scope ${scope}`);
  throw new UsageError(
    `server ${name} stands in ${placesOf(found).join(' and ')}; say which is meant:\n  ${lines.join('\n  ')}`,
  );
}

function placesOf(found: readonly Located[]): readonly string[] {
  return found.map(({ file, path, source }) => {
    const { line } = file.lineAt(file.offsetOf(path));
    return `${source.label}:${line}`;
  });
}
