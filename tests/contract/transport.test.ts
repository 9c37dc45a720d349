/** What a connection promises, whatever its messages travel on. A new transport joins by one line. */
import { describe, expect, test } from 'bun:test';
import { UnknownOutcomeError } from '../../src/base/errors.ts';
import type { ServerEndpoint } from '../../src/config/types.ts';
import { RpcError } from '../../src/mcp/errors.ts';
import { type ServerScript, standardTools, tool } from '../fixtures/servers/script.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import {
  callTool,
  failureOf,
  httpRig,
  never,
  open as openTo,
  type Rig,
  sseRig,
  stdioRig,
  until,
  wsRig,
} from '../mcp/rig.ts';

const TRANSPORTS: Readonly<Record<string, (script: ServerScript) => Promise<Rig>>> = {
  'HTTP with JSON': (script) => httpRig(script),
  'HTTP with event streams': (script) => httpRig({ ...script, replyAs: 'sse' }),
  'HTTP with sessions and a GET stream': (script) =>
    httpRig({ ...script, sessions: true, get: 'stream' }),
  stdio: (script) => stdioRig(script),
  'legacy HTTP+SSE': (script) => sseRig(script),
  WebSocket: (script) => wsRig(script),
  'HTTP with JSON at 2026-07-28': (script) => httpRig({ ...script, modern: true }),
  'HTTP with event streams at 2026-07-28': (script) =>
    httpRig({ ...script, modern: true, replyAs: 'sse' }),
  'stdio at 2026-07-28': (script) => stdioRig({ ...script, modern: true }),
};
const object = { type: 'object', properties: {} };

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, start) => {
  const isModern = _name.includes('2026');
  /** There the end of an exchange says all; elsewhere a message does. */
  const tellsByClosing = isModern && _name.includes('HTTP');
  const open = (
    endpoint: ServerEndpoint,
    ports: Parameters<typeof openTo>[1],
    config: Parameters<typeof openTo>[2] = {},
  ) => openTo(endpoint, ports, { protocol: isModern ? 'auto' : 'legacy', ...config });

  test('connects, says who it is, lists and calls', async () => {
    await using rig = await start({ instructions: 'be brief', tools: standardTools.slice(0, 1) });
    await using connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    expect({ ...connection.status(), readyMs: 0 }).toEqual({
      name: 's1',
      kind: connection.kind,
      state: 'ready',
      era: isModern ? 'modern' : 'legacy',
      protocolVersion: isModern ? '2026-07-28' : '2025-11-25',
      serverInfo: { name: 'fixture', version: '1.0.0' },
      instructions: 'be brief',
      capabilities: { tools: {} },
      tools: [
        {
          name: 'echo',
          title: undefined,
          description: 'Repeats its arguments as JSON.',
          inputSchema: {
            type: 'object',
            properties: { text: { type: 'string', description: 'any text' } },
            required: ['text'],
          },
          outputSchema: undefined,
          annotations: {},
          raw: standardTools[0]?.definition as never,
        },
      ],
      dropped: [],
      notices: [],
      error: undefined,
      readyMs: 0,
    });
    const result = await callTool(connection, 'echo', { text: 'hi 🙂' });
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"text":"hi 🙂"}' }],
      structuredContent: undefined,
      isError: false,
      raw: { content: [{ type: 'text', text: '{"text":"hi 🙂"}' }] },
    });
    const first = isModern
      ? [['server/discover', 1]]
      : [
          ['initialize', 1],
          ['notifications/initialized', undefined],
        ];
    expect(rig.messages().map((message) => [message['method'], message['id']])).toEqual([
      ...first,
      ['tools/list', 2],
      ['tools/call', 3],
    ]);
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'usher', version: '1.2.3' },
      'io.modelcontextprotocol/clientCapabilities': {
        roots: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'usher', version: '1.2.3' },
    };
    expect(rig.messages()[0]?.['params']).toEqual(isModern ? { _meta: envelope } : hello);
    expect(rig.messages().at(-1)?.['params']).toEqual({
      name: 'echo',
      arguments: { text: 'hi 🙂' },
      _meta: { ...(isModern ? envelope : {}), progressToken: 3 },
    });
  });

  test('reads every page and echoes each cursor byte for byte', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const cursors = ['a+b/=', 'ünï "✓"'];
    await using rig = await start({
      tools: names.map((name) => tool(name, name, object)),
      pageSize: 2,
      cursors,
    });
    await using connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    expect(connection.status().tools.map((one) => one.name)).toEqual(names);
    const asked = rig
      .messages()
      .filter((message) => message['method'] === 'tools/list')
      .map((message) => (message['params'] as { cursor?: string }).cursor);
    expect(asked).toEqual([undefined, ...cursors]);
  });

  test('treats null as absent and drops only what cannot be used', async () => {
    await using rig = await start({
      nullEnvelopes: true,
      capabilities: { tools: null },
      listExtra: { nextCursor: null },
      tools: [
        { definition: { name: 'good', description: null, inputSchema: { required: null } } },
        { definition: { name: 'odd', inputSchema: 'text' } },
        { definition: { name: null } },
      ],
    });
    await using connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    const { tools, dropped } = connection.status();
    expect(tools.map(({ raw, ...tool }) => tool)).toEqual([
      {
        name: 'good',
        title: undefined,
        description: undefined,
        inputSchema: { type: 'object', properties: {} },
        outputSchema: undefined,
        annotations: {},
      },
    ]);
    expect(dropped).toEqual([
      { name: 'odd', problem: 'inputSchema is a string, not an object' },
      { name: '(no name)', problem: 'name is missing' },
    ]);
  });

  test('gives isError as a result and a JSON-RPC error as the server said it', async () => {
    await using rig = await start({});
    await using connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    const failed = await callTool(connection, 'fails');
    expect([failed.isError, failed.content]).toEqual([
      true,
      [{ type: 'text', text: 'the disk is full' }],
    ]);
    const error = await failureOf(callTool(connection, 'breaks'));
    expect(error).toBeInstanceOf(RpcError);
    expect(error.message).toBe(
      'server "s1" answered tools/call with an error: the backend is gone (-32001)',
    );
  });

  test('takes a server without tools as one that offers none', async () => {
    await using rig = await start({
      capabilities: {},
      errorAt: { 'tools/list': { code: -32_601, message: 'Method not found' } },
    });
    await using connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    expect([connection.status().state, connection.status().tools]).toEqual(['ready', []]);
  });

  if (!isModern) {
    test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
      'accepts version %s without a word',
      async (protocolVersion) => {
        await using rig = await start({ protocolVersion });
        await using connection = open(rig.endpoint, rig.ports);
        await connection.connect(never);
        const { state, notices } = connection.status();
        expect([state, connection.status().protocolVersion, notices]).toEqual([
          'ready',
          protocolVersion,
          [],
        ]);
      },
    );

    test('connects to an unknown version with a notice of both', async () => {
      await using rig = await start({ protocolVersion: '2099-01-01' });
      await using connection = open(rig.endpoint, rig.ports);
      await connection.connect(never);
      expect([connection.status().state, connection.status().notices]).toEqual([
        'ready',
        [
          'server "s1" speaks protocol version "2099-01-01", which is not known here (asked for 2025-11-25)',
        ],
      ]);
    });
  }

  test('tells progress and lets it reset the idle clock', async () => {
    const does = { afterMs: 300, progressEveryMs: 100, result: { content: [] } };
    await using rig = await start({ tools: [tool('slow', 'slow', object, { does })] });
    const timeout = { connectMs: 10_000, idleMs: 250, maxMs: 60_000, tools: {} };
    // Over JSON nothing can come before the answer, so only there the clock must be longer.
    const isStream = !_name.includes('JSON') && !_name.includes('sessions');
    await using connection = open(rig.endpoint, rig.ports, isStream ? { timeout } : {});
    await connection.connect(never);
    const seen: unknown[] = [];
    await callTool(connection, 'slow', {}, { onProgress: (progress) => seen.push(progress) });
    const whole = [100, 200, 300].map((progress) => ({ progress, total: 300, message: 'working' }));
    expect(seen).toEqual(isStream ? whole : []);
  });

  test.each([
    ['idle', { idleMs: 60_000, maxMs: 900_000 }, 'no sign of life for 60s (timeout.idle)'],
    ['max', { idleMs: 0, maxMs: 900_000 }, 'still running after 15m (timeout.max)'],
  ])('names the %s clock, and the outcome is unknown', async (clockName, limits, text) => {
    const does = { never: true };
    await using rig = await start({ tools: [tool('stuck', 'stuck', object, { does })] });
    const clock = createManualClock();
    await using connection = open(
      rig.endpoint,
      { ...rig.ports, clock },
      { timeout: { connectMs: 0, ...limits, tools: {} }, restartOnTimeout: false },
    );
    await connection.connect(never);
    const failing = failureOf(callTool(connection, 'stuck'));
    await until(() => rig.messages().some((message) => message['method'] === 'tools/call'));
    await clock.advance(900_000);
    const error = await failing;
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(error.message).toBe(`s1/stuck: ${text}; whether s1/stuck ran is not known`);
    expect((error as UnknownOutcomeError).details['limit']).toBe(`timeout.${clockName}`);
    if (tellsByClosing) expect(rig.messages().at(-1)?.['method']).toBe('tools/call');
    else {
      await until(() => rig.messages().at(-1)?.['method'] === 'notifications/cancelled');
      expect(rig.messages().at(-1)?.['params']).toEqual({
        requestId: 3,
        reason: `s1/stuck: ${text}`,
      });
    }
    void clock.advance(10_000);
  });

  test('ends a call with the reason it was aborted for, and tells the server', async () => {
    await using rig = await start({
      tools: [tool('stuck', 'stuck', object, { does: { never: true } }), ...standardTools],
    });
    await using connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    const control = new AbortController();
    const failing = failureOf(callTool(connection, 'stuck', {}, { signal: control.signal }));
    await until(() => rig.messages().some((message) => message['method'] === 'tools/call'));
    const reason = new Error('enough');
    control.abort(reason);
    expect(await failing).toBe(reason);
    if (!tellsByClosing) {
      await until(() => rig.messages().at(-1)?.['method'] === 'notifications/cancelled');
      expect(rig.messages().at(-1)?.['params']).toEqual({ requestId: 3, reason: 'enough' });
    }
    const next = await callTool(connection, 'echo', { text: 'still here' });
    expect(next.content).toEqual([{ type: 'text', text: '{"text":"still here"}' }]);
  });

  test.each(isModern ? ['tools/list'] : ['initialize', 'tools/list'])(
    'fails when %s is never answered',
    async (method) => {
      await using rig = await start({ hangAt: [method] });
      await using connection = open(rig.endpoint, rig.ports, {
        timeout: { connectMs: 400, idleMs: 1000, maxMs: 1000, tools: {} },
      });
      await connection.connect(never);
      const { state, error } = connection.status();
      expect([state, error?.message]).toEqual([
        'failed',
        `server "s1" did not answer ${method} within 400ms (timeout.connect)`,
      ]);
    },
  );

  test('answers calls side by side, each its own', async () => {
    const echoes = [...Array(20).keys()].map((n) => ({ text: `n${n}` }));
    await using rig = await start({});
    await using connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    const results = await Promise.all(echoes.map((args) => callTool(connection, 'echo', args)));
    expect(results.map((one) => one.content[0]?.['text'])).toEqual(
      echoes.map((args) => JSON.stringify(args)),
    );
  });

  test('is closed for good after close, twice', async () => {
    await using rig = await start({});
    const connection = open(rig.endpoint, rig.ports);
    await connection.connect(never);
    await Promise.all([connection.close(), connection.close()]);
    expect(connection.status().state).toBe('closed');
    const error = await failureOf(callTool(connection, 'echo', { text: 'x' }));
    expect(error.message).toBe('server "s1" is closed');
  });
});
