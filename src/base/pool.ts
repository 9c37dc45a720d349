/** A count of places, taken in the order of asking. */

export interface Pool {
  /**
   * Waits for a place; the returned function gives it back, once. Rejects with the signal's reason when
   * that aborts first.
   */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createPool(places: number): Pool {
  let free = places;
  const waiting: (() => void)[] = [];

  const release = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const releaseOnce = () => {
    let isHeld = true;
    return () => {
      if (isHeld) release();
      isHeld = false;
    };
  };

  return {
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(releaseOnce());
      }
      return new Promise((resolve, reject) => {
        const onTurn = () => {
          signal.removeEventListener('abort', onAbort);
          resolve(releaseOnce());
        };
        const onAbort = () => {
          waiting.splice(waiting.indexOf(onTurn), 1);
          reject(signal.reason);
        };
        waiting.push(onTurn);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
