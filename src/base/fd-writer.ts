/**
 * Writes to a file descriptor in order, whole, without blocking the program on a slow pipe.
 * `process.stdout.write` followed by an exit loses what a pipe did not take yet (Bun 1.4.5), so
 * nothing of ours goes that way. Knows nothing of what is written.
 */
import { fstatSync, write, writeSync } from 'node:fs';

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

/** How the system is asked to write; both return the number of bytes taken. */
export interface FdPort {
  /** Must not block the program for long; used when nothing is queued. `undefined`: always queue. */
  readonly now: ((bytes: Uint8Array) => number) | undefined;
  readonly later: (bytes: Uint8Array) => Promise<number>;
}

const CHUNK_BYTES = 64 * 1024;
/** A full non-blocking pipe is asked again after the first, doubled up to the second. */
const RETRY_MS = [1, 32] as const;

/** A writer over `port`. `onError` is called once, at the first error. Nothing is closed. */
export function openFdWriter(
  port: FdPort,
  onError: (error: NodeJS.ErrnoException) => void = () => undefined,
): FdWriter {
  const queue: Uint8Array[] = [];
  let pending = 0;
  let failure: NodeJS.ErrnoException | undefined;
  let running: Promise<void> | undefined;

  const fail = (error: unknown) => {
    failure = asErrno(error);
    queue.length = 0;
    pending = 0;
    onError(failure);
  };
  const drain = async () => {
    for (let next = queue[0]; next !== undefined && failure === undefined; next = queue[0]) {
      try {
        await writeAll(next, port.later);
      } catch (error) {
        fail(error);
        return;
      }
      queue.shift();
      pending -= next.length;
    }
  };
  const enqueue = (bytes: Uint8Array) => {
    queue.push(bytes);
    pending += bytes.length;
    running ??= drain().finally(() => {
      running = undefined;
    });
  };

  return {
    write(data) {
      if (failure !== undefined || data.length === 0) return;
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
      if (port.now === undefined || queue.length > 0) {
        enqueue(bytes);
        return;
      }
      try {
        const rest = writeWhatFits(bytes, port.now);
        if (rest.length > 0) enqueue(rest);
      } catch (error) {
        fail(error);
      }
    },
    async flush() {
      while (running !== undefined) await running;
    },
    pendingBytes: () => pending,
    error: () => failure,
  };
}

/** A terminal or a file is written at once, which keeps two of them in order; a pipe from a worker thread. */
export function fdPort(fd: number): FdPort {
  return {
    now: isPipe(fd) ? undefined : (bytes) => writeSync(fd, bytes),
    later: (bytes) =>
      new Promise((resolve, reject) => {
        write(fd, bytes, 0, bytes.length, null, (error, written) => {
          if (error === null) resolve(written);
          else reject(error);
        });
      }),
  };
}

/** The rest that did not fit without waiting. */
function writeWhatFits(bytes: Uint8Array, now: (bytes: Uint8Array) => number): Uint8Array {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += now(bytes.subarray(done, done + CHUNK_BYTES));
    } catch (error) {
      const { code } = asErrno(error);
      if (code === 'EAGAIN') break;
      if (code !== 'EINTR') throw error;
    }
  }
  return bytes.subarray(done);
}

async function writeAll(bytes: Uint8Array, later: FdPort['later']): Promise<void> {
  let done = 0;
  let retryMs: number = RETRY_MS[0];
  while (done < bytes.length) {
    try {
      done += await later(bytes.subarray(done, done + CHUNK_BYTES));
      retryMs = RETRY_MS[0];
    } catch (error) {
      const { code } = asErrno(error);
      if (code === 'EINTR') continue;
      if (code !== 'EAGAIN') throw error;
      await Bun.sleep(retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MS[1]);
    }
  }
}

function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch (error) {
    // A closed descriptor: the first write says so.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function asErrno(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}
