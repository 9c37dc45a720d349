/** Which files hold configuration, lowest first: one that was named, alone, or user, project and local files. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Env, envValue } from '../base/env.ts';
import { ConfigError } from '../base/errors.ts';
import { displayPath, userConfigFile } from '../base/paths.ts';
import { isTrackedByGit } from './git-index.ts';

/** `named`: by `--config` or `$USHER_CONFIG`. All but `project` are the person's own word. */
export type Scope = 'named' | 'user' | 'project' | 'local';

export interface ConfigSource {
  readonly scope: Scope;
  /** Absolute. */
  readonly path: string;
  /** As people know it. */
  readonly label: string;
  /** `mcp.json`: a map `mcpServers`, as other hosts write it. */
  readonly form: 'usher' | 'mcp.json';
  /** `--config` or `$USHER_CONFIG`; `undefined` for the others, which need not exist. */
  readonly namedBy: '--config' | '$USHER_CONFIG' | undefined;
  /** A local file that the repository ships: what it says is the project's word. */
  readonly isShipped?: boolean;
}

export interface SourceOptions {
  /** Value of `--config`, relative to `cwd`. */
  readonly configFlag?: string | undefined;
  readonly env: Env;
  /** Absolute. */
  readonly cwd: string;
  /** Servers of project files that may run this time: `--approve`. Beside `$USHER_MCP_ALLOWLIST`. */
  readonly approve?: readonly string[] | undefined;
}

/**
 * The files that count, lowest first. A named file stands alone. Project and local files are listed where they
 * exist, from the workspace root down to `cwd`; the user's own file always, unless HOME and XDG_CONFIG_HOME
 * are both unset.
 */
export function listSources(options: SourceOptions): readonly ConfigSource[] {
  const named = namedSource(options);
  if (named !== undefined) return [named];
  const { env, cwd } = options;
  const user = userConfigFile(env);
  const folders = workspaceFolders(cwd);
  const below = (file: string) =>
    folders.map((folder) => join(folder, file)).filter((path) => existsSync(path) && path !== user);
  const local = below(LOCAL_FILE).map((path): ConfigSource => {
    const isShipped = isTrackedByGit(folders[0] ?? cwd, path);
    const source = sourceOf(isShipped ? 'project' : 'local', path, cwd);
    return isShipped ? { ...source, isShipped } : source;
  });
  const project = folders.flatMap((folder) =>
    [join(folder, MCP_JSON), join(folder, PROJECT_FILE)]
      .filter((path) => existsSync(path) && path !== user)
      .map((path) => sourceOf('project', path, cwd)),
  );
  return [
    ...(user === undefined ? [] : [sourceOf('user', user, cwd)]),
    ...project,
    ...local.filter(({ scope }) => scope === 'project'),
    ...local.filter(({ scope }) => scope === 'local'),
  ];
}

/** The source that a path stands for, whether it exists or not. */
export function sourceOf(scope: Scope, path: string, cwd: string): ConfigSource {
  const form = path.endsWith(`/${MCP_JSON}`) ? 'mcp.json' : 'usher';
  const isNear = scope === 'project' || scope === 'local';
  const label = isNear ? relative(cwd, path) : displayPath(path, cwd);
  return { scope, path, label, form, namedBy: undefined };
}

/** From the nearest folder with `.git` (else `cwd`) down to `cwd`. */
export function workspaceFolders(cwd: string): readonly string[] {
  const folders: string[] = [];
  let folder = cwd;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    folders.unshift(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return [cwd];
}

export const MCP_JSON = '.mcp.json';
export const PROJECT_FILE = 'usher.yaml';
export const LOCAL_FILE = join('.usher', 'local.yaml');
/** Folders looked at upwards. */
const MAX_DEPTH = 64;

function namedSource({ configFlag, env, cwd }: SourceOptions): ConfigSource | undefined {
  if (configFlag === '') throw new ConfigError('--config: the name of the file is empty');
  const named = configFlag ?? envValue(env, 'USHER_CONFIG');
  if (named === undefined) return undefined;
  const path = resolve(cwd, named);
  const namedBy = configFlag === undefined ? '$USHER_CONFIG' : '--config';
  return { ...sourceOf('named', path, cwd), namedBy };
}
