import { describe, expect, test } from 'bun:test';
import {
  type AppError,
  AuthError,
  ConnectError,
  InternalError,
  ProtocolError,
} from '../../src/base/errors.ts';
import { createManager } from '../../src/mcp/manager.ts';
import { StatusBoard } from '../../src/mcp/states.ts';
import type { Connection } from '../../src/mcp/types.ts';
import { createManualClock } from './manual-clock.ts';
import { httpEndpoint, never, stdioEndpoint, testConfig } from './rig.ts';

interface FakeConnection extends Connection {
  readonly isStarted: boolean;
  readonly secondTries: number;
  fail(error: AppError): void;
  answer(): void;
  becomeReady(): void;
}

/** A connection that does what the test says. */
function fakeConnection(name: string, kind: 'http' | 'stdio' = 'http'): FakeConnection {
  const endpoint = kind === 'http' ? httpEndpoint('http://127.0.0.1/') : stdioEndpoint('sh', []);
  const config = testConfig(endpoint, { name });
  const board = new StatusBoard(config);
  const { promise, resolve } = Promise.withResolvers<void>();
  let secondTries = 0;
  return {
    name,
    kind,
    identity: name,
    config,
    get isStarted() {
      return board.current.state !== 'idle';
    },
    get secondTries() {
      return secondTries;
    },
    status: () => board.current,
    tryAgain() {
      secondTries += 1;
      // It never ends: whoever waited for it would hang.
      return new Promise<void>(() => undefined);
    },
    fail(error) {
      board.update({ state: error instanceof AuthError ? 'needs_auth' : 'failed', error });
      resolve();
    },
    connect() {
      board.update({ state: 'connecting' });
      return promise;
    },
    answer: () => board.update({ state: 'discovering' }),
    becomeReady() {
      board.update({ state: 'ready' });
      resolve();
    },
    onChange: (listener) => board.listen(listener),
    refresh: () => Promise.resolve(),
    request: () => Promise.resolve({}),
    call: () => Promise.reject(new Error('not here')),
    async close() {
      board.update({ state: 'closed' });
      resolve();
    },
  };
}

function several(count: number, kind: 'http' | 'stdio'): FakeConnection[] {
  return [...Array(count).keys()].map((n) => fakeConnection(`s${n}`, kind));
}

const started = (connections: readonly FakeConnection[]) =>
  connections.filter((connection) => connection.isStarted).length;

describe('connectAll', () => {
  test('starts 64 HTTP servers together, the next when one is ready', async () => {
    const clock = createManualClock();
    const connections = several(66, 'http');
    createManager({ connections, clock }).connectAll(never);
    await clock.advance(60_000);
    expect(started(connections)).toBe(64);
    connections[5]?.becomeReady();
    await clock.advance(0);
    expect(started(connections)).toBe(65);
  });

  test('starts 16 processes; one that answered or is 5 s old makes room', async () => {
    const clock = createManualClock();
    const connections = several(40, 'stdio');
    createManager({ connections, clock }).connectAll(never);
    await clock.advance(4999);
    expect(started(connections)).toBe(16);
    connections[0]?.answer();
    await clock.advance(0);
    expect(started(connections)).toBe(17);
    await clock.advance(1);
    expect(started(connections)).toBe(32);
  });

  test('leaves disabled servers alone', async () => {
    const clock = createManualClock();
    const connection = fakeConnection('off');
    const off = {
      ...connection,
      status: () => ({ ...connection.status(), state: 'disabled' as const }),
    };
    const manager = createManager({ connections: [off], clock });
    manager.connectAll(never);
    await manager.awaitReady({ patienceMs: undefined, required: ['off'] }, never);
    expect(connection.isStarted).toBe(false);
  });
});

describe('awaitReady', () => {
  async function waiting(patienceMs: number | undefined, required: readonly string[]) {
    const clock = createManualClock();
    const connections = several(3, 'http');
    const manager = createManager({ connections, clock });
    manager.connectAll(never);
    let isDone = false;
    void manager.awaitReady({ patienceMs, required }, never).then(() => {
      isDone = true;
    });
    await clock.advance(0);
    return { clock, connections, isDone: () => isDone };
  }

  test('without patience waits for every server', async () => {
    const { clock, connections, isDone } = await waiting(undefined, []);
    connections[0]?.becomeReady();
    connections[1]?.becomeReady();
    await clock.advance(100_000);
    expect(isDone()).toBe(false);
    connections[2]?.becomeReady();
    await clock.advance(0);
    expect(isDone()).toBe(true);
  });

  test('waits its patience after the last server that became ready', async () => {
    const { clock, connections, isDone } = await waiting(2000, []);
    await clock.advance(1500);
    connections[0]?.becomeReady();
    await clock.advance(1999);
    expect(isDone()).toBe(false);
    await clock.advance(1);
    expect(isDone()).toBe(true);
  });

  test('waits for required servers however long', async () => {
    const { clock, connections, isDone } = await waiting(2000, ['s2']);
    await clock.advance(10_000);
    expect(isDone()).toBe(false);
    connections[2]?.becomeReady();
    await clock.advance(0);
    expect(isDone()).toBe(true);
  });

  test('ends at once when all have settled', async () => {
    const { clock, connections, isDone } = await waiting(2000, []);
    for (const connection of connections) connection.becomeReady();
    await clock.advance(0);
    expect([isDone(), clock.waiting]).toEqual([true, 0]);
  });

  test('rejects with the reason it was aborted for', async () => {
    const manager = createManager({
      connections: [fakeConnection('a')],
      clock: createManualClock(),
    });
    manager.connectAll(never);
    const control = new AbortController();
    const ready = manager.awaitReady({ patienceMs: undefined, required: [] }, control.signal);
    control.abort(new Error('enough'));
    await expect(ready).rejects.toThrow('enough');
  });
});

describe('a second try', () => {
  function failing(error: AppError): FakeConnection {
    const connection = fakeConnection('s');
    connection.fail(error);
    return connection;
  }
  const managerOf = (...connections: FakeConnection[]) =>
    createManager({ connections, clock: createManualClock() });

  test('is made once, at the second turn, and no turn waits for it', async () => {
    const connection = failing(new ConnectError('not there'));
    const manager = managerOf(connection);
    const tries: number[] = [];
    for (let turn = 1; turn <= 4; turn += 1) {
      await manager.refresh(never);
      tries.push(connection.secondTries);
    }
    expect(tries).toEqual([0, 1, 1, 1]);
  });

  test.each<readonly [string, number, AppError]>([
    ['a passing refusal', 1, new ProtocolError('HTTP 503', { retryable: true })],
    ['a refusal for good', 0, new ProtocolError('HTTP 400')],
    ['a missing login', 0, new AuthError('no token')],
    ['a fault of ours', 0, new InternalError('x is undefined')],
  ])('after %s: %d', async (_name, times, error) => {
    const connection = failing(error);
    const manager = managerOf(connection);
    await manager.refresh(never);
    await manager.refresh(never);
    expect(connection.secondTries).toBe(times);
  });

  test('is not made for a server that is ready, and not after the end', async () => {
    const good = fakeConnection('good');
    good.becomeReady();
    const bad = failing(new ConnectError('not there'));
    const manager = managerOf(good, bad);
    await manager.refresh(never);
    const closing = manager.close();
    await manager.refresh(never);
    await closing;
    expect([good.secondTries, bad.secondTries]).toEqual([0, 0]);
  });
});

test('close closes all, and gives up on one that does not come back after 4 s', async () => {
  const clock = createManualClock();
  const good = fakeConnection('good');
  const bad = { ...fakeConnection('bad'), close: () => new Promise<void>(() => undefined) };
  const manager = createManager({ connections: [good, bad], clock });
  let isClosed = false;
  void Promise.all([manager.close(), manager.close()]).then(() => {
    isClosed = true;
  });
  await clock.advance(3999);
  expect([good.status().state, isClosed]).toEqual(['closed', false]);
  await clock.advance(1);
  await clock.advance(0);
  expect(isClosed).toBe(true);
});
