/**
 * Whether git has a file under version control: then it came with the checkout and nobody here wrote it.
 * Reads the index only, by the spelling of the path in it. @see gitformat-index(5)
 */
import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { errorCode, isMissing, readBounded } from '../base/files.ts';

/** A larger index is not looked at; its files then count as shipped. */
const MAX_INDEX_BYTES = 256 * 1024 ** 2;

/**
 * True when the index of the repository at `root` names `path` or its folder (a submodule), in whatever case
 * (some file systems do not tell cases apart), or cannot be read; also when a link leads to it, which the
 * repository may have set. Paths in an index of version 4 share beginnings: there `local.yaml` alone decides.
 */
export function isTrackedByGit(root: string, path: string): boolean {
  let index: Buffer;
  try {
    index = Buffer.from(readBounded(join(gitFolder(root), 'index'), MAX_INDEX_BYTES));
  } catch (error) {
    // No repository, or nothing staged yet.
    return !isMissing(error);
  }
  if (isBehindLink(root, path)) return true;
  const name = relative(root, path);
  const isCompressed = index.length > 8 && index.readUInt32BE(4) >= 4;
  const names = isCompressed ? ['local.yaml'] : [name, dirname(name)];
  const held = folded(index);
  return names.some((one) => held.includes(`${folded(Buffer.from(one))}\0`));
}

/** True when `path` is not where its spelling below `root` says. */
function isBehindLink(root: string, path: string): boolean {
  return realpathSync(path) !== join(realpathSync(root), relative(root, path));
}

/** Byte for byte, without case. */
function folded(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}

/** In a worktree or submodule `.git` is a file that says where the folder is. */
function gitFolder(root: string): string {
  const path = join(root, '.git');
  try {
    const text = Buffer.from(readBounded(path, MAX_POINTER_BYTES)).toString();
    return resolve(root, /^gitdir: (.*)$/m.exec(text)?.[1] ?? '.git');
  } catch (error) {
    if (errorCode(error) === 'EISDIR') return path;
    throw error;
  }
}

const MAX_POINTER_BYTES = 64 * 1024;
