/** What is remembered of servers between runs: when it spares a request, and when it is not believed. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { UnknownOutcomeError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { registerSecret } from '../../src/base/redact.ts';
import {
  createEraMemory,
  type EraMemory,
  memoryKey,
  type Remembered,
} from '../../src/mcp/era-memory.ts';
import { newFolder } from '../helpers/places.ts';
import { openStream, serveRpc } from '../transport/rpc-server.ts';
import { complete, metaOf, refuse, serveModern, VERSION } from './modern-server.ts';
import { callTool, failureOf, httpEndpoint, never, open, stdioEndpoint } from './rig.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LATER_MS = 8 * DAY_MS;
const discovery = { supportedVersions: [VERSION], capabilities: { tools: {} } };
const modern = { era: 'modern', version: VERSION, discovery } as const;

function memoryIn(directory: string | undefined, laterMs = 0, told: string[] = []): EraMemory {
  const clock: Clock = {
    ...systemClock,
    date: () => new Date(systemClock.date().getTime() + laterMs),
  };
  return createEraMemory({ directory, clock, log: (_level, message) => told.push(message) });
}

/** Remembers it and puts it into the file. */
function kept(memory: EraMemory, key: string, found: Remembered): void {
  memory.remember(key, found);
  memory.save();
}

describe('the file', () => {
  test('is private, and read by the next process', () => {
    const folder = join(newFolder(), 'state');
    const memory = memoryIn(folder);
    memory.remember('a', { era: 'legacy' });
    memory.remember('b', modern);
    memory.forget('a');
    memory.save();
    expect([
      statSync(join(folder, 'servers.json')).mode & 0o777,
      memoryIn(folder).recall('a'),
      memoryIn(folder).recall('b'),
      memory.recall('b'),
    ]).toEqual([0o600, undefined, modern, modern]);
  });

  test('is not believed for more than seven days, nor from the future', () => {
    const folder = newFolder();
    kept(memoryIn(folder), 'a', { era: 'legacy' });
    expect([
      memoryIn(folder, 6 * DAY_MS).recall('a'),
      memoryIn(folder, LATER_MS).recall('a'),
      memoryIn(folder, -DAY_MS).recall('a'),
    ]).toEqual([{ era: 'legacy' }, undefined, undefined]);
  });

  test.each([
    ['no JSON', '{'],
    ['another shape', '{"servers":[]}'],
    ['nothing', ''],
    ['a bad entry', '{"servers":{"a":{"era":"legacy","at":"x"},"b":7,"c":{"era":"odd","at":1}}}'],
  ])('that holds %s is no memory and is written anew', (_what, content) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'servers.json'), content);
    const memory = memoryIn(folder);
    expect(['a', 'b', 'c'].map((key) => memory.recall(key))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    kept(memory, 'a', { era: 'legacy' });
    expect(memoryIn(folder).recall('a')).toEqual({ era: 'legacy' });
  });

  test('that is too large is no memory', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'servers.json'), ' '.repeat(3 * 1024 * 1024));
    expect(memoryIn(folder).recall('a')).toBeUndefined();
  });

  test('that cannot be written costs a debug line', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'servers.json'));
    const told: string[] = [];
    const memory = memoryIn(folder, 0, told);
    kept(memory, 'a', { era: 'legacy' });
    expect(memory.recall('a')).toEqual({ era: 'legacy' });
    expect(told.some((line) => line.startsWith('servers not remembered: '))).toBe(true);
  });

  test('is not touched by what it says already', () => {
    const folder = newFolder();
    kept(memoryIn(folder), 'a', modern);
    const before = readFileSync(join(folder, 'servers.json'), 'utf8');
    writeFileSync(join(folder, 'servers.json'), `${before} `);
    kept(memoryIn(folder), 'a', modern);
    expect(readFileSync(join(folder, 'servers.json'), 'utf8')).toBe(`${before} `);
  });

  test('keeps what other processes wrote', () => {
    const folder = newFolder();
    const [one, two] = [memoryIn(folder), memoryIn(folder)];
    one.recall('x');
    two.recall('x');
    kept(one, 'a', { era: 'legacy' });
    kept(two, 'b', { era: 'legacy' });
    const all = memoryIn(folder);
    expect([all.recall('a'), all.recall('b')]).toEqual([{ era: 'legacy' }, { era: 'legacy' }]);
  });

  test('is bounded: the oldest servers go, a large tool list is left out', () => {
    const folder = newFolder();
    for (let count = 0; count < 201; count += 1) {
      kept(memoryIn(folder, count), `k${count}`, { era: 'legacy' });
    }
    const items = [{ name: 'x', description: 'y'.repeat(200_000) }];
    kept(memoryIn(folder, 300), 'big', { ...modern, tools: { items, until: 1 } });
    const memory = memoryIn(folder, 300);
    expect([memory.recall('k0'), memory.recall('k200'), memory.recall('big')]).toEqual([
      undefined,
      { era: 'legacy' },
      modern,
    ]);
  });

  test('stays small however much servers let us keep', () => {
    const folder = newFolder();
    const items = [{ name: 'x', description: 'ü'.repeat(100_000) }];
    for (let count = 0; count < 8; count += 1) {
      kept(memoryIn(folder, count), `k${count}`, { ...modern, tools: { items, until: count } });
    }
    expect(statSync(join(folder, 'servers.json')).size).toBeLessThan(1024 * 1024);
    expect(memoryIn(folder, 9).recall('k7')?.era).toBe('modern');
  });

  test('that others may use is not believed, and the remedy told', () => {
    const folder = newFolder();
    kept(memoryIn(folder), 'k', { era: 'legacy' });
    const [file = ''] = readdirSync(folder);
    const path = join(folder, file);
    chmodSync(path, 0o640);
    const told: string[] = [];
    expect([memoryIn(folder, 0, told).recall('k'), told]).toEqual([
      undefined,
      [`${path} has mode 640: others may use it; it is not used; chmod 600 ${path}`],
    ]);
  });

  test('holds no tool list that repeats a secret of ours', () => {
    registerSecret('canary-era-1');
    const folder = newFolder();
    const until = systemClock.date().getTime() + DAY_MS;
    const items = [{ name: 'echo', description: 'canary-era-1' }];
    kept(memoryIn(folder), 'k', { ...modern, tools: { items, until } });
    expect(memoryIn(folder).recall('k')).toEqual(modern);
  });

  test('without a place for it, is this process alone', () => {
    const memory = memoryIn(undefined);
    memory.remember('a', { era: 'legacy' });
    expect([memory.recall('a'), memoryIn(undefined).recall('a')]).toEqual([
      { era: 'legacy' },
      undefined,
    ]);
  });
});

test('a key tells servers apart and names none', () => {
  const http = (url: string) => memoryKey(httpEndpoint(url));
  expect(http('https://a/x')).toMatch(/^[0-9a-f]{64}$/);
  expect(http('https://a/x')).not.toBe(http('https://a/y'));
});

describe('a remembered server', () => {
  const auto = { protocol: 'auto' } as const;

  test('of the legacy era is not probed again', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveRpc((message) =>
      message['method'] === 'server/discover'
        ? refuse(message, -32_601, undefined, 200)
        : undefined,
    );
    for (const methods of [1, 0]) {
      const before = server.methods().length;
      await using connection = open(httpEndpoint(server.url), { memory }, auto);
      await connection.connect(never);
      const asked = server.methods().slice(before);
      expect(asked.filter((method) => method === 'server/discover')).toHaveLength(methods);
    }
  });

  test('that answered 500 to the probe is asked again the next time', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveRpc((message) =>
      message['method'] === 'server/discover' ? new Response('oops', { status: 500 }) : undefined,
    );
    for (let run = 0; run < 2; run += 1) {
      await using connection = open(httpEndpoint(server.url), { memory }, auto);
      await connection.connect(never);
    }
    expect(server.methods().filter((method) => method === 'server/discover')).toHaveLength(2);
  });

  test('of the legacy era that is modern now is probed after its refusal', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveModern();
    const endpoint = httpEndpoint(server.url);
    memory.remember(memoryKey(endpoint), { era: 'legacy' });
    await using connection = open(endpoint, { memory }, auto);
    await connection.connect(never);
    expect([connection.status().era, server.methods(), memory.recall(memoryKey(endpoint))]).toEqual(
      [
        'modern',
        ['initialize', 'server/discover', 'tools/list'],
        { ...modern, discovery: { resultType: 'complete', ...discovery } },
      ],
    );
  });

  test('of the legacy era that refuses the handshake in any other way is probed as well', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveModern((message) =>
      message['method'] === 'initialize' ? refuse(message, -32_601, undefined, 404) : undefined,
    );
    const endpoint = httpEndpoint(server.url);
    memory.remember(memoryKey(endpoint), { era: 'legacy' });
    await using connection = open(endpoint, { memory }, auto);
    await connection.connect(never);
    expect([connection.status().era, server.methods()]).toEqual([
      'modern',
      ['initialize', 'server/discover', 'tools/list'],
    ]);
  });

  test('of the legacy era that only fails says why, after one look', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveRpc((message) => refuse(message, -32_000, undefined, 400));
    const endpoint = httpEndpoint(server.url);
    memory.remember(memoryKey(endpoint), { era: 'legacy' });
    await using connection = open(endpoint, { memory }, auto);
    await connection.connect(never);
    expect([connection.status().error?.message, server.methods()]).toEqual([
      'server "s1" answered initialize with an error: refused -32000 (HTTP 400) (-32000)',
      ['initialize', 'server/discover'],
    ]);
  });

  test('of the modern era whose process ends on the first request is started anew', async () => {
    const memory = memoryIn(newFolder());
    const source = `
      const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      let isOpen = false;
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        isOpen ||= method === 'initialize';
        if (!isOpen) process.exit(4);
        if (id !== undefined) {
          say(id, method === 'initialize' ? { protocolVersion: '2025-06-18' } : { tools: [] });
        }
      });`;
    const endpoint = stdioEndpoint(process.execPath, ['-e', source]);
    memory.remember(memoryKey(endpoint), modern);
    await using connection = open(endpoint, { memory }, auto);
    await connection.connect(never);
    expect([
      connection.status().state,
      connection.status().era,
      memory.recall(memoryKey(endpoint)),
    ]).toEqual(['ready', 'legacy', { era: 'legacy' }]);
  });

  test('of the modern era that stays silent is doubted the next time', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveModern((message) =>
      message['method'] === 'tools/list' ? new Promise<Response>(() => undefined) : undefined,
    );
    const endpoint = httpEndpoint(server.url);
    memory.remember(memoryKey(endpoint), modern);
    const timeout = { connectMs: 30, idleMs: 0, maxMs: 0, tools: {} };
    await using connection = open(endpoint, { memory }, { ...auto, timeout });
    await connection.connect(never);
    expect([connection.status().state, memory.recall(memoryKey(endpoint))]).toEqual([
      'failed',
      undefined,
    ]);
  });

  test('of the modern era is listed at once', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveModern();
    const endpoint = httpEndpoint(server.url);
    memory.remember(memoryKey(endpoint), modern);
    await using connection = open(endpoint, { memory }, auto);
    await connection.connect(never);
    const { era, protocolVersion, capabilities } = connection.status();
    expect([era, protocolVersion, capabilities, server.methods()]).toEqual([
      'modern',
      VERSION,
      { tools: {} },
      ['tools/list'],
    ]);
  });

  test('of the modern era that is legacy now is met anew', async () => {
    const memory = memoryIn(newFolder());
    const isInitialized = new Set<string>();
    await using server = serveRpc((message) => {
      const method = String(message['method']);
      isInitialized.add(method);
      if (isInitialized.has('initialize')) return undefined;
      return new Response('Bad Request: Server not initialized', { status: 400 });
    });
    const endpoint = httpEndpoint(server.url);
    memory.remember(memoryKey(endpoint), modern);
    await using connection = open(endpoint, { memory }, auto);
    await connection.connect(never);
    expect([connection.status().era, connection.status().state, server.methods()]).toEqual([
      'legacy',
      'ready',
      [
        ...['tools/list', 'server/discover'],
        ...['server/discover', 'initialize', 'notifications/initialized', 'tools/list'],
      ],
    ]);
    expect(memory.recall(memoryKey(endpoint))).toEqual({ era: 'legacy' });
  });

  test('is not forgotten because it is down or wants a login', async () => {
    for (const status of [401, 503]) {
      const memory = memoryIn(newFolder());
      await using server = serveRpc(() => new Response('no', { status }));
      const endpoint = httpEndpoint(server.url);
      memory.remember(memoryKey(endpoint), modern);
      await using connection = open(endpoint, { memory }, { ...auto });
      await connection.connect(never);
      expect([
        server.methods().every((method) => method === 'tools/list'),
        memory.recall(memoryKey(endpoint)),
      ]).toEqual([true, modern]);
    }
  });
});

test('a server that becomes modern under a legacy session is met anew, and the call runs once', async () => {
  let isModern = false;
  const usual = (message: JsonObject) =>
    message['method'] === 'server/discover' && !isModern
      ? refuse(message, -32_601, undefined, 200)
      : undefined;
  await using server = serveRpc((message) => {
    if (!isModern) return usual(message);
    if (metaOf(message)['io.modelcontextprotocol/protocolVersion'] !== VERSION) {
      return refuse(message, -32_022, { supported: [VERSION] });
    }
    return message['method'] === 'server/discover' ? complete(message, discovery) : undefined;
  });
  const memory = memoryIn(newFolder());
  await using connection = open(httpEndpoint(server.url), { memory }, { protocol: 'auto' });
  await connection.connect(never);
  isModern = true;
  expect((await callTool(connection, 'echo')).content).toHaveLength(1);
  expect([connection.status().era, server.methods()]).toEqual([
    'modern',
    [
      ...['server/discover', 'initialize', 'notifications/initialized', 'tools/list'],
      ...['tools/call', 'server/discover', 'tools/list', 'tools/call'],
    ],
  ]);
});

describe('a single call to a remembered server', () => {
  const auto = { protocol: 'auto' } as const;
  const tools = [
    {
      name: 'q',
      inputSchema: { properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
  ];
  const listing = (hints: JsonObject) => (message: JsonObject, request: Request) => {
    if (message['method'] === 'tools/list') return complete(message, { tools, ...hints });
    if (message['method'] !== 'tools/call') return undefined;
    return complete(message, {
      content: [],
      structuredContent: request.headers.get('mcp-param-region'),
    });
  };

  async function secondRun(
    server: ReturnType<typeof serveModern>,
    { headers = {}, laterMs = 0 }: { headers?: Record<string, string>; laterMs?: number } = {},
  ) {
    const folder = newFolder();
    const endpoint = httpEndpoint(server.url, { headers });
    const earlier = memoryIn(folder);
    {
      await using first = open(endpoint, { memory: earlier }, auto);
      await first.connect(never);
    }
    earlier.save();
    const before = server.methods().length;
    const clock: Clock = {
      ...systemClock,
      date: () => new Date(systemClock.date().getTime() + laterMs),
    };
    const ports = { memory: memoryIn(folder, laterMs), usesKeptTools: true, clock };
    await using second = open(endpoint, ports, auto);
    await second.connect(never);
    const { structuredContent } = await callTool(second, 'q', { r: 'eu' });
    return { structuredContent, methods: server.methods().slice(before) };
  }

  test('is one request, with the headers of the kept list', async () => {
    await using server = serveModern(listing({ ttlMs: 60_000, cacheScope: 'public' }));
    expect(await secondRun(server)).toEqual({ structuredContent: 'eu', methods: ['tools/call'] });
  });

  test.each([
    ['the list may not be kept', {}, {}],
    ['the list is too old', { ttlMs: 60_000, cacheScope: 'public' }, { laterMs: 60_001 }],
    [
      'the list is for these credentials alone',
      { ttlMs: 60_000, cacheScope: 'private' },
      { headers: { 'x-user': 'me' } },
    ],
  ])('is two requests where %s', async (_why, hints, more) => {
    await using server = serveModern(listing(hints));
    expect(await secondRun(server, more)).toEqual({
      structuredContent: 'eu',
      methods: ['tools/list', 'tools/call'],
    });
  });

  test('that is legacy now is made over a new connection when it was refused unread', async () => {
    const folder = newFolder();
    const memory = memoryIn(folder);
    let isInitialized = false;
    await using server = serveRpc((message) => {
      if (message['method'] === 'initialize') isInitialized = true;
      return isInitialized ? undefined : new Response('not initialized', { status: 400 });
    });
    const endpoint = httpEndpoint(server.url);
    const until = systemClock.date().getTime() + DAY_MS;
    memory.remember(memoryKey(endpoint), {
      ...modern,
      tools: { items: [{ name: 'echo' }], until },
    });
    await using connection = open(endpoint, { memory, usesKeptTools: true }, auto);
    await connection.connect(never);
    expect((await callTool(connection, 'echo')).content).toHaveLength(1);
    expect([connection.status().era, server.methods()]).toEqual([
      'legacy',
      [
        ...['tools/call', 'server/discover'],
        ...[
          'server/discover',
          'initialize',
          'notifications/initialized',
          'tools/list',
          'tools/call',
        ],
      ],
    ]);
  });

  test.each([
    [
      'an error of its own',
      (message: JsonObject) => refuse(message, -32_000, undefined, 200),
      'ProtocolError',
    ],
    ['no answer', () => openStream((_write, end) => end()), 'UnknownOutcomeError'],
  ] as const)(
    'that is legacy now and gave %s is not made again, nor the server believed again',
    async (_what, answer, kind) => {
      const memory = memoryIn(newFolder());
      await using server = serveRpc((message) =>
        message['method'] === 'tools/call'
          ? answer(message)
          : refuse(message, -32_601, undefined, 200),
      );
      const endpoint = httpEndpoint(server.url);
      const until = systemClock.date().getTime() + DAY_MS;
      memory.remember(memoryKey(endpoint), {
        ...modern,
        tools: { items: [{ name: 'echo' }], until },
      });
      await using connection = open(endpoint, { memory, usesKeptTools: true }, auto);
      await connection.connect(never);
      const error = await failureOf(callTool(connection, 'echo'));
      expect([
        error instanceof UnknownOutcomeError ? 'UnknownOutcomeError' : 'ProtocolError',
        server.methods(),
        memory.recall(memoryKey(endpoint)),
      ]).toEqual([kind, ['tools/call', 'server/discover'], undefined]);
    },
  );

  test('with the server itself refusing the arguments is the error, and not made again', async () => {
    const memory = memoryIn(newFolder());
    await using server = serveModern((message) =>
      message['method'] === 'tools/call' ? refuse(message, -32_602, undefined, 200) : undefined,
    );
    const endpoint = httpEndpoint(server.url);
    const until = systemClock.date().getTime() + DAY_MS;
    memory.remember(memoryKey(endpoint), {
      ...modern,
      tools: { items: [{ name: 'echo' }], until },
    });
    await using connection = open(endpoint, { memory, usesKeptTools: true }, auto);
    await connection.connect(never);
    const error = await failureOf(callTool(connection, 'echo'));
    expect([error.message, server.methods()]).toEqual([
      'server "s1" answered tools/call with an error: refused -32602 (-32602)',
      ['tools/call', 'server/discover'],
    ]);
  });
});
