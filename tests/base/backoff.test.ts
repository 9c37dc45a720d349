import { describe, expect, test } from 'bun:test';
import { parseRetryAfter, withRetries } from '../../src/base/backoff.ts';
import type { Clock } from '../../src/base/clock.ts';

/** Fails as often as told; records the waits, which take no time. */
async function attempts(failures: number, atLeastMs = 0, retry = true) {
  const waits: number[] = [];
  let runs = 0;
  const clock: Clock = {
    now: () => 0,
    date: () => new Date(0),
    after(delayMs, action) {
      waits.push(delayMs);
      queueMicrotask(action);
      return { cancel: () => undefined };
    },
  };
  const plan = {
    clock,
    signal: new AbortController().signal,
    delaysMs: [250, 1000],
    shouldRetry: () => (retry ? ({ retry, atLeastMs } as const) : ({ retry } as const)),
  };
  const outcome = await withRetries(plan, async () => {
    runs += 1;
    if (runs <= failures) throw new Error(`failure ${runs}`);
    return 'done';
  }).catch((error: unknown) => String(error));
  return { outcome, runs, waits };
}

describe('withRetries', () => {
  test('waits 250 ms, then 1 s, then gives up with the last error', async () => {
    expect(await attempts(0)).toEqual({ outcome: 'done', runs: 1, waits: [] });
    expect(await attempts(2)).toEqual({ outcome: 'done', runs: 3, waits: [250, 1000] });
    expect(await attempts(3)).toEqual({ outcome: 'Error: failure 3', runs: 3, waits: [250, 1000] });
  });

  test('obeys a longer wait up to 30 s, and gives up beyond', async () => {
    expect((await attempts(1, 30_000)).waits).toEqual([30_000]);
    expect(await attempts(1, 30_001)).toEqual({ outcome: 'Error: failure 1', runs: 1, waits: [] });
  });

  test('gives the last error when a wait is aborted', async () => {
    const control = new AbortController();
    const plan = {
      clock: { now: () => 0, date: () => new Date(0), after: () => ({ cancel: () => undefined }) },
      signal: control.signal,
      delaysMs: [250],
      shouldRetry: () => ({ retry: true, atLeastMs: 0 }) as const,
      onRetry: () => queueMicrotask(() => control.abort(new Error('time is up'))),
    };
    const work = () => Promise.reject(new Error('server is busy'));
    await expect(withRetries(plan, work)).rejects.toThrow('server is busy');
  });

  test('stops where a retry is not worth it', async () => {
    expect((await attempts(1, 0, false)).runs).toBe(1);
  });
});

describe('parseRetryAfter', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  test.each([
    [null, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-3', undefined],
    ['7', 7000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ])('reads %j as %j', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected as never);
  });
});
