import { expect, test } from 'bun:test';
import type { Clock } from '../../src/base/clock.ts';
import { FailedError, ProviderError } from '../../src/base/errors.ts';
import { withModelRetries } from '../../src/model/retry.ts';

/** Runs an attempt that always fails with `error`; waits pass at once and are written down. */
async function exhaust(error: Error, random: number, signal = new AbortController().signal) {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    date: () => new Date(0),
    after(delayMs, action) {
      waits.push(delayMs);
      queueMicrotask(action);
      return { cancel: () => undefined };
    },
  };
  const heard: string[] = [];
  const listener = {
    onText: (delta: string) => heard.push(`text ${delta}`),
    onReset: (reason: string) => heard.push(`reset ${reason}`),
    onRetry: (notice: string) => heard.push(`retry ${notice}`),
  };
  let tries = 0;
  const thrown = await withModelRetries(
    { clock, random: () => random, listener, signal },
    async (attempt) => {
      tries += 1;
      if (tries === 1) attempt.onText('shown');
      throw error;
    },
  ).catch((caught: unknown) => caught);
  return { thrown, tries, waits, heard };
}

const busy = (details = {}) => new ProviderError('busy', { retryable: true, details });

test('waits half to all of 0.5, 1 and 2 s, and then gives the error with the number of tries', async () => {
  const least = await exhaust(busy(), 0);
  const most = await exhaust(busy(), 1);
  expect([least.waits, most.waits]).toEqual([
    [250, 500, 1000],
    [500, 1000, 2000],
  ]);
  expect(least.thrown).toMatchObject({ message: 'busy (after 4 tries)', exit: 8 });
});

test('takes back only what was shown, and tells of each wait', async () => {
  const { heard } = await exhaust(busy(), 1);
  expect(heard).toEqual([
    'text shown',
    'reset busy',
    'retry busy; try 2 of 4 in 0.5 s',
    'retry busy; try 3 of 4 in 1.0 s',
    'retry busy; try 4 of 4 in 2.0 s',
  ]);
});

test('never waits less than the provider asked, up to a minute', async () => {
  expect((await exhaust(busy({ retryAfterMs: 60_000 }), 0)).waits).toEqual([
    60_000, 60_000, 60_000,
  ]);
  expect(await exhaust(busy({ retryAfterMs: 60_001 }), 0)).toMatchObject({ tries: 1, waits: [] });
});

test('tries once more after a stall, never after another limit or error', async () => {
  const late = (name: string, retryable: boolean) =>
    new ProviderError('late', { retryable, details: { limit: name } });
  expect((await exhaust(late('model.timeout.idle', true), 0)).tries).toBe(2);
  expect((await exhaust(late('model.timeout.firstByte', false), 0)).tries).toBe(1);
  expect((await exhaust(new FailedError('no', { retryable: true }), 0)).tries).toBe(1);
  expect((await exhaust(new ProviderError('no'), 0)).tries).toBe(1);
});

test('gives the reason of the signal instead of trying again', async () => {
  const reason = new Error('stopped');
  const { thrown, tries } = await exhaust(busy(), 0, AbortSignal.abort(reason));
  expect(thrown).toBe(reason);
  expect(tries).toBe(1);
});
