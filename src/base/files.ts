/**
 * Reading with a bound and writing without a half-written state. Knows nothing of what is in the files.
 * Errors of the system go through as they are (`code` ENOENT, EISDIR, EACCES …); `errorCode` reads it.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Clock, sleep, systemClock } from './clock.ts';
import { FailedError, LimitError } from './errors.ts';
import { randomHex } from './hash.ts';
import { utf8Pieces } from './utf8.ts';

const PIPE_WAIT_MS = 10_000;
const PIPE_POLL_MS = 10;
const CHUNK_BYTES = 64 * 1024;

/** Content of a file, up to `maxBytes`. Throws LimitError beyond it, the system's error when it cannot be read. */
export function readBounded(path: string, maxBytes: number): Uint8Array {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    rejectDirectory(fd, path);
    const reader = boundedReader(path, maxBytes);
    while (reader.take(readSync(fd, reader.buffer)));
    return reader.bytes();
  } finally {
    closeSync(fd);
  }
}

/**
 * As `readBounded`, also for pipes such as `<(command)`: waits for their writer, at most 10 s in
 * all, then throws LimitError.
 */
export async function readBoundedOrPipe(
  path: string,
  maxBytes: number,
  clock: Clock = systemClock,
): Promise<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    rejectDirectory(fd, path);
    const reader = boundedReader(path, maxBytes);
    const until = clock.now() + PIPE_WAIT_MS;
    for (;;) {
      const count = readIfReady(fd, reader.buffer);
      if (count !== undefined) {
        if (!reader.take(count)) return reader.bytes();
        continue;
      }
      if (clock.now() >= until) {
        throw new LimitError(`${path}: nothing came within ${PIPE_WAIT_MS / 1000}s`, {
          details: { limit: 'pipe wait' },
        });
      }
      await sleep(clock, PIPE_POLL_MS);
    }
  } finally {
    closeSync(fd);
  }
}

/** The operations that `writeAtomic` is made of, as a port: tests fail the n-th one. */
export interface AtomicOps {
  makeFolder(path: string): void;
  /** A new file that nobody else can have made. */
  create(path: string, mode: number): number;
  /** Whatever the umask says. */
  setMode(fd: number, mode: number): void;
  write(fd: number, bytes: Uint8Array): void;
  sync(fd: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export const systemAtomicOps: AtomicOps = {
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  create: (path, mode) => openSync(path, NEW_FILE, mode),
  setMode: (fd, mode) => fchmodSync(fd, mode),
  write: writeAll,
  sync: (fd) => fsyncSync(fd),
  close: (fd) => closeSync(fd),
  rename: (from, to) => renameSync(from, to),
};

/**
 * Writes a whole file or leaves the old one: temp file beside it, synced, then renamed over it.
 * `mode` default 0600. A symlink at `path` is refused (FailedError), never followed; missing folders are made 0700.
 */
export function writeAtomic(
  path: string,
  content: string | Uint8Array,
  mode = 0o600,
  ops: AtomicOps = systemAtomicOps,
): void {
  const folder = dirname(path);
  ops.makeFolder(folder);
  if (isSymlinkItself(path)) {
    throw new FailedError(`${path} is a symlink and is not written to`, {
      hint: 'remove the link or name the file itself',
    });
  }
  const temporary = join(folder, `.${basename(path)}.${randomHex(6)}.tmp`);
  const fd = ops.create(temporary, mode);
  try {
    try {
      ops.setMode(fd, mode);
      for (const piece of typeof content === 'string' ? utf8Pieces(content) : [content]) {
        ops.write(fd, piece);
      }
      ops.sync(fd);
    } finally {
      ops.close(fd);
    }
    ops.rename(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

/** The system's code of an error (`ENOENT`), or `undefined`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Why a file could not be read or written, in plain words; the system's own text for rare codes. */
export function fileReason(error: unknown): string {
  const known = FILE_REASONS[errorCode(error) ?? ''];
  return known ?? (error instanceof Error ? error.message : String(error));
}

const FILE_REASONS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'no such file or folder',
  EISDIR: 'it is a directory',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'it is a symlink',
  EEXIST: 'something else has that name',
};

/** True when the error says that the path, or a folder on its way, is not there. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** True when `path` itself is a symlink, wherever it leads. */
export function isSymlinkItself(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

interface BoundedReader {
  readonly buffer: Uint8Array;
  /** Keeps the first `count` bytes of `buffer`; false at the end. */
  take(count: number): boolean;
  bytes(): Uint8Array;
}

function boundedReader(path: string, maxBytes: number): BoundedReader {
  const buffer = new Uint8Array(CHUNK_BYTES);
  const chunks: Uint8Array[] = [];
  let total = 0;
  return {
    buffer,
    take(count) {
      if (count === 0) return false;
      total += count;
      if (total > maxBytes) {
        throw new LimitError(`${path} is larger than ${maxBytes} bytes`, {
          details: { limit: 'file size', maxBytes },
        });
      }
      chunks.push(buffer.slice(0, count));
      return true;
    },
    bytes: () => Buffer.concat(chunks),
  };
}

function readIfReady(fd: number, buffer: Uint8Array): number | undefined {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

function rejectDirectory(fd: number, path: string): void {
  if (!fstatSync(fd).isDirectory()) return;
  throw Object.assign(new Error(`${path} is a directory`), { code: 'EISDIR' });
}

function writeAll(fd: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}

/** For a cleanup after an error: that error is the one to report, not a second one. */
function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
