/** When a URL is taken for legacy HTTP+SSE without being asked to, and what is reported when it is not. */
import { describe, expect, test } from 'bun:test';
import { type RawReply, startMcpServer } from '../fixtures/servers/http.ts';
import { type SseLegacyScript, startSseLegacyServer } from '../fixtures/servers/sse-legacy.ts';
import { callTool, httpEndpoint, hurriedClock, never, open, until } from '../mcp/rig.ts';

const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };

/** As many servers refuse a verb, without having read the message. */
const RPC_REFUSAL =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Method not allowed."}}';

async function connectLegacy(script: SseLegacyScript) {
  await using server = await startSseLegacyServer(script);
  await using connection = open(httpEndpoint(server.url));
  await connection.connect(never);
  const { state, kind, notices, error } = connection.status();
  const verbs = server.requests.map(({ verb, path }) => `${verb} ${path}`);
  return { state, kind, notices, error, verbs };
}

describe('a server that speaks only legacy HTTP+SSE', () => {
  test.each([
    { status: 405, body: 'Method Not Allowed' },
    { status: 404, headers: html, body: '<pre>Cannot POST /sse</pre>' },
    { status: 405, headers: json, body: '{"status":405,"error":"Method Not Allowed"}' },
    { status: 405, headers: json, body: RPC_REFUSAL },
  ])('connects after %j with one notice', async (postOnStream) => {
    expect(await connectLegacy({ postOnStream })).toEqual({
      state: 'ready',
      kind: 'sse',
      notices: [
        'server "s1" speaks only the deprecated HTTP+SSE transport; transport: sse in its entry spares the first attempt',
      ],
      error: undefined,
      verbs: [
        'POST /mcp/sse',
        'GET /mcp/sse',
        'POST /mcp/messages?sessionId=1',
        'POST /mcp/messages?sessionId=1',
        'POST /mcp/messages?sessionId=1',
      ],
    });
  });

  test('connects again after its stream broke, without a second notice', async () => {
    await using server = await startSseLegacyServer();
    await using connection = open(httpEndpoint(server.url));
    await connection.connect(never);
    server.drop('end');
    await until(() => connection.status().state === 'failed');
    const result = await callTool(connection, 'echo', { text: 'x' });
    expect(result.content).toEqual([{ type: 'text', text: '{"text":"x"}' }]);
    expect(connection.status().notices).toHaveLength(1);
  });

  test('and fails over that is reported with its first answer, too', async () => {
    const instead = { initialize: { status: 404, body: 'gone' } };
    const { error, verbs } = await connectLegacy({ instead });
    expect(error?.message).toMatch(
      /^server "s1" answered HTTP 405: Method Not Allowed \(tried as legacy HTTP\+SSE: server "s1" answered HTTP 404: gone \(POST http:.*\/mcp\/messages\?sessionId=1\)\)$/,
    );
    expect(verbs).toEqual(['POST /mcp/sse', 'GET /mcp/sse', 'POST /mcp/messages?sessionId=1']);
  });

  test('that wants a token is reported as such, with both answers', async () => {
    const get = { status: 401, body: 'who are you' };
    const { state, error } = await connectLegacy({ get });
    expect([state, error?.code]).toEqual(['needs_auth', 'auth']);
    expect(error?.message).toBe(
      'server "s1" answered HTTP 405: Method Not Allowed (tried as legacy HTTP+SSE: server "s1" needs a token (401): who are you)',
    );
  });
});

describe('a server that speaks neither', () => {
  const cases: Readonly<Record<string, readonly [RawReply, RawReply, string]>> = {
    '404, then 405': [
      { status: 404, body: 'no such path' },
      { status: 405, body: 'use something else' },
      'server "s1" answered HTTP 404: no such path (tried as legacy HTTP+SSE: server "s1" answered HTTP 405: use something else)',
    ],
    '404, then the same': [
      { status: 404, body: 'not found' },
      { status: 404, body: 'not found' },
      'server "s1" answered HTTP 404: not found',
    ],
    '405 with a protocol error, then 405': [
      { status: 405, headers: json, body: RPC_REFUSAL },
      { status: 405, body: 'use something else' },
      'server "s1" answered HTTP 405 (application/json): Method not allowed. (tried as legacy HTTP+SSE: server "s1" answered HTTP 405: use something else)',
    ],
    '405, then a web page': [
      { status: 405, body: 'not by POST' },
      { status: 200, headers: html, body: '<p>welcome' },
      'server "s1" answered HTTP 405: not by POST (tried as legacy HTTP+SSE: server "s1" answered GET with HTTP 200 text/html, not an event stream)',
    ],
    '405, then a stream that ends': [
      { status: 405, body: 'not by POST' },
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ': bye\n\n' },
      'server "s1" answered HTTP 405: not by POST (tried as legacy HTTP+SSE: server "s1" closed its event stream)',
    ],
    '404, then an endpoint elsewhere': [
      { status: 404, body: 'not here' },
      {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: 'event: endpoint\ndata: http://evil.invalid/x\n\n',
      },
      'server "s1" answered HTTP 404: not here (tried as legacy HTTP+SSE: server "s1" names an endpoint of another origin: http://evil.invalid/x, not ORIGIN; nothing is sent there)',
    ],
  };
  test.each(Object.entries(cases))('%s: the first answer leads', async (_name, expected) => {
    const [post, get, text] = expected;
    await using server = await startMcpServer({ instead: { '*': post }, get });
    await using connection = open(httpEndpoint(server.url));
    await connection.connect(never);
    const { state, kind, error, notices } = connection.status();
    const message = text.replace('ORIGIN', `http://127.0.0.1:${server.port}`);
    expect([state, kind, error?.code, error?.message, notices]).toEqual([
      'failed',
      'http',
      'protocol',
      message,
      [],
    ]);
    expect(server.requests.map(({ verb }) => verb)).toEqual(['POST', 'GET']);
  });

  test('and keeps the GET open tells its first answer within the connect limit', async () => {
    const post = { status: 405, body: 'not by POST' };
    await using server = await startMcpServer({ instead: { '*': post }, get: 'stream' });
    await using connection = open(httpEndpoint(server.url), { clock: hurriedClock });
    await connection.connect(never);
    expect(connection.status().error?.message).toBe(
      'server "s1" answered HTTP 405: not by POST (tried as legacy HTTP+SSE: no endpoint event came)',
    );
  });
});

test.each([400, 401, 403, 406, 410, 415, 500, 501, 502])(
  'a %p is the failure itself: no GET follows',
  async (status) => {
    const reply = { status, headers: { 'retry-after': '0' }, body: 'the reason' };
    await using server = await startMcpServer({ instead: { '*': reply } });
    await using connection = open(httpEndpoint(server.url), { clock: hurriedClock });
    await connection.connect(never);
    expect(connection.status().error?.message).toContain('the reason');
    expect(server.requests.filter(({ verb }) => verb === 'GET')).toEqual([]);
  },
);

test('a 404 that answers the message itself is the answer: no GET follows', async () => {
  const error = { code: -32_601, message: 'Method not found' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error });
  const instead = { '*': { status: 404, headers: json, body } };
  await using server = await startMcpServer({ instead });
  await using connection = open(httpEndpoint(server.url));
  await connection.connect(never);
  expect(connection.status().error?.message).toContain('Method not found');
  expect(server.requests.map(({ verb }) => verb)).toEqual(['POST']);
});

test('a 404 for another request than initialize is the failure itself', async () => {
  const instead = { 'tools/list': { status: 404, body: 'no list' } };
  await using server = await startMcpServer({ instead });
  await using connection = open(httpEndpoint(server.url));
  await connection.connect(never);
  expect(connection.status().error?.message).toBe('server "s1" answered HTTP 404: no list');
  expect(server.requests.filter(({ verb }) => verb === 'GET')).toEqual([]);
});
