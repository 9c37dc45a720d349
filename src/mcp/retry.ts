/** What may be tried again, and how often: connects and lists freely, calls only when provably unsent. */
import { CONNECT_DELAYS_MS, withRetries } from '../base/backoff.ts';
import { AppError, ConnectError, toAppError } from '../base/errors.ts';
import type { ConnectionPorts } from './ports.ts';
import type { ServerStatus } from './types.ts';

export interface RetryRules {
  readonly name: string;
  readonly ports: ConnectionPorts;
  readonly signal: AbortSignal;
  readonly isWorthIt: (error: unknown) => boolean;
}

/** Two more attempts, after 250 ms and 1 s or what Retry-After asks, where `isWorthIt` says so. */
export function retryConnecting<T>(rules: RetryRules, work: () => Promise<T>): Promise<T> {
  const { name, ports, signal, isWorthIt } = rules;
  const plan = {
    clock: ports.clock,
    signal,
    delaysMs: CONNECT_DELAYS_MS,
    shouldRetry: (error: unknown) =>
      isWorthIt(error)
        ? ({ retry: true, atLeastMs: retryAfterMs(error) } as const)
        : ({ retry: false } as const),
    onRetry: (error: unknown, delayMs: number) =>
      ports.log('debug', `${name}: again in ${delayMs} ms: ${toAppError(error).message}`),
  };
  return withRetries(plan, work);
}

export function isRetryable(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}

/** Only what provably never reached the server may be sent again. */
export function isUnsent(error: unknown): boolean {
  return isRetryable(error) && error instanceof AppError && error.details['sent'] === false;
}

/** For a server that never became ready: not for want of a login, nor after a fault of ours. */
export function isWorthSecondTry({ state, error, readyMs }: ServerStatus): boolean {
  if (state !== 'failed' || readyMs !== undefined) return false;
  return error instanceof ConnectError || isRetryable(error);
}

function retryAfterMs(error: unknown): number {
  const asked = error instanceof AppError ? error.details['retryAfterMs'] : undefined;
  return typeof asked === 'number' ? asked : 0;
}
