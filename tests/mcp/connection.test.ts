/** State, renewal and refresh of a connection, where no transport makes a difference. */
import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { closedPort } from '../helpers/tcp.ts';
import { eventOf, openStream, rpcResult, serveRpc } from '../transport/rpc-server.ts';
import { createManualClock } from './manual-clock.ts';
import {
  callTool,
  failureOf,
  httpEndpoint,
  hurriedClock,
  never,
  open,
  testPorts,
  until,
} from './rig.ts';

const noLimits = { timeout: { connectMs: 0, idleMs: 0, maxMs: 0, tools: {} } };

const names = (connection: ReturnType<typeof open>) =>
  connection.status().tools.map((tool) => tool.name);

describe('a change of the tool list', () => {
  /** `login` adds a tool, removes itself and says so `times` times before it answers. */
  function changingServer(times: number) {
    let tools = [{ name: 'login' }];
    return serveRpc((message) => {
      if (message['method'] === 'tools/list') return Response.json(rpcResult(message, { tools }));
      if (message['method'] !== 'tools/call') return undefined;
      tools = [{ name: 'secret_op' }];
      return openStream((write, end) => {
        const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
        write(eventOf(changed).repeat(times));
        write(eventOf(rpcResult(message, { content: [] })));
        end();
      });
    });
  }

  test('is read once at the next refresh, however often it was announced', async () => {
    await using server = changingServer(50);
    await using connection = open(httpEndpoint(server.url));
    await connection.connect(never);
    await callTool(connection, 'login');
    expect(names(connection)).toEqual(['login']);
    await Promise.all([connection.refresh(never), connection.refresh(never)]);
    await connection.refresh(never);
    expect(names(connection)).toEqual(['secret_op']);
    expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  test('that cannot be read leaves the last good list, and is tried again', async () => {
    let lists = 0;
    const told: string[] = [];
    await using server = serveRpc((message) => {
      if (message['method'] === 'tools/list') {
        lists += 1;
        return lists === 2 ? new Response('not now', { status: 400 }) : undefined;
      }
      return message['method'] === 'tools/call'
        ? openStream((write, end) => {
            write(eventOf({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
            write(eventOf(rpcResult(message, { content: [] })));
            end();
          })
        : undefined;
    });
    await using connection = open(httpEndpoint(server.url), {
      log: (level, message) => {
        if (level === 'warn') told.push(message);
      },
    });
    await connection.connect(never);
    await callTool(connection, 'echo');
    await connection.refresh(never);
    expect([names(connection), connection.status().state, told]).toEqual([
      ['echo'],
      'ready',
      [
        'server "s1": the tool list stays as it was: server "s1" answered HTTP 400 (text/plain): not now',
      ],
    ]);
    await connection.refresh(never);
    expect([names(connection), lists, told.length]).toEqual([['echo'], 3, 1]);
  });
});

describe('over HTTP', () => {
  test('a call that ran out of time makes a new session at the next call', async () => {
    const clock = createManualClock();
    let isFirst = true;
    await using server = serveRpc((message) => {
      if (message['method'] !== 'tools/call' || !isFirst) return undefined;
      isFirst = false;
      return new Promise<Response>(() => undefined);
    });
    const timeout = { connectMs: 0, idleMs: 1000, maxMs: 0, tools: {} };
    await using connection = open(httpEndpoint(server.url), { clock }, { timeout });
    await connection.connect(never);
    const failing = failureOf(callTool(connection, 'echo'));
    await until(() => server.methods().includes('tools/call'));
    await clock.advance(1000);
    expect((await failing).name).toBe('UnknownOutcomeError');
    expect((await callTool(connection, 'echo')).content).toHaveLength(1);
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
    expect(connection.status().state).toBe('ready');
    void clock.advance(10_000);
  });

  test('a new session has the tool list read again at the next refresh', async () => {
    await using server = await startMcpServer({ sessions: true, expireAt: 3 });
    await using connection = open(httpEndpoint(server.url));
    await connection.connect(never);
    await callTool(connection, 'echo', { a: 1 });
    await connection.refresh(never);
    await connection.refresh(never);
    expect(server.methods()).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
      'initialize',
      'notifications/initialized',
      'tools/call',
      'tools/list',
    ]);
  });

  test('a limit that ends in a pause says what the pause was for', async () => {
    const later = { status: 503, headers: { 'retry-after': '20' }, body: 'later' };
    await using server = await startMcpServer({ instead: { '*': later } });
    const timeout = { connectMs: 15_000, idleMs: 0, maxMs: 0, tools: {} };
    await using connection = open(httpEndpoint(server.url), { clock: hurriedClock }, { timeout });
    await connection.connect(never);
    expect(connection.status().error?.message).toBe('server "s1" answered HTTP 503: later');
  });

  test('a server that was not there is connected to by the next call', async () => {
    const port = closedPort();
    await using connection = open(
      httpEndpoint(`http://127.0.0.1:${port}/mcp`),
      { clock: hurriedClock },
      noLimits,
    );
    await connection.connect(never);
    const { state, error } = connection.status();
    expect([state, error?.details]).toEqual(['failed', { sent: false, reason: 'ECONNREFUSED' }]);
    await using _server = await startMcpServer({}, port);
    expect((await callTool(connection, 'echo', { a: 1 })).content).toHaveLength(1);
    expect([connection.status().state, connection.status().error]).toEqual(['ready', undefined]);
  });

  test('a second try shows nothing until it is ready', async () => {
    const port = closedPort();
    const url = `http://127.0.0.1:${port}/mcp`;
    await using connection = open(httpEndpoint(url), { clock: hurriedClock }, noLimits);
    await connection.connect(never);
    const states = new Set<string>();
    connection.onChange(() => states.add(connection.status().state));
    await connection.tryAgain(never);
    expect([...states]).toEqual(['failed']);
    await using _server = await startMcpServer({}, port);
    await connection.tryAgain(never);
    expect([[...states], connection.status().error, names(connection)[0]]).toEqual([
      ['failed', 'ready'],
      undefined,
      'echo',
    ]);
  });

  test('a server that went away between calls is known not to have run anything', async () => {
    const server = await startMcpServer();
    await using connection = open(httpEndpoint(server.url), { clock: hurriedClock }, noLimits);
    await connection.connect(never);
    await server.close();
    const error = await failureOf(callTool(connection, 'echo', { a: 1 }));
    expect([error.name, error.message.startsWith('cannot reach server "s1"')]).toEqual([
      'ConnectError',
      true,
    ]);
  });

  test('an abort while connecting says so and leaves nothing running', async () => {
    await using server = await startMcpServer({ hangAt: ['initialize'] });
    const clock = createManualClock();
    await using connection = open(httpEndpoint(server.url), { clock });
    const control = new AbortController();
    const connecting = connection.connect(control.signal);
    control.abort(new Error('Ctrl-C'));
    await connecting;
    expect([connection.status().state, connection.status().error?.message, clock.waiting]).toEqual([
      'failed',
      'connecting to server "s1" was cancelled',
      0,
    ]);
  });
});

test('tells its listeners of every change until they stop', async () => {
  await using server = await startMcpServer();
  await using connection = open(httpEndpoint(server.url));
  const states: string[] = [];
  const stop = connection.onChange(() => states.push(connection.status().state));
  await connection.connect(never);
  expect([...new Set(states)]).toEqual(['connecting', 'discovering', 'ready']);
  stop();
  const before = states.length;
  await connection.connect(never);
  expect(states).toHaveLength(before);
});

test('a fault of ours while connecting is told as ours, not as the server’s', async () => {
  await using server = await startMcpServer();
  const told: string[] = [];
  const fault = new TypeError('x is undefined');
  await using connection = open(httpEndpoint(server.url), {
    log: (level, message) => void told.push(`${level} ${message}`),
    clientCapabilities: {
      get extensions(): never {
        throw fault;
      },
    },
  });
  await connection.connect(never);
  const { state, error } = connection.status();
  expect([state, error?.code, error?.message, error?.hint]).toEqual([
    'failed',
    'internal',
    'a fault of usher 1.2.3 while connecting to server "s1": x is undefined',
    'please report it with the output of the same command under --verbose',
  ]);
  expect(told).toEqual([`debug s1: ${fault.stack}`]);
});

test('a disabled server is never started', async () => {
  await using server = await startMcpServer();
  await using connection = open(httpEndpoint(server.url), testPorts(), { enabled: false });
  await connection.connect(never);
  const error = await failureOf(callTool(connection, 'echo'));
  expect([connection.status().state, error.message, server.requests]).toEqual([
    'disabled',
    'server "s1" is disabled',
    [],
  ]);
});
