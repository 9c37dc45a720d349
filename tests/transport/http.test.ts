/** What only Streamable HTTP can do wrong: statuses, streams, sessions, redirects, headers. */
import { describe, expect, test } from 'bun:test';
import { AppError } from '../../src/base/errors.ts';
import type { FetchInit } from '../../src/base/http.ts';
import { isJsonObject } from '../../src/base/json.ts';
import { registerSecret } from '../../src/base/redact.ts';
import type { ConnectionPorts } from '../../src/mcp/ports.ts';
import type { Connection } from '../../src/mcp/types.ts';
import { type HttpScript, type RawReply, startMcpServer } from '../fixtures/servers/http.ts';
import { closedPort } from '../helpers/tcp.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import {
  callTool,
  failureOf,
  httpEndpoint,
  hurriedPauses,
  never,
  open,
  realFetch,
  until,
} from '../mcp/rig.ts';
import { rpcResult, serveRpc } from './rpc-server.ts';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html; charset=utf-8' };
/** Generous: a hurried clock runs 50 times as fast, and the machine may be busy. */
const quick = { timeout: { connectMs: 500_000, idleMs: 60_000, maxMs: 60_000, tools: {} } };

async function connected(url: string, ports: Partial<ConnectionPorts> = {}) {
  const connection = open(httpEndpoint(url), ports, quick);
  await connection.connect(never);
  return connection;
}

function outcome(connection: Connection) {
  const { state, error, notices } = connection.status();
  return { state, error: error?.message, notices };
}

/** Fails a call of `echo` in the given way, on a server that is fine otherwise. */
async function callFailure(instead: RawReply | 'reset', more: HttpScript = {}) {
  await using server = await startMcpServer({ ...more, instead: { 'tools/call': instead } });
  await using connection = await connected(server.url);
  const error = await failureOf(callTool(connection, 'echo', { text: 'x' }));
  return {
    code: error instanceof AppError ? error.code : '',
    message: error.message,
    calls: server.methods().filter((method) => method === 'tools/call').length,
  };
}

describe('replies to notifications', () => {
  const replies: readonly RawReply[] = [
    { status: 202 },
    { status: 202, headers: json },
    { status: 204 },
    { status: 200 },
    { status: 200, headers: json, body: '{}' },
    { status: 200, headers: json, body: 'null' },
    { status: 200, headers: { 'content-type': 'text/event-stream' }, body: '' },
    { status: 400, headers: json, body: '{"error":"what is this"}' },
  ];
  test.each(replies)('%j lets the connection go on in silence', async (notified) => {
    await using server = await startMcpServer({ notified });
    const told: string[] = [];
    await using connection = await connected(server.url, {
      log: (level, message) => {
        if (level !== 'debug') told.push(message);
      },
    });
    expect([outcome(connection), told]).toEqual([
      { state: 'ready', error: undefined, notices: [] },
      [],
    ]);
  });
});

describe('a request without a usable answer fails at once', () => {
  const stream = { 'content-type': 'text/event-stream' };
  const cases: Readonly<Record<string, readonly [RawReply, string]>> = {
    '202': [{ status: 202 }, 'server "s1" did not answer tools/call: HTTP 202, empty body'],
    'an empty list': [
      { status: 200, headers: json, body: '[]' },
      'server "s1" did not answer tools/call: HTTP 200 application/json, []',
    ],
    'another id': [
      { status: 200, headers: json, body: '{"jsonrpc":"2.0","id":99,"result":{}}' },
      'server "s1" did not answer tools/call: HTTP 200 application/json, {"jsonrpc":"2.0","id":99,"result":{}}',
    ],
    'a web page': [
      { status: 200, headers: html, body: '<html>\n  <p>\u001b[2Jhello</p>' },
      'server "s1" did not answer tools/call: HTTP 200 text/html, a web page',
    ],
    'a web page with a title': [
      { status: 200, headers: html, body: '<html><title>\n \u001b[2JLog &amp; in</title><p>hello' },
      'server "s1" did not answer tools/call: HTTP 200 text/html, a web page: \\u{1b}[2JLog &amp; in',
    ],
    'an empty stream': [
      { status: 200, headers: stream, body: ': nothing\n\n' },
      'server "s1" closed the stream without answering tools/call',
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [reply, message]) => {
    expect(await callFailure(reply)).toEqual({
      code: 'unknown_outcome',
      message: `${message}; whether s1/echo ran is not known`,
      calls: 1,
    });
  });

  test('at most 500 characters of it are shown, without secrets', async () => {
    registerSecret('canary-secret-1');
    const body = `canary-secret-1 ${'x'.repeat(20_000)}`;
    const { message } = await callFailure({ status: 500, body });
    expect(message).toBe(`server "s1" answered HTTP 500: *** ${'x'.repeat(495)}…`);
  });
});

describe('refusals', () => {
  const rpc = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"App is not enabled"}}';
  const cases: Readonly<Record<string, readonly [RawReply, string, string]>> = {
    'a JSON-RPC error in a 400': [
      { status: 400, headers: json, body: rpc },
      'protocol',
      'server "s1" answered tools/call with an error: App is not enabled (HTTP 400) (-32000)',
    ],
    'a JSON error in a 404 that is not of the protocol': [
      { status: 404, headers: json, body: '{"error":{"message":"no such app"}}' },
      'protocol',
      'server "s1" answered HTTP 404 (application/json): no such app',
    ],
    'a JSON-RPC error without an id in a 200': [
      { status: 200, headers: json, body: rpc },
      'protocol',
      'server "s1" answered tools/call with an error: App is not enabled (-32000)',
    ],
    'a 500 with text': [
      { status: 500, headers: { 'content-type': 'text/plain' }, body: 'database on fire' },
      'protocol',
      'server "s1" answered HTTP 500 (text/plain): database on fire',
    ],
    'a 401': [
      { status: 401, headers: json, body: '{"error":"who are you"}' },
      'auth',
      'server "s1" needs a token (401): {"error":"who are you"}',
    ],
    'a 403': [{ status: 403, body: 'no' }, 'auth', 'server "s1" refused access (403): no'],
    'a redirect': [
      { status: 302, headers: { location: 'https://elsewhere.example/mcp' } },
      'protocol',
      'server "s1" redirects (302) to https://elsewhere.example/mcp; this is not followed',
    ],
  };
  test.each(Object.entries(cases))('%s is what the call fails with', async (_name, expected) => {
    const [reply, code, message] = expected;
    expect(await callFailure(reply)).toEqual({ code, message, calls: 1 });
  });

  test('a torn connection leaves the outcome unknown and is not tried again', async () => {
    const { code, message, calls } = await callFailure('reset');
    expect([code, calls]).toEqual(['unknown_outcome', 1]);
    expect(message).toMatch(/^cannot reach server "s1" at .*; whether s1\/echo ran is not known$/);
  });
});

describe('connecting again', () => {
  test.each([408, 425, 429, 500, 503])('is tried twice more after %d', async (status) => {
    let left = 2;
    await using server = serveRpc((message) => {
      if (message['method'] !== 'initialize' || left === 0) return undefined;
      left -= 1;
      return new Response('later', { status, headers: { 'retry-after': '0' } });
    });
    await using connection = await connected(server.url, { clock: hurriedPauses });
    expect(outcome(connection)).toEqual({ state: 'ready', error: undefined, notices: [] });
    expect(server.methods().slice(0, 3)).toEqual(['initialize', 'initialize', 'initialize']);
  });

  test.each([400, 401, 404, 501])('is not tried after %d', async (status) => {
    await using server = await startMcpServer({ instead: { '*': { status, body: 'no' } } });
    await using connection = await connected(server.url);
    expect([connection.status().state, server.methods()]).toEqual([
      status === 401 ? 'needs_auth' : 'failed',
      ['initialize'],
    ]);
  });

  test('is not tried when the server asks for more than 30 s', async () => {
    const later = { status: 503, headers: { 'retry-after': '31' }, body: 'later' };
    await using server = await startMcpServer({ instead: { '*': later } });
    await using connection = await connected(server.url);
    expect([outcome(connection), server.methods()]).toEqual([
      { state: 'failed', error: 'server "s1" answered HTTP 503: later', notices: [] },
      ['initialize'],
    ]);
  });

  test('says in plain words that nobody listens', async () => {
    const url = `http://127.0.0.1:${closedPort()}/mcp?key=hidden`;
    await using connection = await connected(url, { clock: hurriedPauses });
    expect(outcome(connection)).toEqual({
      state: 'failed',
      error: `cannot reach server "s1" at ${url.slice(0, -11)}: connection refused`,
      notices: [],
    });
  });
});

describe('sessions', () => {
  test('the id and the version go with every request after initialize', async () => {
    await using server = await startMcpServer({ sessions: true });
    {
      await using connection = await connected(server.url);
      await callTool(connection, 'echo', { text: 'x' });
    }
    // The GET stream is opened beside the first call; which comes first does not matter.
    const inOrder = [...server.requests].sort(
      (a, b) => Number(a.verb === 'GET') - Number(b.verb === 'GET'),
    );
    expect(
      inOrder.map(({ verb, method, headers }) => [
        verb,
        method,
        headers['mcp-session-id'],
        headers['mcp-protocol-version'],
      ]),
    ).toEqual([
      ['POST', 'initialize', undefined, undefined],
      ['POST', 'notifications/initialized', 's1', '2025-11-25'],
      ['POST', 'tools/list', 's1', '2025-11-25'],
      ['POST', 'tools/call', 's1', '2025-11-25'],
      ['DELETE', '', 's1', '2025-11-25'],
      ['GET', '', 's1', '2025-11-25'],
    ]);
  });

  test('an id in any other answer is ignored', async () => {
    await using server = serveRpc((message) =>
      message['method'] === 'tools/list'
        ? Response.json(rpcResult(message, { tools: [] }), {
            headers: { 'mcp-session-id': 'evil' },
          })
        : undefined,
    );
    await using connection = await connected(server.url);
    await callTool(connection, 'echo', {});
    expect(server.requests.map((request) => request.headers.get('mcp-session-id'))).toEqual(
      server.requests.map(() => null),
    );
  });

  test('several calls that find the session gone make one new one', async () => {
    await using server = await startMcpServer({ sessions: true, expireAt: 3 });
    await using connection = await connected(server.url);
    const texts = ['a', 'b', 'c'];
    const results = await Promise.all(texts.map((text) => callTool(connection, 'echo', { text })));
    expect(results.map((one) => one.content[0]?.['text'])).toEqual(
      texts.map((text) => JSON.stringify({ text })),
    );
    const posts = server.requests.filter((one) => one.verb === 'POST');
    expect(posts.filter((one) => one.method === 'initialize')).toHaveLength(2);
    expect(posts.filter((one) => one.method === 'initialize').at(-1)?.headers).not.toHaveProperty(
      'mcp-session-id',
    );
    expect(posts.filter((one) => one.method === 'notifications/initialized')).toHaveLength(2);
    expect(posts.filter((one) => one.status === 200 && one.method === 'tools/call')).toHaveLength(
      3,
    );
  });

  test('an answer that comes after the new session was made does not make another', async () => {
    let issued = 0;
    const held = Promise.withResolvers<void>();
    await using server = serveRpc((message, request) => {
      if (message['method'] === 'initialize') {
        issued += 1;
        const headers = { 'mcp-session-id': `s${issued}` };
        return Response.json(rpcResult(message, { protocolVersion: '2025-11-25' }), { headers });
      }
      if (message['method'] !== 'tools/call') return undefined;
      if (request.headers.get('mcp-session-id') !== 's1') return undefined;
      const gone = () => new Response('gone', { status: 404 });
      return isJsonObject(message['params']) && message['params']['name'] === 'slow'
        ? held.promise.then(gone)
        : gone();
    });
    await using connection = await connected(server.url);
    const slow = callTool(connection, 'slow');
    await until(() => server.methods().includes('tools/call'));
    await callTool(connection, 'quick');
    held.resolve();
    await slow;
    expect(issued).toBe(2);
  });

  test('a session lost between the handshake and the list is renewed as well', async () => {
    await using server = await startMcpServer({ sessions: true, expireAt: 1 });
    await using connection = await connected(server.url);
    expect(outcome(connection).state).toBe('ready');
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });

  test('a server that forgets every session gets two tries, and one clear error', async () => {
    const gone = { status: 404, headers: json, body: '{"error":{"message":"Session not found"}}' };
    await using server = await startMcpServer({
      sessions: true,
      instead: { 'tools/call': gone },
    });
    await using connection = await connected(server.url);
    const error = await failureOf(callTool(connection, 'echo', { text: 'x' }));
    expect([error.name, error.message]).toEqual([
      'ConnectError',
      'server "s1" does not know our session any more (404): Session not found',
    ]);
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });
});

describe('the GET stream', () => {
  const refusals: readonly RawReply[] = [
    { status: 404, headers: html, body: 'Cannot GET /mcp' },
    {
      status: 406,
      headers: json,
      body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}',
    },
    { status: 400, body: 'session id required' },
    { status: 401, body: 'no' },
    { status: 200, headers: html, body: '<html>' },
  ];
  test.each(refusals)('is not needed: %j', async (get) => {
    await using server = await startMcpServer({ get, delete: get });
    const told: string[] = [];
    await using connection = await connected(server.url, {
      log: (level, message) => {
        if (level !== 'debug') told.push(message);
      },
    });
    await callTool(connection, 'echo', { text: 'x' });
    await until(() => server.requests.some((one) => one.verb === 'GET'));
    await callTool(connection, 'echo', { text: 'x' });
    expect([outcome(connection), told]).toEqual([
      { state: 'ready', error: undefined, notices: [] },
      [],
    ]);
    expect(server.requests.filter((one) => one.verb === 'GET')).toHaveLength(1);
  });

  test('is opened 50 ms after the lists, so that who only lists does without', async () => {
    const clock = createManualClock();
    await using server = await startMcpServer({ get: 'stream' });
    const gets = () => server.requests.filter((one) => one.verb === 'GET').length;
    await using connection = await connected(server.url, { clock });
    await clock.advance(49);
    expect([gets(), clock.waiting]).toEqual([0, 1]);
    await clock.advance(1);
    await until(() => gets() === 1);
    await connection.close();
  });
});

describe('what is sent', () => {
  test('loopback never goes through a proxy, and Bun counts no time', async () => {
    await using server = await startMcpServer();
    const inits: FetchInit[] = [];
    const fetch = (url: string, init: FetchInit) => {
      inits.push(init);
      return realFetch(url, init);
    };
    await using connection = await connected(server.url, { fetch });
    await callTool(connection, 'echo', { text: 'x' });
    expect(inits.map(({ redirect, timeout, proxy }) => ({ redirect, timeout, proxy }))).toEqual(
      inits.map(() => ({ redirect: 'manual', timeout: false, proxy: false })),
    );
  });

  test.each([
    [{ HTTPS_PROXY: 'proxy.example:3128' }, 'http://proxy.example:3128/'],
    [{ HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example' }, false],
    [{}, false],
  ] as const)('other hosts go through the proxy of %j', async (env, proxy) => {
    const inits: FetchInit[] = [];
    const fetch = (_url: string, init: FetchInit) => {
      inits.push(init);
      return Promise.resolve(new Response('no', { status: 400 }));
    };
    const resolve = async () => ['93.184.215.14'];
    await using _connection = await connected('https://mcp.example/mcp', { fetch, env, resolve });
    expect(inits.map((init) => init.proxy)).toEqual([proxy]);
  });

  test('configured headers go along, those of the protocol win', async () => {
    await using server = await startMcpServer();
    const headers = { 'X-Api-Key': 'k-12345', ACCEPT: 'text/html', 'Mcp-Session-Id': 'mine' };
    await using connection = open(httpEndpoint(server.url, { headers }));
    await connection.connect(never);
    const { accept, 'x-api-key': key, 'content-type': type } = server.requests[0]?.headers ?? {};
    expect({ accept, key, type }).toEqual({
      accept: 'application/json, text/event-stream',
      key: 'k-12345',
      type: 'application/json',
    });
  });

  test('an abort closes the POST', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using server = serveRpc((message, request) => {
      if (message['method'] !== 'tools/call') return undefined;
      request.signal.addEventListener('abort', () => resolve());
      return new Promise<Response>(() => undefined);
    });
    await using connection = await connected(server.url);
    const control = new AbortController();
    const failing = failureOf(callTool(connection, 'echo', {}, { signal: control.signal }));
    await until(() => server.methods().includes('tools/call'));
    control.abort(new Error('enough'));
    expect((await failing).message).toBe('enough');
    await closed;
  });
});

test('a result beyond 16 MiB is refused by its bound', async () => {
  await using server = serveRpc((message) =>
    message['method'] === 'tools/call'
      ? new Response('x'.repeat(17 * 1024 * 1024), { headers: json })
      : undefined,
  );
  await using connection = await connected(server.url);
  const error = await failureOf(callTool(connection, 'echo', {}));
  expect(error.message).toBe(
    'server "s1": the answer is larger than 16 MiB; whether s1/echo ran is not known',
  );
});
