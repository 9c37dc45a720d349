import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { type Behaviour, type Json, type ScriptedTool, tool } from '../fixtures/servers/script.ts';
import { stdioServer } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const any = { type: 'object', properties: {} };
/** Works for more than two idle limits and shows life far more often than once in one. */
const LIVELY: Behaviour = { afterMs: 2400, progressEveryMs: 200 };
const DONE = { content: [{ type: 'text', text: 'all done' }] };

function tools(does: Behaviour): readonly ScriptedTool[] {
  return [tool('slow', 'Takes its time.', any, { does: { ...does, result: DONE } })];
}

async function callSlow(server: object) {
  return runScripted({ servers: [server], steps: callThenAnswer(['s1_slow', {}]) });
}

function tokenOf(parameters: unknown): unknown {
  const asked: { readonly _meta?: Json } = Object(parameters);
  return asked._meta?.['progressToken'];
}

test('progress keeps a call over stdio alive past its idle limit', async () => {
  const log = `${newFolder()}/log`;
  const timeout = { idle: '1s' };
  const run = await callSlow(stdioServer('s1', { log, tools: tools(LIVELY) }, { timeout }));
  expect([run.code, run.stdout]).toEqual([0, 'all done\n']);
  expect(run.ms).toBeGreaterThan(2400);
  const messages = (await Bun.file(log).text()).trim().split('\n');
  const calls = messages.map((line) => JSON.parse(line)).filter((one) => isCall(one));
  expect(calls).toHaveLength(1);
  expect(tokenOf(calls[0]?.params)).toBeDefined();
});

test('progress keeps a call over HTTP alive past its idle limit', async () => {
  await using server = await startMcpServer({ replyAs: 'sse', tools: tools(LIVELY) });
  const run = await callSlow({ name: 's1', url: server.url, timeout: { idle: '1s' } });
  expect([run.code, run.stdout]).toEqual([0, 'all done\n']);
  expect(run.ms).toBeGreaterThan(2400);
  expect(server.calls()).toHaveLength(1);
  expect(tokenOf(server.calls()[0])).toBeDefined();
});

test.each([
  ['idle', { idle: '500ms', max: '10s' }, { never: true }],
  ['max', { idle: '10s', max: '1s' }, { afterMs: 5000, progressEveryMs: 100 }],
] as const)('the limit that ends a call is told: %s', async (limit, timeout, does) => {
  await using web = await startMcpServer({ replyAs: 'sse', tools: tools(does) });
  const servers = [
    stdioServer('s1', { tools: tools(does) }, { timeout }),
    { name: 's1', url: web.url, timeout },
  ];
  const runs = await Promise.all(servers.map(callSlow));
  const other = limit === 'idle' ? 'max' : 'idle';
  for (const run of runs) {
    // Sent and never answered: an exit code of its own.
    expect(run.code).toBe(9);
    expect(run.stdout).toContain(limit === 'idle' ? 'no sign of life' : 'still running');
    expect(run.stdout).toContain(`timeout.${limit}`);
    expect(run.stdout).not.toContain(`timeout.${other}`);
    expect(run.ms).toBeLessThan(4500);
  }
});

function isCall(message: Json): boolean {
  return message['method'] === 'tools/call';
}
