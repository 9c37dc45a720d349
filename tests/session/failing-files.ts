/** File operations that fail, or end the process, at the n-th one. */
import { type FileOps, systemFiles } from '../../src/base/file-ops.ts';

export interface CountedFiles {
  readonly files: FileOps;
  /** Operations so far. */
  count(): number;
}

/** `at`: calls `strike` before operation `at` (from 1); `tear`: a write puts half of its text first. */
export function countFiles(at: number, strike: () => void, tear = false): CountedFiles {
  let count = 0;
  const step = (before?: () => void) => {
    count += 1;
    if (count !== at) return;
    before?.();
    strike();
  };
  const files: FileOps = {
    makeFolder(path) {
      step();
      return systemFiles.makeFolder(path);
    },
    openAppend(path) {
      step();
      return systemFiles.openAppend(path);
    },
    create(path, content) {
      step();
      return systemFiles.create(path, content);
    },
    write(fd, text) {
      step(tear ? () => systemFiles.write(fd, text.slice(0, text.length / 2)) : undefined);
      systemFiles.write(fd, text);
    },
    async sync(fd) {
      step();
      await systemFiles.sync(fd);
    },
    truncate(fd, bytes) {
      step();
      return systemFiles.truncate(fd, bytes);
    },
    close(fd) {
      step();
      return systemFiles.close(fd);
    },
    read(path, maxBytes) {
      step();
      return systemFiles.read(path, maxBytes);
    },
    rename(from, to) {
      step();
      return systemFiles.rename(from, to);
    },
    link(from, to) {
      step();
      return systemFiles.link(from, to);
    },
    remove(path) {
      step();
      return systemFiles.remove(path);
    },
  };
  return { files, count: () => count };
}

export function fullDisk(): never {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}
