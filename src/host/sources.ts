/** Keeps the registry in step with the servers: built-ins at once, the others as their lists arrive. */
import type { ServerInstructions } from '../agent/prompt.ts';
import { refreshesSettled } from '../auth/refresh.ts';
import { raceAbort, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { LimitError, UsageError } from '../base/errors.ts';
import { stateDirectory } from '../base/paths.ts';
import { scrubSecrets } from '../base/redact.ts';
import { spawnChild } from '../base/spawn.ts';
import { VERSION } from '../base/version.ts';
import type { ServerConfig } from '../config/types.ts';
import { createConnection } from '../mcp/connection.ts';
import { createEraMemory, type EraMemory } from '../mcp/era-memory.ts';
import { createManager } from '../mcp/manager.ts';
import type { ConnectionPorts } from '../mcp/ports.ts';
import type { Connection, ServerStatus } from '../mcp/types.ts';
import { sanitizeText } from '../results/sanitize.ts';
import type { Registry } from '../tools/registry.ts';
import type { ToolDefinition } from '../tools/types.ts';
import type { LogSink } from '../transport/types.ts';
import type { AskPorts, Asks } from './asks.ts';
import { awaitServer } from './await-server.ts';
import { createBuiltin } from './builtin.ts';
import type { HostDeps } from './create.ts';
import { lockWarning, readLocks } from './locks.ts';
import { openLogins } from './logins.ts';
import { createOfferSource, OFFERS_NAME, offerDefinitions } from './offer-source.ts';
import { createOffers, type Offers } from './offers.ts';
import { namedLogin, type SignInOutcome, type SignInRequest, signInOver } from './sign-ins.ts';
import { UNEXPECTED_HINT, unexpectedText } from './start.ts';
import type { HostOptions, StartReport } from './types.ts';
import { unmatchedPermissions } from './unmatched.ts';

type Warning = StartReport['warnings'][number];

export interface Sources {
  /** What the servers offer beside tools. */
  readonly offers: Offers;
  /** Resolves when the first model request may be made (design 3.1). Rejects only with the signal's reason. */
  start(signal: AbortSignal): Promise<void>;
  status(): readonly ServerStatus[];
  /** What was noticed since the last time. */
  takeWarnings(): readonly Warning[];
  instructions(): readonly ServerInstructions[];
  /** Between turns: re-reads what servers announced as changed. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Waits for one server alone; one that this run does not have is no wait. */
  awaitServer(server: string, signal: AbortSignal): Promise<void>;
  /** Throws UsageError for a name that this run does not have. */
  reconnect(server: string, signal: AbortSignal): Promise<ServerStatus>;
  /** Rejects with UsageError for a name that this run does not have, or as `SignIns.signIn`. */
  signIn(server: string, request: SignInRequest, signal: AbortSignal): Promise<SignInOutcome>;
  close(): Promise<void>;
}

type SourceOptions = Pick<
  HostOptions,
  'config' | 'cwd' | 'onEvent' | 'patienceMs' | 'usesKeptTools' | 'signInBy'
>;

/** Makes all sources; nothing is started before `start`. The caller closes them. */
export function createSources(
  servers: readonly ServerConfig[],
  registry: Registry,
  options: SourceOptions,
  deps: HostDeps,
  asks: Asks,
): Sources {
  const memory = createMemory(deps);
  const logins = openLogins(deps);
  const ports = {
    ...connectionPorts(options.cwd, deps),
    memory,
    usesKeptTools: options.usesKeptTools ?? false,
    logins,
    signInBy: options.signInBy,
    loginWords: options.config.loginWords,
    namedLogin: (name: string) => namedLogin(options.config, name),
  };
  const portsFor = (config: ServerConfig): AskPorts => {
    const asking = asks.portsFor(config);
    return {
      ...asking,
      onNotification(server, method, params) {
        offers.notified(server, method);
        asking.onNotification(server, method, params);
      },
    };
  };
  const connections = servers.map((config) =>
    config.endpoint.kind === 'builtin'
      ? createBuiltin(config, options.cwd)
      : asks.wrap(createConnection(config, { ...ports, ...portsFor(config) })),
  );
  const manager = createManager({ connections, clock: deps.clock });
  const offers = createOffers(connections, deps.clock);
  const declareOffers = createDeclaring(offers, registry, options.config.defaultTools.hasMeta);
  const listed = new Map<Connection, readonly ToolDefinition[]>();
  const locks = readLocks(options.config);
  // Before anything is started: a lock that cannot be read must not come up in the middle.
  const lockedBy = new Map(servers.map(({ name }) => [name, locks.of(name)]));
  const warned = new Set<string>();
  let isStarted = false;
  let pending: Warning[] = [];

  const warn = (message: string, hint: string | undefined) => {
    if (warned.has(message)) return;
    warned.add(message);
    pending.push({ message, hint });
  };
  const takeWarnings = () => {
    const taken = pending;
    pending = [];
    return taken;
  };
  const takeOver = (connection: Connection) => {
    const status = connection.status();
    const { config } = connection;
    if (status.state === 'ready' && listed.get(connection) !== status.tools) {
      listed.set(connection, status.tools);
      const locked = lockedBy.get(config.name);
      const rules = { ...config, locked };
      const found = registry.setSource(config.name, connection, status.tools, rules);
      for (const { message, hint } of found) warn(message, hint);
      const names = status.tools.map(({ name }) => name);
      const unmatched = unmatchedPermissions(config, names, options.config.rules ?? []);
      for (const { message, hint } of unmatched) warn(message, hint);
      const unlike = locked && lockWarning(config.name, status.tools, locked);
      if (unlike !== undefined) warn(unlike.message, unlike.hint);
      if (isStarted) warnUnexpected(config, status);
    }
    offers.changed(connection);
    declareOffers();
    for (const { name, problem } of status.dropped) {
      warn(`${config.name}/${name} was left out: ${problem}`, undefined);
    }
    // Notices name their server themselves.
    for (const notice of status.notices) warn(notice, undefined);
  };
  // At the start they end the run: `judgeStart`.
  const warnUnexpected = (config: ServerConfig, status: ServerStatus) => {
    const message = unexpectedText(config, status);
    if (message !== undefined) warn(message, UNEXPECTED_HINT);
  };
  const stop = manager.onChange((connection) => {
    takeOver(connection);
    asks.noticeChange(connection);
    options.onEvent({ type: 'server', status: connection.status() });
  });

  const connectionOf = (server: string): Connection => {
    const connection = manager.get(server);
    if (connection !== undefined) return connection;
    throw new UsageError(`no server "${server}" in this run`, {
      hint: `there is ${servers.map(({ name }) => name).join(', ')}`,
    });
  };

  return {
    offers,
    async start(signal) {
      for (const connection of connections) takeOver(connection);
      manager.connectAll(signal);
      const required = servers.filter((server) => server.required).map(({ name }) => name);
      await manager.awaitReady({ patienceMs: options.patienceMs, required }, signal);
      isStarted = true;
    },
    status: () => manager.status(),
    takeWarnings,
    instructions: () =>
      connections.map((connection) => ({
        server: connection.name,
        text: scrubSecrets(sanitizeText(connection.status().instructions ?? '')),
        mode: connection.config.instructions,
      })),
    async refresh(signal) {
      await manager.refresh(signal);
      for (const warning of takeWarnings()) options.onEvent({ type: 'warning', ...warning });
    },
    async awaitServer(server, signal) {
      const connection = manager.get(server);
      if (connection !== undefined) await awaitServer(connection, signal);
    },
    async reconnect(server, signal) {
      const connection = connectionOf(server);
      await connection.connect(signal);
      return connection.status();
    },
    signIn: async (server, request, signal) =>
      signInOver(connectionOf(server), request, stateDirectory(deps.env), signal),
    async close() {
      await Promise.all([manager.close(), lateRefreshes(deps.clock)]);
      memory.save();
      stop();
    },
  };
}

const REFRESH_GRACE_MS = 2000;

/** A refresh that was sent is waited for: its server may have spent the old token already. */
async function lateRefreshes(clock: Clock): Promise<void> {
  const limit = startLimit(
    clock,
    REFRESH_GRACE_MS,
    () => new LimitError('a refresh takes too long'),
  );
  try {
    await raceAbort(refreshesSettled(), limit.signal).catch(() => undefined);
  } finally {
    limit.dispose();
  }
}

/** Puts the tools that read offers into the registry whenever there are more of them. */
function createDeclaring(offers: Offers, registry: Registry, hasMeta: boolean): () => void {
  const source = createOfferSource(offers, () => registry.snapshot().reachable);
  const rules = { tools: undefined, exposure: 'direct', binary: 'drop' } as const;
  let count = 0;
  return () => {
    const definitions = offerDefinitions(offers, hasMeta);
    if (definitions.length === count) return;
    count = definitions.length;
    registry.setSource(OFFERS_NAME, source, definitions, rules);
  };
}

/** All but what depends on the server. */
function connectionPorts(cwd: string, deps: HostDeps): Omit<ConnectionPorts, keyof AskPorts> {
  const { clock, env, fetch = globalThis.fetch } = deps;
  const log: LogSink = (level, message) => deps.log[level](message);
  return {
    clock,
    env,
    fetch,
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
    spawn: spawnChild,
    log,
    random: deps.random ?? Math.random,
    cwd,
    version: VERSION,
  };
}

function createMemory({ clock, env, log }: HostDeps): EraMemory {
  return createEraMemory({
    directory: stateDirectory(env),
    clock,
    log: (level, message) => log[level](message),
  });
}
