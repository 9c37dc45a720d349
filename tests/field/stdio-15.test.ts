import { afterEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ModelServer, startModelServer } from '../fixtures/models/server.ts';
import type { ScriptStep } from '../fixtures/models/types.ts';
import { tool } from '../fixtures/servers/script.ts';
import { scriptedModel, stdioCommand } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { isAlive } from '../helpers/processes.ts';
import { type PtySession, startPty } from '../helpers/pty.ts';

const family = resolve(import.meta.dir, '../fixtures/servers/family.sh');
const any = { type: 'object', properties: {} };
const tools = [
  tool('quick', 'Quick.', any),
  tool('stuck', 'Stuck.', any, { does: { never: true } }),
];
const call = (name: string): ScriptStep => ({ toolCalls: [{ name, arguments: '{}' }] });
const open: { session?: PtySession; model?: ModelServer } = {};
afterEach(async () => {
  open.session?.close();
  await open.model?.close();
});

/** A session at a terminal with one server; `stubborn` adds relatives that only KILL ends. */
async function startSession(steps: readonly ScriptStep[], stubborn = false) {
  const folder = newFolder();
  const server = stdioCommand({
    tools,
    pidFile: join(folder, 'server.pid'),
    ...(stubborn ? { ignoreEof: true, ignoreTerm: true } : {}),
  });
  const command = stubborn
    ? { command: 'sh', args: [family, folder, server.command, ...server.args] }
    : server;
  const model = await startModelServer({ format: 'openai', script: steps });
  const session = startPty([], {
    config: {
      model: scriptedModel(model),
      mcp: { permissions: 'auto' },
      servers: [{ name: 's1', restartOnTimeout: false, ...command }],
    },
  });
  Object.assign(open, { session, model });
  await session.waitFor(/\/help lists[^\n]*\n> /);
  const pidOf = (name: string) => Number(readFileSync(join(folder, `${name}.pid`), 'utf8'));
  return { session, model, pidOf };
}

test('Ctrl-C stops an answer and a call, and the server lives on', async () => {
  const { session, model, pidOf } = await startSession([
    { text: ['a long ', 'answer'], stall: true },
    call('s1_stuck'),
    call('s1_quick'),
    { text: 'all is well' },
  ]);
  const pid = pidOf('server');
  session.send('talk\r');
  await session.waitFor('a long');
  session.send('\x03');
  await session.waitFor(/cancel|interrupt|stopped/i);
  session.send('call\r');
  await session.waitFor('s1/stuck');
  session.send('\x03');
  await session.waitFor(/cancel|interrupt|stopped/i);
  session.send('again\r');
  await session.waitFor('all is well');
  expect(model.requests.map((request) => request.breach)).toEqual(
    model.requests.map(() => undefined),
  );
  expect([pidOf('server'), isAlive(pid)]).toEqual([pid, true]);
  const leftAt = performance.now();
  session.send('/exit\r');
  expect(await session.exited).toBe(0);
  expect(isAlive(pid)).toBe(false);
  expect(performance.now() - leftAt).toBeLessThan(3000);
}, 30_000);

test('a second Ctrl-C ends everything at once with 130', async () => {
  const { session, pidOf } = await startSession([call('s1_stuck')], true);
  session.send('call\r');
  await session.waitFor('s1/stuck');
  const startedAt = performance.now();
  session.send('\x03');
  session.send('\x03');
  expect(await session.exited).toBe(130);
  expect(performance.now() - startedAt).toBeLessThan(1500);
  expect(['shell', 'grandchild', 'server'].filter((name) => isAlive(pidOf(name)))).toEqual([]);
}, 15_000);

test.each([
  ['/exit', '/exit\r', 0],
  ['the end of input', '\x04', 0],
])(
  'leaving by %s ends relatives that ignore everything but KILL',
  async (_name, keys, code) => {
    const { session, pidOf } = await startSession([], true);
    session.send(keys);
    expect(await session.exited).toBe(code);
    expect(['shell', 'grandchild', 'server'].filter((name) => isAlive(pidOf(name)))).toEqual([]);
  },
  15_000,
);
