/**
 * Writes to a file descriptor in order, whole, without blocking the program. `process.stdout.write`
 * followed by an exit loses what a pipe did not take yet (Bun 1.4.5), so results never go that way.
 * Knows nothing of what is written.
 */
import { write } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface FdWriter {
  /** Queues bytes or text (UTF-8). Ignored after an error. */
  write(data: string | Uint8Array): void;
  /** Resolves when everything queued so far is written, or has failed. Never rejects. */
  flush(): Promise<void>;
  /** Bytes queued and not yet written. */
  pendingBytes(): number;
  /** The first error; `EPIPE` when the reader is gone. */
  error(): NodeJS.ErrnoException | undefined;
}

/** How the system is asked to write: `fs.write`, or a stand-in for tests. Resolves with the bytes taken. */
export type WriteSome = (fd: number, bytes: Uint8Array) => Promise<number>;

const CHUNK_BYTES = 64 * 1024;
/** A full non-blocking pipe is asked again after this, doubled up to the second value. */
const RETRY_MS = [1, 32] as const;

/** A writer on `fd`. `onError` is called once, at the first error. Nothing is closed. */
export function openFdWriter(
  fd: number,
  onError: (error: NodeJS.ErrnoException) => void = () => undefined,
  writeSome: WriteSome = writeWithFs,
): FdWriter {
  const queue: Uint8Array[] = [];
  let pending = 0;
  let failure: NodeJS.ErrnoException | undefined;
  let running: Promise<void> | undefined;

  const drain = async () => {
    for (let next = queue[0]; next !== undefined && failure === undefined; next = queue[0]) {
      try {
        await writeAll(fd, next, writeSome);
      } catch (error) {
        failure = asErrno(error);
        queue.length = 0;
        pending = 0;
        onError(failure);
        return;
      }
      queue.shift();
      pending -= next.length;
    }
  };

  return {
    write(data) {
      if (failure !== undefined || data.length === 0) return;
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
      queue.push(bytes);
      pending += bytes.length;
      running ??= drain().finally(() => {
        running = undefined;
      });
    },
    async flush() {
      while (running !== undefined) await running;
    },
    pendingBytes: () => pending,
    error: () => failure,
  };
}

async function writeAll(fd: number, bytes: Uint8Array, writeSome: WriteSome): Promise<void> {
  let done = 0;
  let retryMs: number = RETRY_MS[0];
  while (done < bytes.length) {
    try {
      done += await writeSome(fd, bytes.subarray(done, done + CHUNK_BYTES));
      retryMs = RETRY_MS[0];
    } catch (error) {
      const { code } = asErrno(error);
      if (code === 'EINTR') continue;
      if (code !== 'EAGAIN') throw error;
      await wait(retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MS[1]);
    }
  }
}

function writeWithFs(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written);
      else reject(error);
    });
  });
}

function asErrno(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}
