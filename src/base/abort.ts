/** Deadlines and pausable limits on top of AbortSignal. Every wait in usher has one. */
import type { Clock, Timer } from './clock.ts';

export interface Limit {
  readonly signal: AbortSignal;
  /** Starts the full time again, as when a peer shows life. */
  reset(): void;
  /** Holds the clock, as while a person is asked. Pauses nest. */
  pause(): void;
  resume(): void;
  /** Ends the limit without firing. Idempotent. */
  dispose(): void;
}

/**
 * A limit of `limitMs` that aborts its signal with `reason()` when it runs out.
 * `Infinity` or 0 means no limit. The owner calls `dispose`.
 */
export function startLimit(clock: Clock, limitMs: number, reason: () => Error): Limit {
  const controller = new AbortController();
  const unlimited = limitMs === 0 || !Number.isFinite(limitMs);
  let remainingMs = limitMs;
  let startedAt = clock.now();
  let pauses = 0;
  let done = unlimited;
  let timer: Timer | undefined;

  const fire = () => {
    if (done) return;
    done = true;
    controller.abort(reason());
  };
  const start = () => {
    startedAt = clock.now();
    timer = clock.after(remainingMs, fire);
  };
  if (!done) start();

  return {
    signal: controller.signal,
    reset() {
      remainingMs = limitMs;
      if (done || pauses > 0) return;
      timer?.cancel();
      start();
    },
    pause() {
      pauses += 1;
      if (done || pauses > 1) return;
      timer?.cancel();
      remainingMs = Math.max(0, remainingMs - (clock.now() - startedAt));
    },
    resume() {
      if (pauses === 0) return;
      pauses -= 1;
      if (done || pauses > 0) return;
      start();
    },
    dispose() {
      done = true;
      timer?.cancel();
    },
  };
}

/** One signal that aborts when any of the given ones does; `undefined` entries are skipped. */
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal {
  const present = signals.filter((signal) => signal !== undefined);
  const [only] = present;
  return present.length === 1 && only !== undefined ? only : AbortSignal.any(present);
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts. `work` itself is not stopped. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
