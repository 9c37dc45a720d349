/**
 * Whether git has a file under version control: then it came with the checkout and nobody here wrote it.
 * Reads the index only, by the spelling of the path in it. @see gitformat-index(5)
 */
import { join, relative, resolve } from 'node:path';
import { errorCode, isMissing, readBounded } from '../base/files.ts';

/** A larger index is not looked at; its files then count as shipped. */
const MAX_INDEX_BYTES = 256 * 1024 ** 2;

/**
 * True when the index of the repository at `root` names `path`, or cannot be read. Paths in an index of
 * version 4 share beginnings: there the ending `local.yaml` alone decides.
 */
export function isTrackedByGit(root: string, path: string): boolean {
  let index: Buffer;
  try {
    index = Buffer.from(readBounded(join(gitFolder(root), 'index'), MAX_INDEX_BYTES));
  } catch (error) {
    // No repository, or nothing staged yet.
    return !isMissing(error);
  }
  const name = relative(root, path);
  const isCompressed = index.length > 8 && index.readUInt32BE(4) >= 4;
  return index.includes(isCompressed ? `local.yaml\0` : `${name}\0`);
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
