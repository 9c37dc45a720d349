import { expect, test } from 'bun:test';
import { asJson } from '../fixtures/servers/answer.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import type { Json } from '../fixtures/servers/script.ts';
import { stdioServer } from '../helpers/config.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const steps = callThenAnswer(['s1_echo', { text: 'hi' }]);
const echoed = '{"text":"hi"}';

interface Arrival {
  readonly method: string;
  readonly version: string | null;
  readonly params: Json;
}

/** A server that takes only some versions: at initialize, or in the header of everything after it. */
function startPicky(takes: readonly string[], picksBy: 'initialize' | 'header') {
  const arrivals: Arrival[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const message = asJson(await request.json());
      const method = String(message['method'] ?? '');
      const version = request.headers.get('mcp-protocol-version');
      const params = asJson(message['params']);
      arrivals.push({ method, version, params });
      const id = message['id'] ?? null;
      const isUnknown = version !== null && !takes.includes(version);
      if (picksBy === 'header' && method !== 'initialize' && isUnknown) {
        return new Response(`Bad Request: unsupported protocol version ${version}`, {
          status: 400,
        });
      }
      if (message['id'] === undefined) return new Response(null, { status: 202 });
      return Response.json({ jsonrpc: '2.0', id, ...reply(method, params, takes) });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    of: (method: string) => arrivals.filter((one) => one.method === method),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function reply(method: string, params: Json, takes: readonly string[]): Json {
  if (method === 'tools/list') {
    return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
  }
  if (method === 'tools/call') {
    return {
      result: { content: [{ type: 'text', text: JSON.stringify(params['arguments']) }] },
    };
  }
  if (method !== 'initialize') return { error: { code: -32_601, message: 'no such method' } };
  const requested = String(params['protocolVersion']);
  if (!takes.includes(requested)) {
    const data = { supported: takes, requested };
    return { error: { code: -32_602, message: 'Unsupported protocol version', data } };
  }
  const serverInfo = { name: 'picky', version: '1' };
  return { result: { protocolVersion: requested, capabilities: { tools: {} }, serverInfo } };
}

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a server that answers %s is used, with that version in later headers',
  async (version) => {
    await using server = await startMcpServer({ protocolVersion: version });
    const run = await runScripted({ servers: [{ name: 's1', url: server.url }], steps });
    expect([run.code, run.stdout.trim()]).toEqual([0, echoed]);
    expect(run.stderr).not.toContain('protocol version');
    const later = server.requests.filter((one) =>
      ['notifications/initialized', 'tools/list', 'tools/call'].includes(one.method),
    );
    expect(later.length).toBeGreaterThanOrEqual(3);
    expect(new Set(later.map((one) => one.headers['mcp-protocol-version']))).toEqual(
      new Set([version]),
    );
  },
);

test.each(['2099-01-01', '1.0'])(
  'over HTTP a server that answers %s is used, with one line that quotes both versions',
  async (version) => {
    await using server = await startMcpServer({ protocolVersion: version });
    const run = await runScripted({ servers: [{ name: 's1', url: server.url }], steps });
    expect([run.code, run.stdout.trim()]).toEqual([0, echoed]);
    expectOneWarning(run.stderr, version);
    expect(server.calls()).toHaveLength(1);
  },
);

test.each(['2099-01-01', '1.0'])(
  'over stdio a server that answers %s is used, with one line that quotes both versions',
  async (version) => {
    const servers = [stdioServer('s1', { protocolVersion: version })];
    const run = await runScripted({ servers, steps });
    expect([run.code, run.stdout.trim()]).toEqual([0, echoed]);
    expectOneWarning(run.stderr, version);
  },
);

test('a refused version is followed by one that the server lists', async () => {
  await using server = startPicky(['2025-03-26', '2024-11-05'], 'initialize');
  const run = await runScripted({ servers: [{ name: 's1', url: server.url }], steps });
  expect([run.code, run.stdout.trim()]).toEqual([0, echoed]);
  const asked = server.of('initialize').map((one) => one.params['protocolVersion']);
  expect(asked).toEqual(['2025-11-25', '2025-03-26']);
  expect(server.of('tools/call').map((one) => one.version)).toEqual(['2025-03-26']);
});

test('a server that lists only unknown versions is left out with one line that quotes both', async () => {
  await using server = startPicky(['2099-01-01'], 'initialize');
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [{ text: 'alone' }],
  });
  expect([run.code, run.stdout.trim()]).toEqual([4, 'alone']);
  const told = run.stderr.split('\n').filter((line) => line.includes('2099-01-01'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('"s1"');
  expect(told[0]).toContain('2025-11-25');
  expect(server.of('tools/list')).toEqual([]);
});

test('a server that answers 400 to a header it does not know is used all the same', async () => {
  await using server = startPicky(['2025-11-25', '2025-06-18'], 'header');
  const run = await runScripted({ servers: [{ name: 's1', url: server.url }], steps });
  expect([run.code, run.stdout.trim()]).toEqual([0, echoed]);
  expect(server.of('tools/call').map((one) => one.version)).toEqual(['2025-11-25']);
});

function expectOneWarning(stderr: string, version: string): void {
  const lines = stderr.split('\n').filter((line) => line.includes('protocol version'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('s1');
  expect(lines[0]).toContain(version);
  expect(lines[0]).toContain('2025-11-25');
}
