/** Time as a port: real in the binary, driven by hand in tests. */

export interface Timer {
  /** Stops the timer; calling it again does nothing. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds from a fixed but unspecified start; never goes back. */
  now(): number;
  /** Wall-clock time, for records. */
  date(): Date;
  /** Runs `action` once after `delayMs`. The timer keeps the process alive until it fires or is cancelled. */
  after(delayMs: number, action: () => void): Timer;
}

/** `setTimeout` fires at once beyond this many milliseconds, so longer waits are cut to it (24.8 days). */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(delayMs, action) {
    const id = setTimeout(action, Math.min(Math.max(0, delayMs), MAX_TIMER_MS));
    return { cancel: () => clearTimeout(id) };
  },
};

/** Waits `delayMs`; rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
