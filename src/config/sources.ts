/** Which file holds the configuration, and which project files lie about without being used. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Env, envValue } from '../base/env.ts';
import { ConfigError } from '../base/errors.ts';
import { displayPath, userConfigFile } from '../base/paths.ts';
import type { ConfigWarning } from './types.ts';

export interface ConfigSource {
  /** Absolute. */
  readonly path: string;
  /** As people know it. */
  readonly label: string;
  /** `--config` or `$USHER_CONFIG`; `undefined` for the user's own file, which need not exist. */
  readonly namedBy: '--config' | '$USHER_CONFIG' | undefined;
}

export interface SourceOptions {
  /** Value of `--config`, relative to `cwd`. */
  readonly configFlag?: string | undefined;
  readonly env: Env;
  /** Absolute. */
  readonly cwd: string;
}

/** The one file to read: `--config`, else `$USHER_CONFIG`, else the user's own. `undefined` without HOME and XDG_CONFIG_HOME. */
export function findSource({ configFlag, env, cwd }: SourceOptions): ConfigSource | undefined {
  if (configFlag === '') throw new ConfigError('--config: the name of the file is empty');
  const fromVariable = envValue(env, 'USHER_CONFIG');
  const named = configFlag ?? fromVariable;
  if (named !== undefined) {
    const path = resolve(cwd, named);
    const namedBy = configFlag === undefined ? '$USHER_CONFIG' : '--config';
    return { path, label: displayPath(path, cwd), namedBy };
  }
  const path = userConfigFile(env);
  return path === undefined
    ? undefined
    : { path, label: displayPath(path, cwd), namedBy: undefined };
}

/**
 * One warning that names the project files between the workspace root and `cwd`; nothing in them is
 * used before approval of project files exists. `undefined` when there are none.
 */
export function pendingProjectFiles(cwd: string): ConfigWarning | undefined {
  const found = foldersFromRoot(cwd)
    .flatMap((folder) => PROJECT_FILES.map((file) => join(folder, file)))
    .filter((path) => existsSync(path))
    .map((path) => relative(cwd, path));
  if (found.length === 0) return undefined;
  const own = found.findLast((path) => path.endsWith('usher.yaml'));
  return {
    message: `${found.join(', ')}: pending, nothing in it is used: project files need an approval that does not exist in this version`,
    hint:
      own === undefined
        ? 'put its servers into your own file, see usher config path'
        : `--config ${own.startsWith('.') ? own : `./${own}`} is your word for it`,
    skipped: undefined,
  };
}

const PROJECT_FILES = ['.mcp.json', 'usher.yaml', join('.usher', 'local.yaml')];
/** Folders looked at upwards. */
const MAX_DEPTH = 64;

/** From the nearest folder with `.git` (else `cwd`) down to `cwd`. */
function foldersFromRoot(cwd: string): readonly string[] {
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
