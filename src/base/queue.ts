/** Work one at a time, in the order of asking. */
import { raceAbort } from './abort.ts';

export interface Queue {
  /**
   * Runs `work` once all before it has ended, whatever its outcome. Rejects with the signal's reason
   * when it aborts first; work whose signal aborts while it waits is never started.
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work, signal) {
      const turn = last.then(() => {
        signal.throwIfAborted();
        return work();
      });
      last = turn.catch(() => undefined);
      return raceAbort(turn, signal);
    },
  };
}
