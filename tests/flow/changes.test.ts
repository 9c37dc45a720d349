import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { type HttpScript, startMcpServer } from '../fixtures/servers/http.ts';
import { type ScriptedTool, tool } from '../fixtures/servers/script.ts';
import { newFolder } from '../helpers/places.ts';
import { closedPort } from '../helpers/tcp.ts';
import {
  ask,
  callStep,
  callThenAnswer,
  httpEntry,
  hurriedClock,
  offered,
  openScene,
  outcomes,
  resultTexts,
  states,
  stdioEntry,
} from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const EMPTY = { type: 'object', properties: {} };
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
const never = new AbortController().signal;

test('R24: a list that changed is read again before the next turn, a removed tool answers so', async () => {
  const tools: ScriptedTool[] = [tool('old', 'Is old.', EMPTY), tool('stay', 'Stays.', EMPTY)];
  await using server = await startMcpServer({
    replyAs: { 'tools/call': 'sse' },
    before: [`data: ${CHANGED}\n\n`, `data: ${CHANGED}\n\n`],
    tools,
  });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [
      callStep(['s1_stay', {}]),
      callStep(['s1_old', {}], ['s1_new', {}]),
      { text: '{{result}}' },
    ],
    onEvent: (event) => {
      if (event.type === 'call_done' && event.id === 'call_1')
        tools[0] = tool('new', 'Is new.', EMPTY);
    },
  });
  const result = await ask(scene);
  expect([offered(scene, 0), offered(scene, 1)]).toEqual([
    ['s1_old', 's1_stay'],
    ['s1_new', 's1_stay'],
  ]);
  expect(outcomes(result)).toEqual(['s1/stay ok', '?/s1_old invalid', 's1/new ok']);
  expect(resultTexts(scene).at(1)).toBe('s1/old is no longer offered by its server.');
  // The second call said it again; many at once are one.
  const lists = server.methods().filter((method) => method === 'tools/list');
  expect(lists.length).toBe(3);
});

test('R24: a name that was shown keeps its tool when a later one wants the same name', async () => {
  const tools: ScriptedTool[] = [tool('a-b', 'Is first.', EMPTY)];
  await using server = await startMcpServer({
    replyAs: { 'tools/call': 'sse' },
    before: [`data: ${CHANGED}\n\n`],
    tools,
  });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: [callStep(['s1_a_b', { n: 1 }]), ...callThenAnswer(['s1_a_b', { n: 2 }])],
    onEvent: (event) => {
      if (event.type === 'call_done' && event.id === 'call_1')
        tools.push(tool('a_b', 'Is second.', EMPTY));
    },
  });
  const result = await ask(scene);
  expect(offered(scene, 1).every((name) => /^s1_a_b_[0-9a-f]{8}$/.test(name))).toBe(true);
  expect(outcomes(result)).toEqual(['s1/a-b ok', 's1/a-b ok']);
});

test('R24: a refresh that fails keeps the last good list', async () => {
  const script: { -readonly [K in keyof HttpScript]: HttpScript[K] } = {
    replyAs: { 'tools/call': 'sse' },
    before: [`data: ${CHANGED}\n\n`],
  };
  await using server = await startMcpServer(script);
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url, ', tools: [read]'),
    steps: [callStep(['s1_read', {}]), ...callThenAnswer(['s1_read', {}])],
    onEvent: (event) => {
      if (event.type === 'call_sent')
        script.errorAt = { 'tools/list': { code: -32_603, message: 'later' } };
    },
  });
  const result = await ask(scene);
  expect([offered(scene, 0), offered(scene, 1), offered(scene, 2)]).toEqual([
    ['s1_read'],
    ['s1_read'],
    ['s1_read'],
  ]);
  expect([result.answer, result.exit]).toEqual(['nothing to read', 0]);
});

test('MM-16 R8: a server that was down at the start can be connected again, tools come with the next turn', async () => {
  const port = closedPort();
  await using scene = await openScene({
    clock: hurriedClock,
    yaml: AUTO + httpEntry('late', `http://127.0.0.1:${port}/mcp`),
    steps: [{ text: 'tools: {{tools}}' }, ...callThenAnswer(['late_read', {}])],
  });
  expect([states(scene.report), (await ask(scene)).answer]).toEqual([
    { late: 'failed' },
    'tools: ',
  ]);
  await using server = await startMcpServer({}, port);
  const status = await scene.host.reconnect('late', never);
  expect([status.state, status.error, server.methods().slice(0, 2)]).toEqual([
    'ready',
    undefined,
    ['server/discover', 'initialize'],
  ]);
  expect((await ask(scene)).answer).toBe('nothing to read');
  expect(() => scene.host.reconnect('nope', never)).toThrow('no server "nope" in this run');
});

test('R22: a session that the server forgot is renewed once, and the call runs once', async () => {
  await using server = await startMcpServer({ sessions: true, expireAt: 3 });
  await using scene = await openScene({
    yaml: AUTO + httpEntry('s1', server.url),
    steps: callThenAnswer(['s1_echo', { text: 'x' }]),
  });
  const result = await ask(scene);
  expect(outcomes(result)).toEqual(['s1/echo ok']);
  const initialized = server.requests.filter(({ method }) => method === 'initialize');
  const answered = server.requests.filter(
    ({ method, status }) => method === 'tools/call' && status === 200,
  );
  expect([initialized.length, answered.length]).toEqual([2, 1]);
});

test('R22: a call whose connection broke is not sent again: unknown, listed, exit 9', async () => {
  await using server = await startMcpServer({ instead: { 'tools/call': 'reset' } });
  await using scene = await openScene({
    clock: hurriedClock,
    yaml: AUTO + httpEntry('s1', server.url),
    steps: callThenAnswer(['s1_wipe', {}]),
  });
  const result = await ask(scene);
  expect([outcomes(result), result.exit, result.unknownOutcome]).toEqual([
    ['s1/wipe unknown'],
    9,
    [{ server: 's1', tool: 'wipe' }],
  ]);
  expect(server.calls().length).toBe(1);
  expect(result.answer).toStartWith(
    's1/wipe: the call was sent but not answered; do not repeat it: it may have happened.',
  );
});

test('R22: a process that died is started again by the next call, the lost call is not repeated', async () => {
  const log = join(newFolder(), 'log');
  const tools = [tool('die', 'Ends.', EMPTY, { does: { exit: 1 } }), tool('live', 'Lives.', EMPTY)];
  await using scene = await openScene({
    yaml: AUTO + stdioEntry('local', { tools, log }),
    steps: [callStep(['local_die', {}]), ...callThenAnswer(['local_live', { a: 1 }])],
  });
  const result = await ask(scene);
  expect(outcomes(result)).toEqual(['local/die unknown', 'local/live ok']);
  const started = methodsIn(log).filter((method) => /^(initialize|tools\/call)$/.test(method));
  expect(started).toEqual(['initialize', 'tools/call', 'initialize', 'tools/call']);
});

test('R23: a process that stays silent after a time-out is told, ended and started anew by the next call', async () => {
  const log = join(newFolder(), 'log');
  const tools = [
    tool('hang', 'Hangs.', EMPTY, { does: { never: true } }),
    tool('live', 'Lives.', EMPTY),
  ];
  const ended = Promise.withResolvers<void>();
  await using scene = await openScene({
    // The two seconds of silence are short here.
    clock: {
      ...systemClock,
      after: (delayMs, action) => systemClock.after(delayMs === 2000 ? 20 : delayMs, action),
    },
    yaml: AUTO + stdioEntry('local', { tools, log }, ', timeout: {tools: {hang: {idle: 50ms}}}'),
    steps: [...callThenAnswer(['local_hang', {}]), ...callThenAnswer(['local_live', { a: 1 }])],
    onEvent: (event) => {
      if (event.type === 'server' && event.status.state === 'idle') ended.resolve();
    },
  });
  const lost = await ask(scene);
  await ended.promise;
  const found = await ask(scene);
  expect([outcomes(lost), lost.exit, outcomes(found), found.exit]).toEqual([
    ['local/hang unknown'],
    9,
    ['local/live ok'],
    0,
  ]);
  expect(methodsIn(log)).toEqual([
    // Asked once: what the first process answered is remembered.
    'server/discover',
    ...['initialize', 'notifications/initialized', 'tools/list', 'tools/call'],
    'notifications/cancelled',
    ...['initialize', 'notifications/initialized', 'tools/list', 'tools/call'],
  ]);
});

test('R31: a server that asks for roots is told the working directory alone', async () => {
  const log = join(newFolder(), 'log');
  const request = '{"jsonrpc":"2.0","id":"r1","method":"roots/list"}';
  const tools = [tool('ask', 'Asks.', EMPTY, { does: { strayBefore: [request], afterMs: 1 } })];
  await using scene = await openScene({
    yaml: AUTO + stdioEntry('local', { tools, log }),
    steps: [callStep(['local_ask', {}]), ...callThenAnswer(['local_ask', { n: 2 }])],
  });
  await ask(scene);
  const answers = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"r1"'));
  expect(JSON.parse(answers[0] ?? '{}')).toEqual({
    jsonrpc: '2.0',
    id: 'r1',
    result: { roots: [{ uri: Bun.pathToFileURL(scene.cwd).href, name: expect.any(String) }] },
  });
});

/** Methods of the messages that a stdio fixture noted, in order. */
function methodsIn(log: string): readonly string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.flatMap((line) => /"method":"([^"]+)"/.exec(line)?.[1] ?? []);
}
