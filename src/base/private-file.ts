/** Reads files that only the user may have written: no symlink, a file of their own, nobody else let in. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { FailedError, LimitError } from './errors.ts';
import { errorCode, isMissing } from './files.ts';

/**
 * The text of a private file; `undefined` when it is not there. Throws FailedError, with what to do, for a
 * symlink, anything but a plain file, a file of somebody else, or one that others may read or write; LimitError
 * beyond `maxBytes`; the system's error when it cannot be read.
 */
export function readPrivate(path: string, maxBytes: number): string | undefined {
  const fd = open(path);
  if (fd === undefined) return undefined;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw refused(path, 'is no plain file', `remove ${path}`);
    const uid = process.getuid?.();
    if (uid !== undefined && stat.uid !== uid) {
      throw refused(path, 'belongs to another user', `remove ${path}`);
    }
    if (uid !== undefined && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8);
      throw refused(path, `has mode ${mode}: others may use it`, `chmod 600 ${path}`);
    }
    if (stat.size > maxBytes) {
      throw new LimitError(`${path} is larger than ${maxBytes} bytes`, {
        details: { limit: 'file size', maxBytes },
      });
    }
    const buffer = Buffer.alloc(stat.size);
    let length = 0;
    for (let count = -1; count !== 0 && length < stat.size; length += count) {
      count = readSync(fd, buffer, length, stat.size - length, null);
    }
    return buffer.subarray(0, length).toString();
  } finally {
    closeSync(fd);
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (errorCode(error) === 'ELOOP') throw refused(path, 'is a symlink', `remove ${path}`);
    throw error;
  }
}

function refused(path: string, why: string, hint: string): FailedError {
  return new FailedError(`${path} ${why}; it is not used`, { hint });
}
