/** Work that several callers wait for at once. */
import { raceAbort } from './abort.ts';

export interface SharedWork<T> {
  /** False: it has settled, or everybody gave up. Who comes later starts anew. */
  readonly isOpen: boolean;
  /** Resolves when the work has settled, however. */
  readonly settled: Promise<void>;
  /** Its outcome; rejects with the reason of `signal` when that aborts first. */
  join(signal: AbortSignal): Promise<T>;
}

/** Starts `work`. Its signal aborts when the last of those who joined has given up, with that one's reason. */
export function shareWork<T>(work: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
  const stop = new AbortController();
  let waiting = 0;
  let isSettled = false;
  const promise = work(stop.signal).finally(() => {
    isSettled = true;
  });
  return {
    get isOpen() {
      return !isSettled && !stop.signal.aborted;
    },
    settled: promise.then(
      () => undefined,
      () => undefined,
    ),
    async join(signal) {
      waiting += 1;
      try {
        return await raceAbort(promise, signal);
      } finally {
        waiting -= 1;
        if (waiting === 0 && !isSettled) stop.abort(signal.reason);
      }
    },
  };
}
