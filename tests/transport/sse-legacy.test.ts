/** Legacy HTTP+SSE: where messages go, and what becomes of them when the server fails. */
import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { AppError, UnknownOutcomeError } from '../../src/base/errors.ts';
import type { FetchInit } from '../../src/base/http.ts';
import type { ConnectionPorts } from '../../src/mcp/ports.ts';
import { SseTransport } from '../../src/transport/sse-legacy.ts';
import { standardTools } from '../fixtures/servers/script.ts';
import { type SseLegacyScript, startSseLegacyServer } from '../fixtures/servers/sse-legacy.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import { callTool, failureOf, httpEndpoint, never, open, realFetch, until } from '../mcp/rig.ts';

async function connected(url: string, ports: Partial<ConnectionPorts> = {}, headers = {}) {
  const connection = open(httpEndpoint(url, { kind: 'sse', headers }), ports);
  await connection.connect(never);
  return connection;
}

/** The state after connecting to such a server, and what was asked of it. */
async function connect(script: SseLegacyScript) {
  await using server = await startSseLegacyServer(script);
  await using connection = await connected(server.url);
  const { state, error } = connection.status();
  const hide = (text: string | undefined) => text?.replaceAll(String(server.port), 'P');
  const asked = server.requests.map(({ verb, path }) => `${verb} ${path}`);
  return { state, error: hide(error?.message), code: error?.code, asked };
}

describe('the endpoint', () => {
  const good: Readonly<Record<string, readonly [SseLegacyScript, string]>> = {
    'an absolute path': [{}, '/mcp/messages?sessionId=1'],
    'a relative path': [{ endpoint: 'messages?sessionId=$SESSION' }, '/mcp/messages?sessionId=1'],
    dots: [{ endpoint: '../mcp/./messages?sessionId=$SESSION' }, '/mcp/messages?sessionId=1'],
    'a whole URL of the same origin': [
      { endpoint: '$ORIGIN/mcp/messages?sessionId=$SESSION' },
      '/mcp/messages?sessionId=1',
    ],
    'a query alone': [{ endpoint: '?sessionId=$SESSION' }, '/mcp/sse?sessionId=1'],
    'white space around it and CRLF': [
      { endpoint: ' /mcp/messages?sessionId=$SESSION \t', lineEnd: '\r\n' },
      '/mcp/messages?sessionId=1',
    ],
    'a fragment, which is not sent': [
      { endpoint: '/mcp/messages?sessionId=$SESSION#x' },
      '/mcp/messages?sessionId=1',
    ],
  };
  test.each(Object.entries(good))(
    '%s resolves by the rules of URLs',
    async (_name, [script, path]) => {
      expect(await connect(script)).toEqual({
        state: 'ready',
        error: undefined,
        code: undefined,
        asked: ['GET /mcp/sse', `POST ${path}`, `POST ${path}`, `POST ${path}`],
      });
    },
  );

  test('that does not exist fails with the URL and the status', async () => {
    expect(await connect({ endpoint: '/messages?sessionId=$SESSION' })).toEqual({
      state: 'failed',
      error:
        'server "s1" answered HTTP 404: Cannot POST /messages (POST http://127.0.0.1:P/messages?sessionId=1)',
      code: 'protocol',
      asked: ['GET /mcp/sse', 'POST /messages?sessionId=1'],
    });
  });

  const bad: Readonly<Record<string, readonly [string, string]>> = {
    'another host': [
      'http://evil.invalid/x',
      'names an endpoint of another origin: http://evil.invalid/x, not http://127.0.0.1:P; nothing is sent there',
    ],
    'another port': [
      'http://127.0.0.1:1/x',
      'names an endpoint of another origin: http://127.0.0.1:1/x, not http://127.0.0.1:P; nothing is sent there',
    ],
    'a host without a scheme': [
      '//evil.invalid/x',
      'names an endpoint of another origin: http://evil.invalid/x, not http://127.0.0.1:P; nothing is sent there',
    ],
    'no address at all': ['http://', 'names no usable endpoint: http://'],
    nothing: [' ', 'names no usable endpoint: nothing'],
  };
  test.each(Object.entries(bad))(
    '%s is refused, nothing is sent',
    async (_name, [endpoint, text]) => {
      expect(await connect({ endpoint })).toEqual({
        state: 'failed',
        error: `server "s1" ${text}`,
        code: 'protocol',
        asked: ['GET /mcp/sse'],
      });
    },
  );

  test('is named once: a later one moves nothing', async () => {
    await using server = await startSseLegacyServer();
    await using connection = await connected(server.url);
    server.write('event: endpoint\ndata: http://evil.invalid/x\n\n');
    const result = await callTool(connection, 'echo', { text: 'x' });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":"x"}' }]);
    expect(server.requests.at(-1)?.path).toBe('/mcp/messages?sessionId=1');
  });

  test('that never comes ends by the connect limit', async () => {
    await using server = await startSseLegacyServer({ noEndpoint: true });
    await using connection = open(
      httpEndpoint(server.url, { kind: 'sse' }),
      {},
      {
        timeout: { connectMs: 150, idleMs: 1000, maxMs: 1000, tools: {} },
      },
    );
    await connection.connect(never);
    expect(connection.status().error?.message).toBe(
      'server "s1" did not answer initialize within 150ms (timeout.connect)',
    );
    expect(server.requests.map(({ verb }) => verb)).toEqual(['GET']);
  });
});

describe('the stream', () => {
  const refused: Readonly<Record<string, readonly [SseLegacyScript, string, string]>> = {
    'a 404': [
      { get: { status: 404, body: 'nothing here' } },
      'server "s1" answered HTTP 404: nothing here',
      'protocol',
    ],
    'a 401': [
      { bearer: 'KEY' },
      'server "s1" needs a token (401): {"error":"Missing API key"}',
      'auth',
    ],
    'a web page': [
      { get: { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>hi' } },
      'server "s1" answered GET with HTTP 200 text/html, not an event stream',
      'protocol',
    ],
    'a redirect': [
      { get: { status: 302, headers: { location: 'https://elsewhere.example/' } } },
      'server "s1" redirects (302) to https://elsewhere.example/; this is not followed',
      'protocol',
    ],
  };
  test.each(Object.entries(refused))('refused by %s fails with it', async (_name, expected) => {
    const [script, error, code] = expected;
    const outcome = await connect(script);
    expect([outcome.error, outcome.code, outcome.asked]).toEqual([error, code, ['GET /mcp/sse']]);
  });

  test.each([
    ['end', 'server "s1" closed its event stream'],
    ['reset', 'server "s1" cut its event stream off (ECONNRESET)'],
  ] as const)(
    '%p in the middle of a call leaves its outcome unknown, at once',
    async (how, text) => {
      await using server = await startSseLegacyServer({ streamAt: { 'tools/call': how } });
      // At once: the clock stands still.
      await using connection = await connected(server.url, { clock: createManualClock() });
      const error = await failureOf(callTool(connection, 'echo', { text: 'x' }));
      expect(error).toBeInstanceOf(UnknownOutcomeError);
      expect(error.message).toBe(`${text}; whether s1/echo ran is not known`);
      expect([connection.status().state, connection.status().error?.message]).toEqual([
        'failed',
        text,
      ]);
    },
  );

  test('that broke is opened again by the next call, with one handshake', async () => {
    await using server = await startSseLegacyServer();
    await using connection = await connected(server.url);
    server.drop('end');
    await until(() => connection.status().state === 'failed');
    const result = await callTool(connection, 'echo', { text: 'again' });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":"again"}' }]);
    const once = ['initialize', 'notifications/initialized', 'tools/list'];
    expect(server.methods()).toEqual([...once, ...once, 'tools/call']);
    expect(server.requests.filter(({ verb }) => verb === 'GET')).toHaveLength(2);
  });

  test('with an event beyond 16 MiB names the bound', async () => {
    const rawBefore = { 'tools/call': `data: ${'x'.repeat(17 * 1024 * 1024)}\n\n` };
    await using server = await startSseLegacyServer({ rawBefore });
    await using connection = await connected(server.url);
    const { message } = await failureOf(callTool(connection, 'echo', { text: 'x' }));
    expect(message).toBe(
      'server "s1": a server-sent event is larger than 16777216 bytes; whether s1/echo ran is not known',
    );
  });

  test('with comments, other events and text that is no message goes on in silence', async () => {
    const rawBefore = {
      'tools/call': ': ping\n\nevent: other\ndata: {}\n\ndata: hello\n\ndata:\n\n',
    };
    await using server = await startSseLegacyServer({ rawBefore });
    await using connection = await connected(server.url);
    const result = await callTool(connection, 'echo', { text: 'x' });
    expect([result.content, connection.status().notices]).toEqual([
      [{ type: 'text', text: '{"text":"x"}' }],
      [],
    ]);
  });

  test('shows life by comments to the one request that waits, to none of two', async () => {
    await using server = await startSseLegacyServer({ hangAt: ['a', 'b'] });
    const ports = { clock: systemClock, fetch: realFetch, log: () => undefined };
    const transport = new SseTransport(
      { name: 's1', url: server.url, headers: {}, hasToken: false },
      ports,
    );
    const seen: string[] = [];
    transport.open({
      onMessage: () => seen.push('message'),
      onNotice: () => undefined,
      onClose: () => undefined,
    });
    const request = (id: number, method: string) =>
      transport.send(
        { jsonrpc: '2.0', id, method },
        { signal: never, onActivity: () => seen.push(method) },
      );
    const ping = 'data: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n';
    await request(1, 'a');
    seen.length = 0;
    server.write(': still here\n\n');
    await until(() => seen.length > 0);
    expect(seen).toEqual(['a']);
    await request(2, 'b');
    seen.length = 0;
    server.write(`: still here\n\n${ping}`);
    await until(() => seen.length > 0);
    expect(seen).toEqual(['message']);
    await transport.close();
  });
});

describe('a message', () => {
  test.each([200, 201, 202, 204])('is accepted by a %p', async (status) => {
    const instead = { 'notifications/initialized': { status } };
    expect(await connect({ instead })).toMatchObject({ state: 'ready', error: undefined });
  });

  test.each(['json', 'sse'] as const)('may be answered in its own reply as %p', async (replyIn) => {
    await using server = await startSseLegacyServer({ replyIn });
    await using connection = await connected(server.url);
    const result = await callTool(connection, 'echo', { text: 'x' });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":"x"}' }]);
  });

  test.each([
    [
      { status: 500, body: 'database on fire' },
      'protocol',
      'server "s1" answered HTTP 500: database on fire (POST URL)',
    ],
    [{ status: 403, body: 'no' }, 'auth', 'server "s1" refused access (403): no'],
    [
      { status: 302, headers: { location: 'https://e.example/' } },
      'protocol',
      'server "s1" redirects (302) to https://e.example/; this is not followed',
    ],
  ])('refused by %j fails its call alone', async (reply, code, text) => {
    await using server = await startSseLegacyServer({ instead: { 'tools/call': reply } });
    await using connection = await connected(server.url);
    const error = await failureOf(callTool(connection, 'echo', { text: 'x' }));
    const url = `${server.origin}/mcp/messages?sessionId=1`;
    expect([error instanceof AppError ? error.code : '', error.message]).toEqual([
      code,
      text.replace('URL', url),
    ]);
    expect(connection.status().state).toBe('ready');
  });

  test('on a connection that is torn down has an unknown outcome', async () => {
    await using server = await startSseLegacyServer({ instead: { 'tools/call': 'reset' } });
    await using connection = await connected(server.url);
    const error = await failureOf(callTool(connection, 'echo', { text: 'x' }));
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(error.message).toContain(`${server.origin}/mcp/messages`);
  });

  test('of a forgotten session is sent once more in a new one', async () => {
    let isForgotten = false;
    const fetch = (url: string, init: FetchInit) => {
      const isCall = init.body?.includes('tools/call') === true;
      if (!isForgotten || !isCall || !url.includes('sessionId=1')) return realFetch(url, init);
      return Promise.resolve(new Response('Could not find session', { status: 404 }));
    };
    await using server = await startSseLegacyServer();
    await using connection = await connected(server.url, { fetch });
    isForgotten = true;
    const [a, b] = await Promise.all([
      callTool(connection, 'echo', { text: 'a' }),
      callTool(connection, 'echo', { text: 'b' }),
    ]);
    expect([a.content, b.content]).toEqual([
      [{ type: 'text', text: '{"text":"a"}' }],
      [{ type: 'text', text: '{"text":"b"}' }],
    ]);
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });
});

test('headers go with the stream and with every message; loopback needs no proxy', async () => {
  const inits: FetchInit[] = [];
  const fetch = (url: string, init: FetchInit) => {
    inits.push(init);
    return realFetch(url, init);
  };
  await using server = await startSseLegacyServer({ tools: standardTools, bearer: 'canary-t' });
  const headers = { Authorization: 'Bearer canary-t', 'X-Team': 'docs' };
  await using connection = await connected(server.url, { fetch }, headers);
  await callTool(connection, 'echo', { text: 'x' });
  expect(server.requests.map((one) => one.headers['x-team'])).toEqual(new Array(5).fill('docs'));
  expect(inits.map(({ redirect, timeout, proxy }) => ({ redirect, timeout, proxy }))).toEqual(
    new Array(5).fill({ redirect: 'manual', timeout: false, proxy: false }),
  );
});

test('close ends the stream', async () => {
  await using server = await startSseLegacyServer();
  const connection = await connected(server.url);
  expect(server.openStreams()).toBe(1);
  await connection.close();
  await until(() => server.openStreams() === 0);
});
