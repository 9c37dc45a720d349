import { expect, test } from 'bun:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { runTask, startRealServers, WAYS } from './token-task.ts';

test('527 real tools: a small first request unless direct, and the same effects in every way', async () => {
  await using real = await startRealServers();
  const runs = [];
  for (const way of WAYS) runs.push(await runTask(real, way, 5));
  const [direct, ...others] = runs;
  const first = runs.map(({ bodies }) => countTokens(JSON.stringify(bodies[0])));
  expect(runs.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
  expect(direct?.effects).toHaveLength(5);
  for (const { effects } of others) expect(effects).toEqual(direct?.effects ?? []);
  expect(first[0]).toBeGreaterThan(50_000);
  expect(Math.max(...first.slice(1))).toBeLessThanOrEqual(6_000);
}, 60_000);
