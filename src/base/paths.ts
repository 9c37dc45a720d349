/**
 * Where usher keeps its files, and whether a path stays inside a root.
 * @see XDG Base Directory Specification 0.8: relative values of its variables are ignored.
 */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Env, envValue } from './env.ts';
import { isMissing, isSymlinkItself } from './files.ts';

/** `$XDG_CONFIG_HOME/usher/config.yaml`; `undefined` without that variable and HOME. */
export function userConfigFile(env: Env): string | undefined {
  const base = xdgDirectory(env, 'XDG_CONFIG_HOME', '.config');
  return base === undefined ? undefined : join(base, 'usher', 'config.yaml');
}

/** `$XDG_STATE_HOME/usher`; `undefined` without that variable and HOME. Not created here. */
export function stateDirectory(env: Env): string | undefined {
  const base = xdgDirectory(env, 'XDG_STATE_HOME', join('.local', 'state'));
  return base === undefined ? undefined : join(base, 'usher');
}

/** True when `path` is `root` or lies below it, by spelling alone (no symlink is read). Relative paths are against `root`. */
export function isInsideLexically(root: string, path: string): boolean {
  const between = relative(resolve(root), resolve(root, path));
  return (
    between === '' || (between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between))
  );
}

/**
 * The real path of `path` when it lies in `root` after all symlinks are followed, else `undefined`.
 * A path that does not exist yet is judged by its nearest existing ancestor. Relative paths are against `root`.
 */
export function resolveInside(root: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  const realRoot = realPathOfExistingPart(resolve(root));
  const realPath = realPathOfExistingPart(resolve(root, path));
  if (realRoot === undefined || realPath === undefined) return undefined;
  return isInsideLexically(realRoot, realPath) ? realPath : undefined;
}

/** A path for people: relative to `cwd` when it is inside, else as it is. */
export function displayPath(path: string, cwd: string): string {
  return isInsideLexically(cwd, path) ? relative(cwd, path) || '.' : path;
}

function xdgDirectory(env: Env, variable: string, belowHome: string): string | undefined {
  const value = envValue(env, variable);
  if (value !== undefined && isAbsolute(value)) return value;
  const home = envValue(env, 'HOME');
  return home !== undefined && isAbsolute(home) ? join(home, belowHome) : undefined;
}

/** `undefined` for a dangling symlink or a loop: what it would become cannot be known. */
function realPathOfExistingPart(path: string): string | undefined {
  let existing = path;
  for (;;) {
    try {
      const rest = relative(existing, path);
      return rest === '' ? realpathSync(existing) : join(realpathSync(existing), rest);
    } catch (error) {
      if (!isMissing(error) || isSymlinkItself(existing)) return undefined;
      const parent = dirname(existing);
      if (parent === existing) return undefined;
      existing = parent;
    }
  }
}
