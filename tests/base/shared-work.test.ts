import { expect, test } from 'bun:test';
import { shareWork } from '../../src/base/shared-work.ts';

function gate() {
  return Promise.withResolvers<string>();
}

test('who gives up gets its own reason at once, the others get the outcome', async () => {
  const { promise, resolve } = gate();
  const stops: AbortSignal[] = [];
  const shared = shareWork((signal) => {
    stops.push(signal);
    return promise;
  });
  const impatient = new AbortController();
  const first = shared.join(impatient.signal);
  const second = shared.join(new AbortController().signal);
  impatient.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  expect([shared.isOpen, stops.map(({ aborted }) => aborted)]).toEqual([true, [false]]);
  resolve('done');
  expect(await second).toBe('done');
  expect([shared.isOpen, stops.map(({ aborted }) => aborted)]).toEqual([false, [false]]);
});

test('when everybody has given up the work is told so, with the last reason', async () => {
  const { promise, resolve } = gate();
  const stops: AbortSignal[] = [];
  const shared = shareWork((signal) => {
    stops.push(signal);
    return promise;
  });
  const callers = [new AbortController(), new AbortController()];
  const waits = callers.map(({ signal }) => shared.join(signal));
  for (const [index, caller] of callers.entries()) caller.abort(new Error(`reason ${index}`));
  const ends = await Promise.allSettled(waits);
  expect(ends.map((end) => end.status)).toEqual(['rejected', 'rejected']);
  expect([shared.isOpen, stops.map(({ reason }) => String(reason))]).toEqual([
    false,
    ['Error: reason 1'],
  ]);
  resolve('unheard');
  await shared.settled;
});

test('work that fails fails for all, and settles', async () => {
  const { promise, reject } = gate();
  const shared = shareWork(() => promise);
  const waits = [1, 2].map(() => shared.join(new AbortController().signal));
  reject(new Error('broken'));
  const ends = await Promise.allSettled(waits);
  expect(ends.map((end) => end.status === 'rejected' && String(end.reason))).toEqual([
    'Error: broken',
    'Error: broken',
  ]);
  await shared.settled;
  expect(shared.isOpen).toBe(false);
});
