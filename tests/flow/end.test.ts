import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResult } from '../../src/agent/types.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { newFolder } from '../helpers/places.ts';
import {
  ask,
  callStep,
  httpEntry,
  hurriedClock,
  openScene,
  resultTexts,
  stdioEntry,
} from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const EMPTY = { type: 'object', properties: {} };
const hangs = tool('hang', 'Never ends.', EMPTY, { does: { never: true } });
const quick = tool('quick', 'Ends at once.', EMPTY);

test('close leaves no child, also of servers that ignore its end of input and TERM', async () => {
  const folder = newFolder();
  const pidFile = (name: string) => join(folder, name);
  const scene = await openScene({
    clock: hurriedClock,
    yaml: [
      AUTO + stdioEntry('good', { pidFile: pidFile('good') }),
      stdioEntry('deaf', { pidFile: pidFile('deaf'), ignoreEof: true }),
      stdioEntry('stubborn', { pidFile: pidFile('stubborn'), ignoreEof: true, ignoreTerm: true }),
    ].join('\n'),
  });
  const pids = ['good', 'deaf', 'stubborn'].map((name) =>
    Number(readFileSync(pidFile(name), 'utf8')),
  );
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  const startedAt = performance.now();
  await scene.host.close();
  expect(pids.map(isRunning)).toEqual([false, false, false]);
  expect(performance.now() - startedAt).toBeLessThan(4500);
  expect(scene.host.status().map(({ state }) => state)).toEqual(['closed', 'closed', 'closed']);
  await scene[Symbol.asyncDispose]();
}, 10_000);

test('killNow ends every child at once', async () => {
  const pidFile = join(newFolder(), 'pid');
  await using scene = await openScene({
    yaml: AUTO + stdioEntry('s1', { pidFile, ignoreEof: true, ignoreTerm: true }),
  });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  scene.host.killNow();
  await until(() => !isRunning(pid));
  expect(isRunning(pid)).toBe(false);
});

test('close ends the session of an HTTP server', async () => {
  await using server = await startMcpServer({ sessions: true });
  const scene = await openScene({ yaml: AUTO + httpEntry('s1', server.url) });
  await scene[Symbol.asyncDispose]();
  const deletes = server.requests.filter(({ verb }) => verb === 'DELETE');
  expect(deletes.map(({ headers }) => headers['mcp-session-id'])).toEqual(['s1']);
});

test('an interrupt ends the run with 130, cancels on the server, and every call keeps its result', async () => {
  await using server = await startMcpServer({ tools: [hangs, quick] });
  const interrupt = new AbortController();
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [
      callStep(['s1_quick', {}], ['s1_hang', {}], ['s1_hang', { n: 2 }]),
      { text: 'going on' },
    ],
    onEvent: (event) => {
      if (event.type === 'call_done' && event.name === 's1_quick') interrupt.abort();
    },
  });
  const stopped = await scene.host.prompt('go', interrupt.signal);
  expect([stopped.exit, stopped.answer, kinds(stopped)]).toEqual([
    130,
    '',
    ['ok', 'cancelled', 'cancelled'],
  ]);
  const next = await ask(scene, 'and now?');
  expect([next.answer, next.exit, scene.requests.map(({ breach }) => breach)]).toEqual([
    'going on',
    0,
    [undefined, undefined],
  ]);
  expect(resultTexts(scene)).toEqual([
    '{}',
    'The call was cancelled while it ran; it may have happened.',
    'The call was cancelled while it ran; it may have happened.',
  ]);
  const cancelled = () =>
    server.requests.flatMap(({ method, message }) =>
      method === 'notifications/cancelled' ? [Object(message['params']).requestId] : [],
    );
  await until(() => cancelled().length === 2);
  // The fixture logs a request with its answer, so only the first call is there; ids count up.
  const first = Number(
    server.requests.find(({ method }) => method === 'tools/call')?.message['id'],
  );
  expect(cancelled().toSorted()).toEqual([first + 1, first + 2]);
});

test('an interrupt while a person is asked sends nothing', async () => {
  await using server = await startMcpServer({ tools: [quick] });
  const interrupt = new AbortController();
  await using scene = await openScene({
    yaml: `servers:\n${httpEntry('s1', server.url)}`,
    steps: [callStep(['s1_quick', {}], ['s1_quick', { n: 2 }]), { text: 'going on' }],
    askUser: {
      ask: (_question, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          interrupt.abort();
        }),
    },
  });
  const stopped = await scene.host.prompt('go', interrupt.signal);
  expect([stopped.exit, kinds(stopped), server.calls()]).toEqual([
    130,
    ['cancelled', 'cancelled'],
    [],
  ]);
  expect((await ask(scene)).answer).toBe('going on');
});

test('a model that fails gives its code, and the next prompt starts clean', async () => {
  await using scene = await openScene({
    yaml: 'servers: []',
    steps: [{ status: 401, message: 'bad key' }, { text: 'fine' }],
  });
  const failed = await ask(scene, 'first');
  expect([failed.answer, failed.exit, failed.error?.code]).toEqual(['', 8, 'provider']);
  expect((await ask(scene, 'second')).answer).toBe('fine');
  expect(scene.requests.at(-1)?.seen.turns).toEqual([{ role: 'user', text: 'second' }]);
});

test('arguments that do not fit and names that do not exist go back, and nothing is sent', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [
      {
        toolCalls: [
          { name: 's1_echo', arguments: '{"text":5}' },
          { name: 's1_ecko', arguments: '{}' },
        ],
      },
      {
        toolCalls: [
          { name: 's1_echo', arguments: 'text=5' },
          { name: 's1_read', arguments: '' },
        ],
      },
      { text: '{{result}}' },
    ],
  });
  const result = await ask(scene);
  expect(kinds(result)).toEqual(['invalid', 'invalid', 'invalid', 'ok']);
  expect(server.calls().map(({ name }) => name)).toEqual(['read']);
  const texts = resultTexts(scene);
  expect(texts[0]).toContain('nothing was sent');
  expect(texts[1]).toContain('Did you mean');
  expect(texts[2]).toContain('must be one JSON object');
});

function kinds({ toolCalls }: RunResult): readonly string[] {
  return toolCalls.map(({ outcome }) => outcome);
}

function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return false;
  // A zombie is nobody: whoever should reap it may be another process.
  return !/\) [ZX] /.test(readFileSync(path, 'utf8'));
}

/** Looks again for at most ten seconds. */
async function until(isSo: () => boolean): Promise<void> {
  for (let look = 0; look < 2000 && !isSo(); look += 1) await Bun.sleep(5);
}
