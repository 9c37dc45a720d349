/** What of a file system the workspace tools may touch: what lies in the root and holds no credential. */
import { type Dirent, realpathSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { errorCode } from '../base/files.ts';
import { fsPromises } from '../base/lazy-node.ts';
import { resolveInside } from '../base/paths.ts';

export interface WorkspaceRoot {
  /** Absolute. */
  readonly path: string;
  /** The real path of `path`. Throws UsageError, in words for the model, when it is outside or a credential file. */
  locate(path: string): string;
  /** A real path as the model is told it: relative, `/` between parts, `.` for the root. */
  display(path: string): string;
}

export interface Walked {
  /** Real path. */
  readonly path: string;
  /** Relative to where the walk began, `/` between parts. */
  readonly name: string;
}

const MAX_WALKED = 200_000;
/** Folders that hold other people's or generated files; they can be named directly. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '.git', '.hg', '.svn']);
const EXAMPLE = /^\.env\.(?:example|sample|template|dist|defaults)$/i;
const SECRET_NAME = new RegExp(
  [
    '^\\.env(?:rc)?(?:[._-].*)?$',
    '\\.env$',
    '\\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate)$',
    '^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\\..*)?$',
    '^\\.(?:netrc|pgpass|npmrc|pypirc|htpasswd|git-credentials|dockercfg|vault-token)$',
    '^(?:credentials|secrets?)(?:\\.(?:json|ya?ml|toml|ini|txt|env))?$',
  ].join('|'),
  'i',
);
/** Folders whose every file is private. */
const SECRET_FOLDERS: ReadonlySet<string> = new Set([
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.azure',
]);

/** The root for one directory; symlinks on the way to it are followed once, here. */
export function createRoot(directory: string): WorkspaceRoot {
  const path = realPathOr(resolve(directory));
  const display = (target: string) => relative(path, target).split(sep).join('/') || '.';
  return {
    path,
    display,
    locate(wanted) {
      const real = resolveInside(path, wanted);
      if (real === undefined) {
        throw new UsageError(`${JSON.stringify(wanted)} is outside the workspace and is not read`);
      }
      // Both spellings count: a link with a harmless name may lead to a credential file.
      const spelled = relative(path, resolve(path, wanted));
      if (isSecretPath(spelled) || isSecretPath(relative(path, real))) {
        throw new UsageError(
          `${JSON.stringify(wanted)} may hold credentials (.env, keys and the like) and is not read`,
        );
      }
      return real;
    },
  };
}

/** True for files that usually hold credentials; `path` is relative to the root. */
export function isSecretPath(path: string): boolean {
  const parts = path.split(sep);
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => SECRET_FOLDERS.has(part.toLowerCase()))) return true;
  // Remote URLs and helpers with tokens stand there.
  if (parts.at(-2) === '.git' && name === 'config') return true;
  return SECRET_NAME.test(name) && !EXAMPLE.test(name);
}

/**
 * Files below a folder, in the order of their names, without symlinks, version control, node_modules and credential
 * files. Ends after 200,000 entries; folders that cannot be read are passed over.
 */
export async function* walkFiles(
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<Walked, void, undefined> {
  const waiting: Walked[] = [{ path: folder, name: '' }];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal.throwIfAborted();
    const folders: Walked[] = [];
    for (const entry of await entriesOf(next.path)) {
      seen += 1;
      if (seen > MAX_WALKED) return;
      const name = next.name === '' ? entry.name : `${next.name}/${entry.name}`;
      const found = { path: join(next.path, entry.name), name };
      if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name) && !SECRET_FOLDERS.has(entry.name.toLowerCase()))
          folders.push(found);
      } else if (entry.isFile() && !isSecretPath(entry.name)) yield found;
    }
    waiting.push(...folders.reverse());
  }
}

/** Entries in the order of their names; none for a folder that cannot be read. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await fsPromises().readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // Removed or closed to us while walking: the rest is still worth listing.
    if (errorCode(error) !== undefined) return [];
    throw error;
  }
}

/** A sentence for the model about a system error on `path`. */
export function fileProblem(error: unknown, path: string): UsageError {
  const name = JSON.stringify(path);
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new UsageError(`there is no file or folder ${name} in the workspace`);
    case 'EACCES':
    case 'EPERM':
      return new UsageError(`${name} cannot be read: no permission`);
    case 'EISDIR':
      return new UsageError(`${name} is a folder; list_directory shows what is in it`);
    default:
      return new UsageError(
        `${name} cannot be read: ${error instanceof Error ? error.message : basename(path)}`,
      );
  }
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    // A root that does not exist is reported by the first call.
    if (errorCode(error) !== undefined) return path;
    throw error;
  }
}
