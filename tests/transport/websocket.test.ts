/** WebSocket: what goes with the upgrade, frames of every shape, and every way the connection may end. */
import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { AppError, UnknownOutcomeError } from '../../src/base/errors.ts';
import { registerSecret } from '../../src/base/redact.ts';
import type { ServerConfig } from '../../src/config/types.ts';
import type { ConnectionPorts } from '../../src/mcp/ports.ts';
import type { NetworkEndpoint } from '../../src/transport/create.ts';
import { WebSocketTransport } from '../../src/transport/websocket.ts';
import { dialWebSocket } from '../../src/transport/ws-dial.ts';
import { standardTools, tool } from '../fixtures/servers/script.ts';
import { startWebSocketServer, type WebSocketScript } from '../fixtures/servers/websocket.ts';
import { closedPort, startTcp } from '../helpers/tcp.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import {
  callTool,
  failureOf,
  httpEndpoint,
  hurriedClock,
  hurriedPauses,
  never,
  open,
  realFetch,
  until,
} from '../mcp/rig.ts';

const object = { type: 'object', properties: {} };
const HANDSHAKE = ['initialize', 'notifications/initialized', 'tools/list'];

async function connected(
  url: string,
  endpoint: Partial<NetworkEndpoint> = {},
  ports: Partial<ConnectionPorts> = {},
  config: Partial<Omit<ServerConfig, 'endpoint'>> = {},
) {
  const connection = open(httpEndpoint(url, { kind: 'ws', ...endpoint }), ports, config);
  await connection.connect(never);
  return connection;
}

/** What connecting to such a server fails with. */
async function connectFailure(script: WebSocketScript, endpoint: Partial<NetworkEndpoint> = {}) {
  await using server = await startWebSocketServer(script);
  await using connection = await connected(server.url, endpoint, { clock: hurriedPauses });
  const { state, error } = connection.status();
  return { state, code: error?.code, message: error?.message };
}

describe('the upgrade', () => {
  test('carries headers, token and the subprotocol', async () => {
    await using server = await startWebSocketServer({
      demands: { authorization: 'Bearer canary-token', 'x-team': 'docs' },
      subprotocol: 'demand',
    });
    const auth = { type: 'bearer', tokenEnv: 'T' } as const;
    const env = { T: 'canary-token' };
    const headers = { 'X-Team': 'docs' };
    await using connection = await connected(server.url, { auth, headers }, { env });
    expect([connection.status().state, connection.status().kind]).toEqual(['ready', 'ws']);
    expect(server.upgrades).toHaveLength(1);
    expect(server.upgrades[0]).toMatchObject({
      authorization: 'Bearer canary-token',
      'x-team': 'docs',
      'sec-websocket-protocol': 'mcp',
    });
    expect(server.upgrades[0]?.['sec-websocket-extensions']).toBeUndefined();
  });

  test('works when the server chooses no subprotocol, with one handshake', async () => {
    await using server = await startWebSocketServer({ subprotocol: 'omit' });
    await using connection = await connected(server.url);
    expect([connection.status().state, server.methods()]).toEqual(['ready', HANDSHAKE]);
  });

  test.each([
    [
      { demands: { authorization: 'Bearer x' } },
      'needs_auth',
      'auth',
      'server "s1" needs a token (401): {"error":"authorization is missing or wrong"}',
    ],
    [
      { refuse: { status: 403, body: 'not for you' } },
      'needs_auth',
      'auth',
      'server "s1" refused access (403): not for you',
    ],
    [
      { refuse: { status: 404, body: 'no such path' } },
      'failed',
      'connect',
      'server "s1" answered HTTP 404: no such path, not with a WebSocket',
    ],
    [
      { refuse: { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>hi' } },
      'failed',
      'connect',
      'server "s1" answered HTTP 200 (text/html), not with a WebSocket',
    ],
    [
      { refuse: { status: 503, body: 'too busy' } },
      'failed',
      'connect',
      'server "s1" answered HTTP 503: too busy, not with a WebSocket',
    ],
    [
      { refuse: { status: 302, headers: { location: 'https://e.example/' } } },
      'failed',
      'protocol',
      'server "s1" redirects (302) to https://e.example/; this is not followed',
    ],
  ] as const)('refused by %j tells status and body', async (script, state, code, message) => {
    expect(await connectFailure(script)).toEqual({ state, code, message });
  });

  test('refused with our own token in the body does not show it', async () => {
    registerSecret('canary-reflected');
    const refuse = { status: 400, body: 'bad token canary-reflected' };
    expect(await connectFailure({ refuse })).toMatchObject({
      message: 'server "s1" answered HTTP 400: bad token ***, not with a WebSocket',
    });
  });

  test('a refused token is told from a missing one', async () => {
    const script = { demands: { authorization: 'Bearer right' } };
    const headers = { Authorization: 'Bearer canary-wrong' };
    expect(await connectFailure(script, { headers })).toMatchObject({
      code: 'auth',
      message:
        'server "s1" refused the configured token (401): {"error":"authorization is missing or wrong"}',
    });
  });

  test('torn down is told as such', async () => {
    expect(await connectFailure({ refuse: 'reset' })).toMatchObject({
      code: 'connect',
      message: expect.stringContaining('the connection was closed without an answer'),
    });
  });

  test('nobody listening is told as such', async () => {
    const url = `ws://127.0.0.1:${closedPort()}/mcp`;
    await using connection = await connected(url, {}, { clock: hurriedPauses });
    expect(connection.status().error?.message).toBe(
      `cannot reach server "s1" at ${url}: connection refused`,
    );
  });

  test('never completed ends by the connect limit and leaves no connection', async () => {
    await using server = await startWebSocketServer({ refuse: 'hang' });
    const timeout = { connectMs: 200, idleMs: 1000, maxMs: 1000, tools: {} };
    await using connection = await connected(server.url, {}, {}, { timeout });
    expect(connection.status().error?.message).toBe(
      'server "s1" did not answer initialize within 200ms (timeout.connect)',
    );
    await until(() => server.connections() === 0);
  });

  test('answered by something that is no HTTP fails', async () => {
    await using server = startTcp('SSH-2.0-x\r\n');
    const url = `ws://127.0.0.1:${server.port}/`;
    await using connection = await connected(url, {}, { clock: hurriedPauses });
    expect(connection.status().state).toBe('failed');
    expect(connection.status().error).toBeInstanceOf(AppError);
  });
});

describe('frames', () => {
  test.each(['text', 'binary', 'fragments', 'joined', 'lines'] as const)(
    'in the form %p are understood, in silence',
    async (form) => {
      await using server = await startWebSocketServer({ form });
      await using connection = await connected(server.url);
      const result = await callTool(connection, 'echo', { text: 'hi 🙂 }{' });
      expect(result.content).toEqual([{ type: 'text', text: '{"text":"hi 🙂 }{"}' }]);
      expect(connection.status().notices).toEqual([]);
    },
  );

  test('of 5 MB arrive whole', async () => {
    const big = { length: 5_000_000, pattern: 'abcdefghij' };
    const does = { big };
    await using server = await startWebSocketServer({
      tools: [tool('big', 'big', object, { does })],
    });
    await using connection = await connected(server.url);
    const result = await callTool(connection, 'big');
    expect(String(result.content[0]?.['text'])).toHaveLength(5_000_000);
  });

  test('beyond 16 MiB name the bound, and the connection is given up', async () => {
    const does = { big: { length: 17 * 1024 * 1024, pattern: 'x' } };
    await using server = await startWebSocketServer({
      tools: [tool('big', 'big', object, { does }), ...standardTools],
    });
    await using connection = await connected(server.url);
    const error = await failureOf(callTool(connection, 'big'));
    expect(error.message).toBe(
      'server "s1": a message is larger than 16 MiB; whether s1/big ran is not known',
    );
    await until(() => server.connections() === 0);
    const next = await callTool(connection, 'echo', { text: 'x' });
    expect(next.content).toEqual([{ type: 'text', text: '{"text":"x"}' }]);
  });

  test('that are no messages are told once and do no harm', async () => {
    registerSecret('canary-in-frame');
    const rawBefore = {
      'tools/call': ['hello canary-in-frame \u001b[2J', '', '[]', '{"a":1}', '42'],
    };
    await using server = await startWebSocketServer({ greeting: '\uFEFF', rawBefore });
    await using connection = await connected(server.url);
    const result = await callTool(connection, 'echo', { text: 'x' });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":"x"}' }]);
    expect(connection.status().notices).toEqual([
      'server "s1" sends frames that are no protocol messages: hello *** \\u{1b}[2J',
    ]);
  });

  test('that come right behind the upgrade are not lost', async () => {
    await using server = await startWebSocketServer({ greeting: 'welcome' });
    await using connection = await connected(server.url);
    expect(connection.status().notices).toEqual([
      'server "s1" sends frames that are no protocol messages: welcome',
    ]);
  });
});

describe('the end of a connection', () => {
  test.each([
    [{ code: 1000, reason: 'done for today' }, 'closed the WebSocket (1000: done for today)'],
    [{ code: 1011, reason: 'out of memory' }, 'closed the WebSocket (1011: out of memory)'],
    [{ code: 4001, reason: '' }, 'closed the WebSocket (4001)'],
    ['reset', 'closed the WebSocket (1006)'],
  ] as const)(
    '%j in the middle of a call leaves its outcome unknown, at once',
    async (how, text) => {
      await using server = await startWebSocketServer({ closeAt: { 'tools/call': how } });
      await using connection = await connected(server.url);
      const calls = [1, 2].map(() => failureOf(callTool(connection, 'echo', { text: 'x' })));
      for (const error of await Promise.all(calls)) {
        expect(error).toBeInstanceOf(UnknownOutcomeError);
        expect(error.message).toBe(`server "s1" ${text}; whether s1/echo ran is not known`);
      }
      expect([connection.status().state, connection.status().error?.message]).toEqual([
        'failed',
        `server "s1" ${text}`,
      ]);
    },
  );

  test('is followed by one new handshake at the next call', async () => {
    const closeAt = { 'tools/call': { code: 1011, reason: 'restart' } };
    await using server = await startWebSocketServer({ closeAt, closeOnce: true });
    await using connection = await connected(server.url);
    await failureOf(callTool(connection, 'echo', { text: 'lost' }));
    const texts = await Promise.all(
      ['a', 'b'].map((text) => callTool(connection, 'echo', { text })),
    );
    expect(texts.map(({ content }) => content[0]?.['text'])).toEqual([
      '{"text":"a"}',
      '{"text":"b"}',
    ]);
    expect(server.methods()).toEqual([
      ...HANDSHAKE,
      'tools/call',
      ...HANDSHAKE,
      'tools/call',
      'tools/call',
    ]);
  });

  test('while the handshake waits is reported with its code and reason', async () => {
    const closeAt = { initialize: { code: 1008, reason: 'policy' } };
    expect(await connectFailure({ closeAt })).toEqual({
      state: 'failed',
      code: 'connect',
      message: 'server "s1" closed the WebSocket (1008: policy)',
    });
  });

  test('by close is clean and final', async () => {
    await using server = await startWebSocketServer();
    const connection = await connected(server.url);
    await Promise.all([connection.close(), connection.close()]);
    await until(() => server.connections() === 0);
    const error = await failureOf(callTool(connection, 'echo', { text: 'x' }));
    expect(error.message).toBe('server "s1" is closed');
  });
});

describe('pings', () => {
  test('of the server are answered', async () => {
    await using server = await startWebSocketServer({ pingEveryMs: 5 });
    await using connection = await connected(server.url);
    await until(() => server.pongs() >= 3);
    expect(connection.status().state).toBe('ready');
  });

  test('of ours go out every 30 s while a call waits and when it is given up, none otherwise', async () => {
    const clock = createManualClock();
    const does = { never: true };
    await using server = await startWebSocketServer({
      tools: [tool('stuck', 'stuck', object, { does })],
    });
    const timeout = { connectMs: 0, idleMs: 0, maxMs: 0, tools: {} };
    await using connection = await connected(server.url, {}, { clock }, { timeout });
    await clock.advance(120_000);
    const control = new AbortController();
    const failing = failureOf(callTool(connection, 'stuck', {}, { signal: control.signal }));
    await until(() => server.methods().at(-1) === 'tools/call');
    expect(server.pings()).toBe(0);
    await clock.advance(29_999);
    await clock.advance(1);
    await until(() => server.pings() === 1);
    await clock.advance(30_000);
    await until(() => server.pings() === 2);
    control.abort(new Error('enough'));
    await failing;
    await clock.advance(120_000);
    await until(() => server.methods().at(-1) === 'notifications/cancelled');
    expect([server.pings(), clock.waiting]).toEqual([3, 0]);
    void clock.advance(10_000);
  });

  test('of ours ask for life when a request is given up', async () => {
    await using server = await startWebSocketServer({ hangAt: ['a'] });
    let now = 0;
    const clock = { ...systemClock, now: () => now };
    const ports = { clock, env: {}, fetch: realFetch, log: () => undefined };
    const options = { name: 's1', url: server.url, headers: {}, hasToken: false };
    const transport = new WebSocketTransport(options, ports);
    const nothing = () => undefined;
    transport.open({ onMessage: nothing, onNotice: nothing, onClose: nothing });
    const control = new AbortController();
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'a' }, { signal: control.signal });
    expect(transport.lastHeardMs).toBe(0);
    now = 1;
    control.abort(new Error('enough'));
    await until(() => transport.lastHeardMs === 1);
    await transport.close();
  });

  test('that nobody answers after a timed-out call end the connection; the next call has a new one', async () => {
    const tools = [tool('stuck', 'stuck', object, { does: { never: true } }), ...standardTools];
    await using server = await startWebSocketServer({ tools, noPong: true });
    await using connection = await connected(server.url, {}, { clock: hurriedClock });
    expect((await failureOf(callTool(connection, 'stuck'))).message).toContain('timeout.idle');
    await until(() => connection.status().state === 'idle');
    const result = await callTool(connection, 'echo', { text: 'x' });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":"x"}' }]);
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });
});

test('a name with checked addresses is dialled by them, in turn, and told to the server', async () => {
  await using server = await startWebSocketServer({ tools: standardTools });
  const url = new URL(server.url);
  url.hostname = 'mcp.test';
  const addresses = ['127.0.0.2', '127.0.0.1'];
  const route = async () => ({ proxy: undefined, tls: undefined, addresses });
  const fetch = Object.assign(realFetch.bind(undefined), { route });
  const target = { name: 'far', url: url.href, hasToken: false };
  const socket = await dialWebSocket(target, {}, { clock: systemClock, env: {}, fetch }, never);
  socket.terminate();
  expect(server.upgrades.map((headers) => headers['host'])).toEqual([url.host]);
});
