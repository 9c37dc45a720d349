/** Asks again after a failure that may pass: bounded, jittered, and as late as the provider wants. */
import { type Clock, sleep } from '../base/clock.ts';
import { ProviderError } from '../base/errors.ts';
import { IDLE_CLOCK } from './exchange-errors.ts';
import { askedWaitMs } from './failure.ts';
import type { ModelListener } from './types.ts';

/** From 0 (included) to 1 (excluded). */
export type Random = () => number;

export interface ModelRetryPlan {
  readonly clock: Clock;
  readonly random: Random;
  readonly listener: ModelListener;
  readonly signal: AbortSignal;
}

/** Tries in all. */
export const MAX_TRIES = 4;
/** A stalled reply has already cost its idle limit; once more is enough. */
const MAX_TRIES_AFTER_STALL = 2;
/** Half to all of 0.5, 1, 2 s. */
const FIRST_WAIT_MS = 500;
/** The longest wait a provider may ask for; beyond it the request is given up at once. */
export const MAX_ASKED_WAIT_MS = 60_000;

/**
 * Runs `attempt` until it resolves, its error is not worth another try, or the tries are used up; then
 * its error. Each attempt gets a listener of its own, so that text it showed can be taken back.
 */
export async function withModelRetries<T>(
  plan: ModelRetryPlan,
  attempt: (listener: Pick<ModelListener, 'onText'>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    let hasShown = false;
    try {
      return await attempt({
        onText(delta) {
          hasShown = true;
          plan.listener.onText(delta);
        },
      });
    } catch (error) {
      plan.signal.throwIfAborted();
      const waitMs = waitBeforeRetry(error, tries, plan.random);
      if (waitMs === undefined) throw withTries(error, tries);
      const reason = error instanceof Error ? error.message : String(error);
      const seconds = (waitMs / 1000).toFixed(1);
      if (hasShown) plan.listener.onReset(reason);
      plan.listener.onRetry(`${reason}; try ${tries + 1} of ${maxTries(error)} in ${seconds} s`);
      await sleep(plan.clock, waitMs, plan.signal);
    }
  }
}

/** The wait before the next try; undefined when there is none. */
function waitBeforeRetry(error: unknown, tries: number, random: Random): number | undefined {
  if (!(error instanceof ProviderError) || !error.retryable || tries >= maxTries(error)) {
    return undefined;
  }
  const asked = askedWaitMs(error);
  if (asked === undefined) return backoffMs(tries, random);
  if (asked > MAX_ASKED_WAIT_MS) return undefined;
  return asked + random() * FIRST_WAIT_MS;
}

function maxTries(error: unknown): number {
  const isStall = error instanceof ProviderError && error.details['limit'] === IDLE_CLOCK;
  return isStall ? MAX_TRIES_AFTER_STALL : MAX_TRIES;
}

function backoffMs(tries: number, random: Random): number {
  const fullMs = FIRST_WAIT_MS * 2 ** (tries - 1);
  return fullMs / 2 + random() * (fullMs / 2);
}

/** Says why no more is tried, in the provider's own error. */
function withTries(error: unknown, tries: number): unknown {
  if (!(error instanceof ProviderError)) return error;
  const asked = askedWaitMs(error);
  const isTooLong = asked !== undefined && asked > MAX_ASKED_WAIT_MS;
  if (tries === 1 && !isTooLong) return error;
  const note = isTooLong
    ? `it asks to wait ${Math.ceil((asked ?? 0) / 1000)} s, more than ${MAX_ASKED_WAIT_MS / 1000} s`
    : `after ${tries} tries`;
  return new ProviderError(`${error.message} (${note})`, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    details: error.details,
    retryable: error.retryable,
    cause: error,
  });
}
