import { describe, expect, test } from 'bun:test';
import { renderServers } from '../../src/cli/banner.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { closedPort } from '../helpers/tcp.ts';
import {
  ask,
  callThenAnswer,
  httpEntry,
  hurriedClock,
  offered,
  openScene,
  outcomes,
  states,
  stdioEntry,
} from './scene.ts';

const AUTO = 'mcp: {permissions: auto}\nservers:\n';
const EMPTY = { type: 'object', properties: {} };
const down = (name: string, more = '') =>
  httpEntry(name, `http://127.0.0.1:${closedPort()}/mcp`, more);

test('MM-01: the list may stand under mcp as well', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: `mcp:\n  permissions: auto\n  servers:\n  ${httpEntry('s1', server.url)}`,
    steps: callThenAnswer(['s1_read', {}]),
  });
  expect((await ask(scene)).answer).toBe('nothing to read');
});

test('MM-14 R7: every server is asked for all its tools before the first model request', async () => {
  const order: string[] = [];
  const noted = (name: string) => ({
    ...tool('t', 'Is t.', EMPTY),
    get does() {
      order.push(`call ${name}`);
      return { echo: true };
    },
  });
  await using quick = await startMcpServer({ tools: [noted('quick')], pageSize: 1 });
  await using slow = await startMcpServer({
    tools: [tool('a', 'Is a.', EMPTY), tool('b', 'Is b.', EMPTY)],
    pageSize: 1,
    delayMs: { initialize: 60, 'tools/list': 30 },
  });
  await using scene = await openScene({
    yaml: `${AUTO}${httpEntry('slow', slow.url)}\n${httpEntry('quick', quick.url)}`,
    steps: callThenAnswer(['quick_t', {}]),
  });
  expect([
    slow.methods().filter((method) => method === 'tools/list').length,
    scene.requests,
  ]).toEqual([2, []]);
  await ask(scene);
  expect(offered(scene, 0)).toEqual(['slow_a', 'slow_b', 'quick_t']);
  expect(order).toEqual(['call quick']);
});

test('MM-15: the banner names every exposed tool of every server', async () => {
  await using server = await startMcpServer();
  await using scene = await openScene({
    yaml: [
      `${AUTO}${httpEntry('web', server.url)}`,
      stdioEntry('local', {}, ', tools: [read, echo]'),
    ].join('\n'),
  });
  const facts = {
    report: scene.report,
    snapshot: scene.host.snapshot(),
    config: scene.config,
    permissions: 'auto',
    modelLabel: scene.host.modelLabel,
  } as const;
  const style = { columns: 200, unicode: true, colour: false, verbose: false };
  const lines = renderServers(facts, style).map((line) =>
    line.replace(/about [\d,]+ tokens/, 'about N tokens'),
  );
  expect(lines).toEqual([
    '✓ web    http     legacy 2025-11-25  8 of 9 tools, about N tokens',
    '    echo, read, wipe, image, structured, fails, breaks, odd-name.v2',
    '✓ local  stdio    legacy 2025-11-25  2 of 9 tools, about N tokens',
    '    echo, read',
  ]);
  expect(scene.host.modelLabel).toBe('openai-compatible/scripted');
});

describe('MM-23 MM-24: servers that fail cost their tools, not the run', () => {
  test('each kind of failure has its state and reason, the rest answers', async () => {
    await using good = await startMcpServer();
    await using page = await startMcpServer({
      instead: { '*': { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>hi' } },
    });
    await using hanging = await startMcpServer({ hangAt: ['initialize'] });
    await using refusing = await startMcpServer({
      errorAt: { initialize: { code: -32_603, message: 'no disk' } },
    });
    await using scene = await openScene({
      clock: hurriedClock,
      yaml: [
        `${AUTO}${down('gone')}`,
        httpEntry('page', page.url),
        httpEntry('hangs', hanging.url, ', timeout: {connect: 900ms}'),
        httpEntry('refuses', refusing.url),
        stdioEntry('exits', { exitAtStart: 3 }),
        '  - {name: nothing, command: ./not-there}',
        '  - {name: odd, url: "https://example.com/", command: x}',
        httpEntry('good', good.url),
      ].join('\n'),
      steps: callThenAnswer(['good_read', {}]),
    });
    expect(states(scene.report)).toEqual({
      gone: 'failed',
      page: 'failed',
      hangs: 'failed',
      refuses: 'failed',
      exits: 'failed',
      nothing: 'failed',
      good: 'ready',
    });
    const reasons = scene.report.servers.map(({ name, error }) => [name, error?.message]);
    expect(Object.fromEntries(reasons)).toEqual({
      gone: expect.stringContaining('connection refused'),
      page: expect.stringContaining('text/html, a web page'),
      hangs: expect.stringContaining('did not answer initialize within 900ms (timeout.connect)'),
      refuses: expect.stringContaining('no disk'),
      exits: expect.stringContaining('giving up at the start'),
      nothing: expect.stringContaining('cannot start ./not-there'),
      good: undefined,
    });
    expect([scene.config.skipped, scene.report.fatal]).toEqual([['odd'], undefined]);
    const result = await ask(scene);
    expect([result.answer, result.exit]).toEqual(['nothing to read', 0]);
  });

  test('also when it fails in the middle: execution errors and lost servers go to the model', async () => {
    const dies = tool('die', 'Ends the server.', EMPTY, { does: { exit: 9 } });
    await using server = await startMcpServer();
    await using scene = await openScene({
      yaml: `${AUTO}${httpEntry('web', server.url)}\n${stdioEntry('local', { tools: [dies] })}`,
      steps: callThenAnswer(
        ['web_breaks', {}],
        ['web_fails', {}],
        ['local_die', {}],
        ['web_read', {}],
      ),
    });
    const result = await ask(scene);
    expect(outcomes(result)).toEqual([
      'web/breaks failed',
      'web/fails error',
      'local/die unknown',
      'web/read ok',
    ]);
    const [breaks, fails, dead, read] = result.answer.split('\n').filter((line) => line !== '');
    expect([fails, read]).toEqual(['the disk is full', 'nothing to read']);
    expect(breaks).toContain('the backend is gone');
    expect(dead).toContain('do not repeat it');
  });

  test('R8: all of them down, and the prompt is still answered', async () => {
    await using scene = await openScene({
      clock: hurriedClock,
      yaml: AUTO + down('a'),
      steps: [{ text: 'on my own: {{tools}}' }],
    });
    expect(scene.report.fatal).toBeUndefined();
    expect((await ask(scene)).answer).toBe('on my own: ');
  });
});

describe('a server that has to be there', () => {
  test('required and down is fatal with 4, without a token with 6', async () => {
    await using scene = await openScene({
      clock: hurriedClock,
      yaml: AUTO + down('db', ', required: true'),
    });
    expect(scene.report.fatal).toEqual({
      server: 'db',
      message: expect.stringContaining('connection refused'),
      exit: 4,
    });
    await using server = await startMcpServer();
    const auth = ', required: true, auth: {type: bearer, tokenEnv: NO_SUCH_TOKEN}';
    await using other = await openScene({ yaml: AUTO + httpEntry('db', server.url, auth) });
    expect(other.report.fatal).toMatchObject({ server: 'db', exit: 6 });
    expect(server.requests).toEqual([]);
  });

  test('required, and its entry cannot be used: fatal as well', async () => {
    await using scene = await openScene({
      yaml: `${AUTO}  - {name: db, url: "https://example.com/", command: x, required: true}`,
    });
    expect(scene.report.fatal).toMatchObject({ server: 'db', exit: 4 });
  });

  test('named: only it is started, and its failure is fatal', async () => {
    await using server = await startMcpServer();
    await using scene = await openScene({
      clock: hurriedClock,
      yaml: `${AUTO}${down('a')}\n${httpEntry('b', server.url)}`,
      servers: ['a'],
    });
    expect([states(scene.report), scene.report.fatal?.server]).toEqual([{ a: 'failed' }, 'a']);
    expect(server.requests).toEqual([]);
  });
});

describe('patience', () => {
  test('ends the wait for a straggler, whose tools come with a later turn', async () => {
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
    await using late = await startMcpServer();
    await using gate = await startGate(late.url, mayAnswer);
    await using quick = await startMcpServer();
    const ready = Promise.withResolvers<void>();
    await using scene = await openScene({
      patienceMs: 20,
      yaml: `${AUTO}${httpEntry('late', gate.url)}\n${httpEntry('quick', quick.url, ', tools: [read], required: true')}`,
      steps: [{ text: '{{tools}}' }, { text: '{{tools}}' }],
      onEvent: (event) => {
        if (
          event.type === 'server' &&
          event.status.name === 'late' &&
          event.status.state === 'ready'
        )
          ready.resolve();
      },
    });
    expect(states(scene.report)).toEqual({ late: 'connecting', quick: 'ready' });
    expect((await ask(scene)).answer).toBe('quick_read');
    letAnswer();
    await ready.promise;
    expect((await ask(scene)).answer.split(' ')).toContain('late_echo');
  });

  test('does not run out for a required server', async () => {
    await using slow = await startMcpServer({ delayMs: { initialize: 120 } });
    await using scene = await openScene({
      patienceMs: 10,
      yaml: AUTO + httpEntry('slow', slow.url, ', required: true'),
    });
    expect(states(scene.report)).toEqual({ slow: 'ready' });
  });
});

/** Passes requests on once the gate is open. */
async function startGate(target: string, open: Promise<void>) {
  const gate = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      await open;
      const { method, headers } = request;
      const body = method === 'POST' ? await request.text() : null;
      return fetch(target, { method, headers, body });
    },
  });
  return {
    url: `http://127.0.0.1:${gate.port}/mcp`,
    [Symbol.asyncDispose]: () => gate.stop(true),
  };
}
