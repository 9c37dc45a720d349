/**
 * The few file operations that what must survive a crash is made of, as a port: tests fail or kill at
 * the n-th one. Errors of the system go through as they are.
 */
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { LimitError } from './errors.ts';
import { isMissing } from './files.ts';

export interface FileOps {
  /** Folders get mode 0700; one that is there is fine. */
  makeFolder(path: string): void;
  /** For appending; made with mode 0600 when missing. A symlink is refused (`ELOOP`). */
  openAppend(path: string): number;
  /** A new file with mode 0600 and this content; `EEXIST` when something has that name. */
  create(path: string, content: string): void;
  /** All of the text. */
  write(fd: number, text: string): void;
  /** Resolves when what was written is on disk. */
  sync(fd: number): Promise<void>;
  truncate(fd: number, bytes: number): void;
  close(fd: number): void;
  /** `undefined`: there is no such file. A symlink is refused (`ELOOP`); LimitError beyond `maxBytes`. */
  read(path: string, maxBytes: number): Uint8Array | undefined;
  rename(from: string, to: string): void;
  /** A second name; `EEXIST` when something has it. */
  link(from: string, to: string): void;
  remove(path: string): void;
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

export const systemFiles: FileOps = {
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  openAppend: (path) => openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600),
  create(path, content) {
    const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      writeWhole(fd, content);
    } finally {
      closeSync(fd);
    }
  },
  write: writeWhole,
  sync: (fd) =>
    new Promise((resolve, reject) => {
      fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    }),
  truncate: (fd, bytes) => ftruncateSync(fd, bytes),
  close: (fd) => closeSync(fd),
  read(path, maxBytes) {
    let fd: number;
    try {
      fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      return readWhole(fd, path, maxBytes);
    } finally {
      closeSync(fd);
    }
  },
  rename: (from, to) => renameSync(from, to),
  link: (from, to) => linkSync(from, to),
  remove: (path) => unlinkSync(path),
};

function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}

function readWhole(fd: number, path: string, maxBytes: number): Uint8Array {
  const { size } = fstatSync(fd);
  if (size > maxBytes) {
    throw new LimitError(`${path} is larger than ${maxBytes} bytes`, {
      details: { limit: 'file size', maxBytes },
    });
  }
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
