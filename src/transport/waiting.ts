/** Requests that are out on a way which all of them share, so that the sole one hears of every byte. */
import type { SendOptions } from './types.ts';

export interface WaitingHooks {
  readonly onAnswer?: () => void;
  /** Its signal aborted: whoever sent it waits no longer. */
  readonly onGiveUp?: () => void;
}

interface Waiter {
  readonly options: SendOptions;
  readonly hooks: WaitingHooks;
  readonly forget: () => void;
}

export class Waiting {
  readonly #waiters = new Map<number, Waiter>();

  get size(): number {
    return this.#waiters.size;
  }

  /** Remembers a request until it is answered, given up or forgotten. */
  add(id: number, options: SendOptions, hooks: WaitingHooks = {}): void {
    const { signal } = options;
    const onAbort = () => {
      forget();
      hooks.onGiveUp?.();
    };
    const forget = () => {
      signal.removeEventListener('abort', onAbort);
      this.#waiters.delete(id);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiters.set(id, { options, hooks, forget });
  }

  answered(id: number): void {
    const waiter = this.#waiters.get(id);
    waiter?.forget();
    waiter?.hooks.onAnswer?.();
  }

  forget(id: number): void {
    this.#waiters.get(id)?.forget();
  }

  /** Bytes came. With several requests out nobody knows whose they are, and a hung one must not live by them. */
  touch(): void {
    if (this.#waiters.size !== 1) return;
    for (const waiter of this.#waiters.values()) waiter.options.onActivity?.();
  }

  clear(): void {
    for (const waiter of [...this.#waiters.values()]) waiter.forget();
  }
}
