/** All servers of one host: connects them together, waits for them by the rules of a run, closes them. */
import { raceAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { createPool, type Pool } from '../base/pool.ts';
import { isWorthSecondTry } from './retry.ts';
import type { Connection, ServerStatus } from './types.ts';

export interface Patience {
  /** How long to wait after the last server that became ready; `undefined`: for every server's own limit. */
  readonly patienceMs: number | undefined;
  /** Names that are waited for in any case. */
  readonly required: readonly string[];
}

export interface Manager {
  /** In the order of the configuration. */
  readonly connections: readonly Connection[];
  get(name: string): Connection | undefined;
  status(): readonly ServerStatus[];
  /** Starts connecting every enabled server that is idle. Returns at once; call once. */
  connectAll(signal: AbortSignal): void;
  /** Resolves when a run may begin. Rejects only with the signal's reason. */
  awaitReady(patience: Patience, signal: AbortSignal): Promise<void>;
  /**
   * At every turn: re-reads the lists that servers announced as changed. From the second turn on each server
   * that failed to connect is tried once more, which is not waited for. Never rejects.
   */
  refresh(signal: AbortSignal): Promise<void>;
  /** Called after every change of any server. Returns the way to stop. */
  onChange(listener: (connection: Connection) => void): () => void;
  /** Closes all at once, within 4 s. Idempotent. */
  close(): Promise<void>;
}

export interface ManagerOptions {
  /** Of any kind, built-ins among them. */
  readonly connections: readonly Connection[];
  readonly clock: Clock;
}

const HTTP_PLACES = 64;
const STDIO_PLACES = 16;
/** A process that has not answered by then is waiting for something else than the processor. */
const STARTING_MS = 5000;
const CLOSE_MS = 4000;

export function createManager({ connections, clock }: ManagerOptions): Manager {
  const network = createPool(HTTP_PLACES);
  const pools = {
    http: network,
    sse: network,
    ws: network,
    stdio: createPool(STDIO_PLACES),
    builtin: createPool(Number.POSITIVE_INFINITY),
  };
  /** By connection; settles when it is ready or has failed. */
  const settled = new Map<Connection, Promise<void>>();
  /** Those that had their second try. */
  const tried = new Set<Connection>();
  const life = new AbortController();
  let isFirstTurn = true;
  let closed: Promise<void> | undefined;

  const tryAgain = () => {
    for (const connection of connections) {
      if (closed !== undefined || tried.has(connection)) continue;
      if (!isWorthSecondTry(connection.status())) continue;
      tried.add(connection);
      // Rejects only when a pool is at fault, which the process tells.
      void inTurn(connection, pools[connection.kind], clock, life.signal, 'tryAgain');
    }
  };
  const waitFor = (chosen: readonly Connection[]) =>
    Promise.all(chosen.map((connection) => settled.get(connection)));

  return {
    connections,
    get: (name) => connections.find((connection) => connection.name === name),
    status: () => connections.map((connection) => connection.status()),

    connectAll(signal) {
      for (const connection of connections) {
        if (connection.status().state !== 'idle') continue;
        settled.set(connection, inTurn(connection, pools[connection.kind], clock, signal));
      }
    },

    async awaitReady({ patienceMs, required }, signal) {
      const all = waitFor(connections);
      if (patienceMs === undefined) {
        await raceAbort(all, signal);
        return;
      }
      const patience = startPatience(connections, clock, patienceMs);
      try {
        await raceAbort(Promise.race([all, patience.ranOut]), signal);
      } finally {
        patience.dispose();
      }
      const named = connections.filter((connection) => required.includes(connection.name));
      await raceAbort(waitFor(named), signal);
    },

    async refresh(signal) {
      // The first turn comes right after the start.
      if (!isFirstTurn) tryAgain();
      isFirstTurn = false;
      await Promise.all(connections.map((connection) => connection.refresh(signal)));
    },

    onChange(listener) {
      const stops = connections.map((connection) =>
        connection.onChange(() => listener(connection)),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },

    close() {
      closed ??= closeAll(connections, clock).finally(() => life.abort());
      return closed;
    },
  };
}

/** Connects under the pool's count. A process gives its place back once it has shown itself. */
async function inTurn(
  connection: Connection,
  pool: Pool,
  clock: Clock,
  signal: AbortSignal,
  how: 'connect' | 'tryAgain' = 'connect',
): Promise<void> {
  let release: () => void;
  try {
    release = await pool.take(signal);
  } catch (error) {
    // Aborted while waiting: connect says so in its status, without starting anything.
    if (error !== signal.reason) throw error;
    await connection[how](signal);
    return;
  }
  const before = connection.status();
  const isStarting = () => {
    const { state } = connection.status();
    return state === 'connecting' || state === before.state;
  };
  const timer = connection.kind === 'stdio' ? clock.after(STARTING_MS, release) : undefined;
  const stop = connection.onChange(() => {
    if (connection.kind === 'stdio' && !isStarting()) release();
  });
  try {
    await connection[how](signal);
  } finally {
    timer?.cancel();
    stop();
    release();
  }
}

/** A wait that starts anew with every server that becomes ready. */
function startPatience(connections: readonly Connection[], clock: Clock, patienceMs: number) {
  const isReady = (connection: Connection) => connection.status().state === 'ready';
  const { promise: ranOut, resolve } = Promise.withResolvers<void>();
  let ready = connections.filter(isReady).length;
  let timer = clock.after(patienceMs, resolve);
  const stops = connections.map((connection) =>
    connection.onChange(() => {
      const now = connections.filter(isReady).length;
      if (now > ready) {
        timer.cancel();
        timer = clock.after(patienceMs, resolve);
      }
      ready = now;
    }),
  );
  return {
    ranOut,
    dispose() {
      timer.cancel();
      for (const stop of stops) stop();
    },
  };
}

async function closeAll(connections: readonly Connection[], clock: Clock): Promise<void> {
  const all = Promise.all(connections.map((connection) => connection.close()));
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(CLOSE_MS, resolve);
  await Promise.race([all, late]);
  timer.cancel();
}
