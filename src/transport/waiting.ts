/** Requests that are out on a way which all of them share, so that the sole one hears of every byte. */
import type { SendOptions } from './types.ts';

interface Waiter {
  readonly onActivity: (() => void) | undefined;
  readonly onAnswer: (() => void) | undefined;
  readonly forget: () => void;
}

export class Waiting {
  readonly #waiters = new Map<number, Waiter>();

  get size(): number {
    return this.#waiters.size;
  }

  /** Remembers a request until it is answered, given up (its signal aborts) or forgotten. */
  add(id: number, options: SendOptions, onAnswer?: () => void): void {
    const { signal, onActivity } = options;
    const forget = () => {
      signal.removeEventListener('abort', forget);
      this.#waiters.delete(id);
    };
    signal.addEventListener('abort', forget, { once: true });
    this.#waiters.set(id, { onActivity, onAnswer, forget });
  }

  answered(id: number): void {
    const waiter = this.#waiters.get(id);
    waiter?.forget();
    waiter?.onAnswer?.();
  }

  forget(id: number): void {
    this.#waiters.get(id)?.forget();
  }

  /** Bytes came. With several requests out nobody knows whose they are, and a hung one must not live by them. */
  touch(): void {
    if (this.#waiters.size !== 1) return;
    for (const waiter of this.#waiters.values()) waiter.onActivity?.();
  }

  clear(): void {
    for (const waiter of [...this.#waiters.values()]) waiter.forget();
  }
}
