/** Bounded retries with jitter. What may be tried again is the caller's word. */
import { type Clock, sleep } from './clock.ts';

/** Waits before the second and the third attempt of a connect or a list. */
export const CONNECT_DELAYS_MS: readonly number[] = [250, 1000];
/** A server may ask for a longer pause; beyond this it is not obeyed but the attempt given up. */
export const MAX_RETRY_AFTER_MS = 30_000;

export interface RetryPlan {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** One more attempt follows each of these waits. */
  readonly delaysMs: readonly number[];
  /** Whether to try again after `error`, and the shortest wait the peer asked for. */
  readonly shouldRetry: (
    error: unknown,
  ) => { readonly retry: false } | { readonly retry: true; readonly atLeastMs: number };
  readonly onRetry?: (error: unknown, delayMs: number) => void;
}

/**
 * Runs `work` until it resolves, is not worth a retry, the waits are used up, or the signal aborts a wait.
 * Rejects with the last error of `work` in all these cases: it tells more than that time ran out.
 */
export async function withRetries<T>(plan: RetryPlan, work: () => Promise<T>): Promise<T> {
  for (const delayMs of plan.delaysMs) {
    try {
      return await work();
    } catch (error) {
      if (plan.signal.aborted) throw error;
      const verdict = plan.shouldRetry(error);
      if (!verdict.retry || verdict.atLeastMs > MAX_RETRY_AFTER_MS) throw error;
      const waitMs = Math.max(delayMs, verdict.atLeastMs);
      plan.onRetry?.(error, waitMs);
      await sleep(plan.clock, waitMs, plan.signal).catch(() => {
        throw error;
      });
    }
  }
  return work();
}

/** `Retry-After` in milliseconds: seconds or a date; `undefined` when absent or unreadable. */
export function parseRetryAfter(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  // Without a letter it is no HTTP date, though `Date.parse` may find one in it.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
