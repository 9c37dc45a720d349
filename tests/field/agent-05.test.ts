import { describe, expect, test } from 'bun:test';
import type { ScriptStep } from '../fixtures/models/types.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runScripted } from '../helpers/scripted-run.ts';

const answer: ScriptStep = { text: 'at last' };
const busy = (more: ScriptStep): ScriptStep => ({ status: 429, message: 'slow down', ...more });

describe('a provider that asks for patience', () => {
  test.concurrent('gets the time it named, each time', async () => {
    const wait = busy({ headers: { 'retry-after': '1' } });
    const run = await runScripted({ steps: [wait, wait, answer] });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'at last']);
    const times = run.requests.map((request) => request.at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps.map((gap) => gap >= 990)).toEqual([true, true]);
    expect(run.stderr).toMatch(/429|slow down|retry/i);
  }, 15_000);

  test.concurrent('may name a date', async () => {
    const run = await runScripted({ steps: [busy({ retryAfterDateSeconds: 2 }), answer] });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'at last']);
    const [first, second] = run.requests.map((request) => request.at);
    // A date has whole seconds: up to one is lost in rounding.
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(950);
  }, 15_000);

  test.concurrent('for a day is not waited for', async () => {
    const run = await runScripted({
      steps: { steps: [busy({ headers: { 'retry-after': '86400' } })], after: 'repeat' },
    });
    expect([run.code, run.stdout]).toEqual([8, '']);
    expect(run.stderr).toContain('slow down');
    expect(run.ms).toBeLessThan(15_000);
  }, 20_000);

  test.concurrent('without end is given up with its own words', async () => {
    const run = await runScripted({
      steps: { steps: [busy({ message: 'monthly limit reached' })], after: 'repeat' },
      timeoutMs: 30_000,
    });
    expect([run.code, run.stdout]).toEqual([8, '']);
    expect(run.stderr).toContain('monthly limit reached');
    expect(run.requests.length).toBeLessThanOrEqual(8);
  }, 40_000);
});

test.concurrent('server errors are tried again', async () => {
  const runs = await Promise.all(
    [500, 502, 503, 529].map(async (status) => {
      const run = await runScripted({ steps: [{ status, message: 'for a moment' }, answer] });
      return [status, run.code, run.stdout.trim(), run.requests.length];
    }),
  );
  expect(runs).toEqual([500, 502, 503, 529].map((status) => [status, 0, 'at last', 2]));
}, 20_000);

test.concurrent.each([400, 401, 403, 404, 422])('status %p is final', async (status) => {
  const run = await runScripted({ steps: [{ status, message: 'that is wrong' }, answer] });
  expect([run.code, run.stdout, run.requests.length]).toEqual([8, '', 1]);
  expect(run.stderr).toContain('that is wrong');
});

test.concurrent('an overload told inside the stream is tried again', async () => {
  const error = { type: 'rate_limit_error', code: 429, message: 'too many requests' };
  const run = await runScripted({ steps: [{ text: 'half an', errorEvent: error }, answer] });
  expect([run.code, run.stdout.trim(), run.requests.length]).toEqual([0, 'at last', 2]);
}, 15_000);

test.concurrent('tools that have run are not run again', async () => {
  await using server = await startMcpServer();
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [
      { toolCalls: [{ name: 's1_echo', arguments: '{"text":"once"}' }] },
      busy({}),
      { text: '{{result}}' },
    ],
  });
  expect([run.code, run.stdout.trim(), server.calls().length]).toEqual([0, '{"text":"once"}', 1]);
}, 15_000);
