import { expect, test } from 'bun:test';
import { createQueue } from '../../src/base/queue.ts';

const never = new AbortController().signal;

test('runs one after the other, also after a failure', async () => {
  const queue = createQueue();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    log.push('first starts');
    await gate.promise;
    log.push('first ends');
    throw new Error('broken');
  }, never);
  const second = queue.run(async () => log.push('second'), never);
  gate.resolve();
  await expect(first).rejects.toThrow('broken');
  await second;
  expect(log).toEqual(['first starts', 'first ends', 'second']);
});

test('work whose signal aborts while it waits is never started', async () => {
  const queue = createQueue();
  const gate = Promise.withResolvers<void>();
  const control = new AbortController();
  let isStarted = false;
  const first = queue.run(() => gate.promise, never);
  const second = queue.run(async () => {
    isStarted = true;
  }, control.signal);
  control.abort(new Error('withdrawn'));
  await expect(second).rejects.toThrow('withdrawn');
  gate.resolve();
  await first;
  await queue.run(async () => undefined, never);
  expect(isStarted).toBe(false);
});
