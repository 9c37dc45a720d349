import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { runScripted } from '../helpers/scripted-run.ts';

const call = (name: string, args: object) => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
});

test('equal calls are noticed and end the run long before the turns do', async () => {
  await using server = await startMcpServer();
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: { steps: [call('s1_echo', { text: 'same' })], after: 'repeat' },
  });
  expect([run.code, run.stdout]).toEqual([7, '']);
  expect(server.calls().length).toBeLessThanOrEqual(6);
  expect(run.stderr).toMatch(/same|repeat/i);
});

test('changing calls end after 50 turns and room for an answer, or at --max-turns', async () => {
  await using server = await startMcpServer();
  const servers = [{ name: 's1', url: server.url }];
  const steps = Array.from({ length: 60 }, (_, n) => call('s1_echo', { text: `n${n}` }));
  const [usual, short] = await Promise.all([
    runScripted({ servers, steps }),
    runScripted({ servers, steps, flags: ['--max-turns', '3'] }),
  ]);
  expect([usual.code, usual.requests.length, usual.stdout]).toEqual([7, 51, '']);
  expect([short.code, short.requests.length, short.stdout]).toEqual([7, 3, '']);
  expect(short.stderr).toContain('--max-turns');
}, 20_000);

test('unknown tools again and again end the run', async () => {
  const steps = Array.from({ length: 60 }, (_, n) => call(`made_up_${n}`, {}));
  const run = await runScripted({ steps, flags: ['--max-turns', '12'] });
  expect([run.code, run.stdout]).toEqual([7, '']);
  expect(run.requests.length).toBeLessThanOrEqual(12);
});

test('an empty reply is no answer', async () => {
  const run = await runScripted({ steps: { steps: [{ text: '' }], after: 'repeat' } });
  expect(run.stdout.trim()).toBe('');
  expect(run.code).toBe(8);
  expect(run.stderr).toMatch(/empty/i);
});
