/** Which generation a server is taken for, by what it answers to the probe. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthError, ConnectError, ProtocolError } from '../../src/base/errors.ts';
import type { Fetch } from '../../src/base/http.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { type Spawn, spawnChild } from '../../src/base/spawn.ts';
import type { EraMemory } from '../../src/mcp/era-memory.ts';
import { newFolder } from '../helpers/places.ts';
import { openStream, type RpcServer, rpcResult, serveRpc } from '../transport/rpc-server.ts';
import { createManualClock } from './manual-clock.ts';
import { complete, metaOf, refuse, serveModern, VERSION } from './modern-server.ts';
import { httpEndpoint, hurriedClock, never, open, stdioEndpoint, until } from './rig.ts';

const auto = { protocol: 'auto' } as const;
const LEGACY = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'];
const isProbe = (message: JsonObject) => message['method'] === 'server/discover';
const json = (body: unknown, status = 200) => Response.json(body, { status });
const html = (status: number) =>
  new Response('<html>no</html>', { status, headers: { 'content-type': 'text/html' } });

async function meet(server: RpcServer, config = {}, ports = {}) {
  await using connection = open(httpEndpoint(server.url), ports, { ...auto, ...config });
  await connection.connect(never);
  const { state, era, protocolVersion, error } = connection.status();
  return { state, era, protocolVersion, error, methods: server.methods() };
}

describe('over HTTP a server is legacy that answers the probe with', () => {
  const answers: Readonly<Record<string, (message: JsonObject) => Response>> = {
    '404 and a page': () => html(404),
    '400 and text': () => new Response('Bad Request: Server not initialized', { status: 400 }),
    '400 and an error without an id': () =>
      json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'no session' } }, 400),
    '405': () => new Response('no', { status: 405 }),
    '406': () => new Response('no', { status: 406 }),
    '415': () => new Response('no', { status: 415 }),
    'method not found': (message) => refuse(message, -32_601, undefined, 200),
    'invalid params': (message) => refuse(message, -32_602, undefined, 200),
    'not initialized': (message) => refuse(message, -32_002, undefined, 200),
    'an empty result': (message) => json(rpcResult(message, {})),
    'a result that is null': (message) => json(rpcResult(message, null)),
    'only older versions': (message) =>
      json(rpcResult(message, { supportedVersions: ['2025-11-25'], capabilities: {} })),
    'a list of older versions': (message) =>
      refuse(message, -32_022, { supported: ['2025-11-25'] }),
    '202': () => new Response(null, { status: 202 }),
    '204': () => new Response(null, { status: 204 }),
    '500': () => new Response('oops', { status: 500 }),
    '500 and an error': (message) => refuse(message, -32_603, undefined, 500),
    '501': () => new Response('no', { status: 501 }),
    'an error without an id': () =>
      json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'what' } }),
    'an empty body': () => new Response('', { headers: { 'content-type': 'application/json' } }),
    'an empty array': () => json([]),
    'a page': () => html(200),
    'a stream that ends empty': () => openStream((_write, end) => end()),
    'another id': () => json({ jsonrpc: '2.0', id: 99, result: { supportedVersions: [VERSION] } }),
  };
  test.each(Object.entries(answers))('%s', async (_name, answer) => {
    await using server = serveRpc((message) => (isProbe(message) ? answer(message) : undefined));
    // Nothing waits for a limit: the clock stands still.
    expect(await meet(server, {}, { clock: createManualClock() })).toEqual({
      state: 'ready',
      era: 'legacy',
      protocolVersion: '2025-11-25',
      error: undefined,
      methods: LEGACY,
    });
  });

  test('nothing, within 3 s', async () => {
    const clock = createManualClock();
    await using server = serveRpc((message) =>
      isProbe(message) ? new Promise<Response>(() => undefined) : undefined,
    );
    const timeout = { connectMs: 15_000, idleMs: 0, maxMs: 0, tools: {} };
    await using connection = open(httpEndpoint(server.url), { clock }, { ...auto, timeout });
    const connecting = connection.connect(never);
    await until(() => server.methods().length === 1);
    await clock.advance(2999);
    expect(server.methods()).toEqual(['server/discover']);
    await clock.advance(1);
    await until(() => server.methods().includes('notifications/initialized'));
    await clock.advance(10);
    await connecting;
    expect([connection.status().state, connection.status().era, server.methods()]).toEqual([
      'ready',
      'legacy',
      LEGACY,
    ]);
  });
});

describe('the verdict is left open by', () => {
  test.each([
    [401, AuthError],
    [403, AuthError],
  ] as const)('a refusal for credentials, %d', async (status, kind) => {
    await using server = serveRpc(() => new Response('no', { status }));
    const { state, error, methods } = await meet(server);
    expect([state, error instanceof kind, methods]).toEqual([
      'needs_auth',
      true,
      ['server/discover'],
    ]);
  });

  test('a redirect', async () => {
    await using server = serveRpc(
      () => new Response(null, { status: 302, headers: { location: 'https://other.example/' } }),
    );
    const { state, error, methods } = await meet(server);
    expect([state, error instanceof ProtocolError, error?.details['status'], methods]).toEqual([
      'failed',
      true,
      302,
      ['server/discover'],
    ]);
  });

  test.each([429, 502, 503, 504])('a passing %d, which is asked again', async (status) => {
    let isFirst = true;
    await using server = serveModern((message) => {
      if (!isProbe(message) || !isFirst) return undefined;
      isFirst = false;
      return new Response('later', { status });
    });
    await using connection = open(httpEndpoint(server.url), { clock: hurriedClock }, auto);
    await connection.connect(never);
    expect([connection.status().era, server.methods()]).toEqual([
      'modern',
      ['server/discover', 'server/discover', 'tools/list'],
    ]);
  });

  test('a connection that broke', async () => {
    let isFirst = true;
    await using server = serveModern();
    const fetchOnceBroken: Fetch = (url, init) => {
      if (!isFirst) return fetch(url, init);
      isFirst = false;
      return Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    };
    await using connection = open(
      httpEndpoint(server.url),
      { clock: hurriedClock, fetch: fetchOnceBroken },
      auto,
    );
    await connection.connect(never);
    expect([connection.status().era, server.methods()]).toEqual([
      'modern',
      ['server/discover', 'tools/list'],
    ]);
  });
});

describe('a server is modern that', () => {
  test('answers with a common version', async () => {
    await using server = serveModern((message) =>
      isProbe(message)
        ? complete(message, {
            supportedVersions: ['2099-01-01', VERSION, '2025-11-25'],
            capabilities: { tools: {} },
            instructions: 'be kind',
            _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'm', version: '3' } },
          })
        : undefined,
    );
    await using connection = open(httpEndpoint(server.url), {}, auto);
    await connection.connect(never);
    const { readyMs: _readyMs, tools: _tools, ...status } = connection.status();
    expect(status).toEqual({
      name: 's1',
      kind: 'http',
      state: 'ready',
      era: 'modern',
      protocolVersion: VERSION,
      serverInfo: { name: 'm', version: '3' },
      instructions: 'be kind',
      capabilities: { tools: {} },
      dropped: [],
      notices: [],
      error: undefined,
    });
    expect(server.methods()).toEqual(['server/discover', 'tools/list']);
  });

  test('lists the version that was asked for: it is asked once more', async () => {
    let refusals = 1;
    await using server = serveModern((message) => {
      if (refusals === 0) return undefined;
      refusals -= 1;
      return refuse(message, -32_022, { supported: [VERSION] });
    });
    const { state, era, methods } = await meet(server);
    expect([state, era, methods]).toEqual([
      'ready',
      'modern',
      ['server/discover', 'server/discover', 'tools/list'],
    ]);
  });

  test('lists it and refuses it for ever: an error, no handshake', async () => {
    await using server = serveModern((message) =>
      refuse(message, -32_022, { supported: [VERSION] }),
    );
    const { state, error, methods } = await meet(server);
    expect([state, error?.message, methods]).toEqual([
      'failed',
      'server "s1" refuses protocol version 2026-07-28 although it lists it',
      ['server/discover', 'server/discover'],
    ]);
  });

  test('knows only later versions: an error, no handshake', async () => {
    await using server = serveRpc((message) =>
      refuse(message, -32_022, { supported: ['2027-05-05'] }),
    );
    const { state, error, methods } = await meet(server);
    expect([state, error?.message, methods]).toEqual([
      'failed',
      'the server speaks only protocol versions that are not known here: 2027-05-05',
      ['server/discover'],
    ]);
  });

  test('refuses the handshake although the probe said nothing', async () => {
    let probes = 0;
    await using server = serveModern((message) => {
      if (!isProbe(message)) return undefined;
      probes += 1;
      return probes === 1 ? html(500) : undefined;
    });
    const { state, era, methods } = await meet(server);
    expect([state, era, methods]).toEqual([
      'ready',
      'modern',
      ['server/discover', 'initialize', 'server/discover', 'tools/list'],
    ]);
  });
});

describe('a pin', () => {
  test('to legacy probes nothing', async () => {
    await using server = serveRpc(() => undefined);
    expect((await meet(server, { protocol: 'legacy' })).methods).toEqual(LEGACY.slice(1));
  });

  test('to legacy is kept against a server that speaks only 2026-07-28', async () => {
    await using server = serveModern();
    const { state, error, methods } = await meet(server, { protocol: 'legacy' });
    expect([state, error?.hint, methods]).toEqual([
      'failed',
      'remove protocol: legacy from its entry',
      ['initialize'],
    ]);
  });

  test('to 2026-07-28 is kept against a legacy server', async () => {
    await using server = serveRpc((message) =>
      isProbe(message) ? refuse(message, -32_601, undefined, 200) : undefined,
    );
    const { state, error, methods } = await meet(server, { protocol: VERSION });
    expect([state, error?.message, error?.hint, methods]).toEqual([
      'failed',
      'server "s1" does not speak protocol version 2026-07-28',
      'remove protocol: 2026-07-28 from its entry',
      ['server/discover'],
    ]);
  });
});

describe('over stdio', () => {
  /** Answers like a legacy server; `onProbe` is what it does with the probe. Appends its methods to `log`. */
  function legacyProcess(onProbe: string, log: string, atStart = '') {
    const source = `
      const { appendFileSync } = require('node:fs');
      const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
      appendFileSync(${JSON.stringify(log)}, 'start\\n');
      ${atStart}
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        appendFileSync(${JSON.stringify(log)}, method + '\\n');
        if (method === 'server/discover') { ${onProbe} return; }
        if (id === undefined) return;
        const result = method === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} } }
          : { tools: [] };
        say({ jsonrpc: '2.0', id, result });
      });`;
    return stdioEndpoint(process.execPath, ['-e', source]);
  }
  const linesOf = (log: string) =>
    existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];

  test('one process is enough for a server that refuses the probe', async () => {
    const log = join(newFolder(), 'log');
    const refusal = `say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });`;
    await using connection = open(legacyProcess(refusal, log), {}, auto);
    await connection.connect(never);
    expect([connection.status().state, connection.status().era, linesOf(log)]).toEqual([
      'ready',
      'legacy',
      ['start', ...LEGACY],
    ]);
  });

  test('a server that ends on the probe is started once more and not asked again', async () => {
    const log = join(newFolder(), 'log');
    await using connection = open(legacyProcess('process.exit(3);', log), {}, auto);
    await connection.connect(never);
    expect([connection.status().state, connection.status().era, linesOf(log)]).toEqual([
      'ready',
      'legacy',
      ['start', 'server/discover', 'start', ...LEGACY.slice(1)],
    ]);
  });

  test('pinned to 2026-07-28 it is not started again', async () => {
    const log = join(newFolder(), 'log');
    await using connection = open(
      legacyProcess('process.exit(3);', log),
      {},
      { protocol: VERSION },
    );
    await connection.connect(never);
    const { state, error } = connection.status();
    expect([
      state,
      error instanceof ConnectError,
      error?.details['exitCode'],
      linesOf(log),
    ]).toEqual(['failed', true, 3, ['start', 'server/discover']]);
  });

  const noLimit = { connectMs: 0, idleMs: 0, maxMs: 0, tools: {} };
  /** The same, started by a command that may download it first. */
  const launched = ({ command, args }: ReturnType<typeof stdioEndpoint>) => {
    const folder = newFolder();
    symlinkSync(command, join(folder, 'bun'));
    // A name of its own, as a launcher has one; what it starts is the same.
    writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$(dirname "$0")/bun" "$@"\n', {
      mode: 0o700,
    });
    return stdioEndpoint(join(folder, 'npx'), args);
  };

  test('a process that ignores the probe is asked the old way after 2.5 s', async () => {
    const log = join(newFolder(), 'log');
    const clock = createManualClock();
    await using connection = open(legacyProcess('', log), { clock }, { ...auto, timeout: noLimit });
    const connecting = connection.connect(never);
    await until(() => linesOf(log).includes('server/discover'));
    await clock.advance(2499);
    expect(linesOf(log)).toEqual(['start', 'server/discover']);
    await clock.advance(1);
    await until(() => linesOf(log).includes('notifications/initialized'));
    await clock.advance(10);
    await connecting;
    expect([connection.status().state, linesOf(log)]).toEqual(['ready', ['start', ...LEGACY]]);
  });

  test('the clock of one that may be downloaded starts at its first output', async () => {
    const log = join(newFolder(), 'log');
    const clock = createManualClock();
    let hasSpoken = false;
    const spawn: Spawn = (options) => {
      const child = spawnChild(options);
      async function* watched() {
        for await (const chunk of child.stderr) {
          yield chunk;
          hasSpoken = true;
        }
      }
      return Object.assign(Object.create(child), { stderr: watched() });
    };
    await using connection = open(
      launched(legacyProcess(`process.stderr.write('thinking');`, log)),
      { clock, spawn },
      { ...auto, timeout: noLimit },
    );
    const connecting = connection.connect(never);
    await clock.advance(20_000);
    await until(() => hasSpoken);
    await clock.advance(2499);
    expect(linesOf(log)).toEqual(['start', 'server/discover']);
    await clock.advance(1);
    await until(() => linesOf(log).includes('notifications/initialized'));
    await clock.advance(10);
    await connecting;
    expect([connection.status().state, linesOf(log)]).toEqual(['ready', ['start', ...LEGACY]]);
  });

  test('one that may be downloaded and stays silent is asked the old way after 30 s more', async () => {
    const log = join(newFolder(), 'log');
    const clock = createManualClock();
    await using connection = open(
      launched(legacyProcess('', log)),
      { clock },
      { ...auto, timeout: noLimit },
    );
    const connecting = connection.connect(never);
    await until(() => linesOf(log).includes('server/discover'));
    await clock.advance(30_000);
    await clock.advance(2499);
    expect(linesOf(log)).toEqual(['start', 'server/discover']);
    await clock.advance(1);
    await until(() => linesOf(log).includes('notifications/initialized'));
    await clock.advance(10);
    await connecting;
    expect([connection.status().state, connection.status().era]).toEqual(['ready', 'legacy']);
  });

  /** Reads nothing before the file `go` exists: slow to start, without a word. */
  function slowModern(go: string, legacy: string) {
    return stdioEndpoint('/bin/sh', [
      '-c',
      `while [ ! -e "$1" ]; do sleep 0.02; done; exec "$2" "$3" ${legacy}`,
      ...['sh', go, process.execPath],
      join(import.meta.dir, '../fixtures/servers/modern-stdio.ts'),
    ]);
  }

  test.each([
    ['both generations is met as legacy this once, and not remembered as that', '', 'legacy'],
    ['the new one alone is met as modern', 'reject', 'modern'],
  ] as const)('a slow process that speaks %s', async (_what, legacy, era) => {
    const go = join(newFolder(), 'go');
    const clock = createManualClock();
    const remembered: unknown[] = [];
    const memory: EraMemory = {
      recall: () => undefined,
      remember: (_key, found) => remembered.push(found.era),
      forget: () => undefined,
      save: () => undefined,
    };
    await using connection = open(
      slowModern(go, legacy),
      { clock, memory },
      { ...auto, timeout: noLimit },
    );
    const connecting = connection.connect(never);
    await until(() => clock.waiting > 0);
    await clock.advance(2500);
    writeFileSync(go, '');
    await until(() => {
      void clock.advance(10);
      return connection.status().state === 'ready';
    });
    await connecting;
    expect([connection.status().era, remembered]).toEqual([
      era,
      era === 'modern' ? ['modern'] : [],
    ]);
  });
});

test('the probe says who asks and what we can do', async () => {
  await using server = serveModern();
  await using connection = open(
    httpEndpoint(server.url),
    { clientCapabilities: { roots: {}, extensions: { 'x/y': {} } }, logLevel: 'info' },
    auto,
  );
  await connection.connect(never);
  const [probe, list] = server.messages;
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'usher', version: '1.2.3' },
    'io.modelcontextprotocol/clientCapabilities': {
      roots: {},
      extensions: { 'x/y': {}, 'io.modelcontextprotocol/tasks': {} },
    },
    'io.modelcontextprotocol/logLevel': 'info',
  };
  expect([metaOf(probe ?? {}), metaOf(list ?? {})]).toEqual([
    // The envelope of the probe asks for no log messages either way.
    envelope,
    { ...envelope, progressToken: 2 },
  ]);
  expect(
    server.requests.map(({ headers }) => [
      headers.get('mcp-protocol-version'),
      headers.get('mcp-method'),
      headers.get('mcp-name'),
      headers.get('mcp-session-id'),
    ]),
  ).toEqual([
    [VERSION, 'server/discover', null, null],
    [VERSION, 'tools/list', null, null],
  ]);
});
