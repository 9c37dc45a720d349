/** All calls of one turn: permission asked in their order, the allowed ones run together. */
import { createPool } from '../base/pool.ts';
import type { RegistrySnapshot } from '../tools/types.ts';
import type { Executor } from './execute.ts';
import type { TimedOutcome, ToolCall } from './types.ts';

/** More calls at once than any server answers well. */
const MAX_PARALLEL = 32;

/**
 * Outcomes in the order of the calls. A call starts as soon as it is allowed, at most 32 run at once; an abort
 * gives `cancelled` for those that were not sent. Rejects with InternalError only, after all have ended.
 */
export async function executeBatch(
  executor: Executor,
  calls: readonly ToolCall[],
  snapshot: RegistrySnapshot,
  signal: AbortSignal,
): Promise<readonly TimedOutcome[]> {
  const pool = createPool(MAX_PARALLEL);
  // Places are given back in every case, so waiting for one needs no signal of its own.
  const never = new AbortController().signal;
  const running: Promise<TimedOutcome>[] = [];
  for (const call of calls) {
    // The next question waits for this one's answer, also where it ends in an error (reported below).
    const admission = executor.admit(call, snapshot, signal);
    const work = admission.then(async (admitted) => {
      if (admitted.kind === 'over') return admitted.outcome;
      const release = await pool.take(never);
      return admitted.send().finally(release);
    });
    work.catch(() => undefined);
    running.push(work);
    await admission.catch(() => undefined);
  }
  await Promise.allSettled(running);
  return Promise.all(running);
}
