/** Which URL elicitations servers said to be complete, and who waits for that. */
import { raceAbort } from '../../base/abort.ts';
import type { JsonObject } from '../../base/json.ts';

export interface Completions {
  /** Takes the parameters of `notifications/elicitation/complete`. Unknown ids are kept: it may come early. */
  complete(server: string, params: JsonObject): void;
  /** True when the server has said so already; it is told once. */
  takeEarly(server: string, id: string): boolean;
  /** Resolves when the server has said so, also before. Rejects only with the signal's reason. */
  wait(server: string, id: string, signal: AbortSignal): Promise<void>;
}

/** The oldest are forgotten: nobody waited for them. */
const MAX_EARLY = 1000;

export function createCompletions(): Completions {
  const early = new Set<string>();
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  return {
    complete(server, params) {
      const id = params['elicitationId'];
      if (typeof id !== 'string') return;
      const key = keyOf(server, id);
      const waiter = waiting.get(key);
      if (waiter !== undefined) return waiter.resolve();
      early.add(key);
      for (const oldest of early) {
        if (early.size <= MAX_EARLY) break;
        early.delete(oldest);
      }
    },
    takeEarly: (server, id) => early.delete(keyOf(server, id)),
    async wait(server, id, signal) {
      const key = keyOf(server, id);
      if (early.delete(key)) return;
      const waiter = waiting.get(key) ?? Promise.withResolvers<void>();
      waiting.set(key, waiter);
      try {
        await raceAbort(waiter.promise, signal);
      } finally {
        waiting.delete(key);
      }
    },
  };
}

function keyOf(server: string, id: string): string {
  return `${server}\0${id}`;
}
