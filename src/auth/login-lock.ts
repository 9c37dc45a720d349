/** One at a time per login: within this process by a queue, across processes by a lock file that names its holder. */
import { join } from 'node:path';
import { anySignal, raceAbort, startLimit } from '../base/abort.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { AppError, FailedError, LimitError } from '../base/errors.ts';
import { takeLock } from '../base/file-lock.ts';
import { systemFiles } from '../base/file-ops.ts';
import { fileReason } from '../base/files.ts';
import { sha256Hex } from '../base/hash.ts';
import { makeLoginFolder } from './login-folder.ts';

export type RunAlone = <T>(key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

const WAIT_MS = 25_000;
/** Each look comes after 20 to 60 ms: several that wait do not look at the same time. */
const LOOK_MS = 20;
const JITTER_MS = 40;

/**
 * Waits at most 25 s, then rejects with LimitError that names the holder. `folder` undefined: this process alone.
 * A holder that is gone is taken over at once. The signal ends the wait, never the work.
 */
export function createRunAlone(folder: string | undefined, clock: Clock): RunAlone {
  /** The last in line of each key. */
  const lines = new Map<string, Promise<void>>();
  return async (key, signal, work) => {
    let holder: number | undefined = process.pid;
    const limit = startLimit(clock, WAIT_MS, () => waitedTooLong(key, holder));
    const stop = anySignal(signal, limit.signal);
    const before = lines.get(key) ?? Promise.resolve();
    const turn = Promise.withResolvers<void>();
    const line = before.then(() => turn.promise);
    lines.set(key, line);
    try {
      await raceAbort(before, stop);
      const release = await takeWhenFree(folder, key, clock, stop, (pid) => {
        holder = pid;
      });
      limit.dispose();
      try {
        return await work();
      } finally {
        release();
      }
    } finally {
      limit.dispose();
      turn.resolve();
      if (lines.get(key) === line) lines.delete(key);
    }
  };
}

async function takeWhenFree(
  folder: string | undefined,
  key: string,
  clock: Clock,
  stop: AbortSignal,
  onHeld: (pid: number | undefined) => void,
): Promise<() => void> {
  if (folder === undefined) return () => undefined;
  const path = join(folder, `${sha256Hex(key)}.lock`);
  for (;;) {
    stop.throwIfAborted();
    const lock = attempt(path, () => {
      makeLoginFolder(folder);
      return takeLock(path, systemFiles, () => clock.date().getTime());
    });
    if (lock.kind === 'held') return lock.release;
    onHeld(lock.pid);
    await sleep(clock, LOOK_MS + Math.random() * JITTER_MS, stop);
  }
}

function waitedTooLong(key: string, pid: number | undefined): LimitError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new LimitError(`the login for ${key} has been held by ${who} for 25 s`, {
    hint: 'try again when it is done, or end it',
    retryable: true,
    details: { limit: 'login wait', waitMs: WAIT_MS, ...(pid === undefined ? {} : { pid }) },
  });
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new FailedError(`${path}: ${fileReason(error)}`, { cause: error });
  }
}
