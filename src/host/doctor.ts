/** Examines servers one by one for `usher mcp doctor`: facts of every step, and a remedy for each failure. */
import { type AppError, AuthError, ConnectError, LimitError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { type Spawn, spawnChild } from '../base/spawn.ts';
import { VERSION } from '../base/version.ts';
import type { Config, ServerConfig } from '../config/types.ts';
import { createConnection } from '../mcp/connection.ts';
import type { ConnectionPorts } from '../mcp/ports.ts';
import type { ServerStatus } from '../mcp/types.ts';
import { createStderrTail, type StderrTail } from '../transport/stderr-tail.ts';
import { capabilitiesFor } from './asks.ts';
import { createBuiltin } from './builtin.ts';
import type { HostDeps } from './create.ts';
import { openLogins } from './logins.ts';
import { type ReachStep, reachServer } from './reach.ts';
import { namedLogin } from './sign-ins.ts';
import { type Wire, type WireStep, watchWire } from './wire.ts';

export interface ExaminedStep {
  readonly name: string;
  readonly ms: number | undefined;
  readonly ok: boolean;
  readonly text: string;
}

/** JSON-safe; holds no secret value. */
export interface Examination {
  readonly name: string;
  readonly transport: ServerStatus['kind'];
  readonly state: ServerStatus['state'];
  readonly steps: readonly ExaminedStep[];
  readonly era: ServerStatus['era'];
  readonly protocol: { readonly offered: readonly string[]; readonly chosen: string | undefined };
  readonly server: ServerStatus['serverInfo'];
  readonly capabilities: JsonObject;
  readonly tools: { readonly listed: number; readonly leftOut: readonly string[] };
  /** The server issued a session id. */
  readonly session: boolean;
  /** How long a list may be kept, by method; `undefined`: the server does not say. */
  readonly ttl: Readonly<Record<string, JsonValue>>;
  readonly headers: {
    readonly sent: Readonly<Record<string, string>>;
    readonly received: Readonly<Record<string, string>>;
  };
  readonly proxy: string | undefined;
  readonly notes: readonly string[];
  /** The end of what a command said on stderr. */
  readonly stderr: string;
  readonly ms: number | undefined;
  readonly failure:
    | { readonly message: string; readonly remedy: string; readonly isAuth: boolean }
    | undefined;
}

/** Where a server stands: its working directory, and the config with the logins that it may name. */
export interface ExaminedPlace {
  readonly cwd: string;
  readonly config: Config;
}

/** Connects to one server and ends it again. Rejects only with the signal's reason. */
export async function examineServer(
  config: ServerConfig,
  place: ExaminedPlace,
  deps: HostDeps,
  signal: AbortSignal,
): Promise<Examination> {
  const { cwd } = place;
  const { endpoint } = config;
  const { steps, proxy } = await reachServer(endpoint, deps, signal);
  const wire = watchWire(deps.clock);
  const stderr = createStderrTail();
  const connection =
    endpoint.kind === 'builtin'
      ? createBuiltin(config, cwd)
      : createConnection(config, portsFor(config, place, deps, wire, stderr));
  try {
    await connection.connect(signal);
    signal.throwIfAborted();
    return report(config, connection.status(), { steps, proxy, wire, stderr: stderr.text() });
  } finally {
    await connection.close();
  }
}

interface Findings {
  readonly steps: readonly ReachStep[];
  readonly proxy: string | undefined;
  readonly wire: Wire;
  readonly stderr: string;
}

function report(config: ServerConfig, status: ServerStatus, found: Findings): Examination {
  const { steps } = found.wire;
  const { error } = status;
  return {
    name: config.name,
    transport: status.kind,
    state: status.state,
    steps: [...found.steps.map(reachStep), ...steps.map((step) => wireStep(step, status))],
    era: status.era,
    protocol: { offered: offeredVersions(steps), chosen: status.protocolVersion },
    server: status.serverInfo,
    capabilities: status.capabilities,
    tools: {
      listed: status.tools.length,
      leftOut: status.dropped.map(({ name, problem }) => `${name}: ${problem}`),
    },
    session: steps.some(({ received }) => 'mcp-session-id' in received),
    ttl: lifetimes(steps),
    headers: {
      sent: Object.assign({}, ...steps.map(({ sent }) => sent)),
      received: Object.assign({}, ...steps.map(({ received }) => received)),
    },
    proxy: found.proxy,
    notes: [...status.notices, ...proxyNotes(found.proxy)],
    stderr: found.stderr,
    ms: status.readyMs,
    failure:
      error === undefined
        ? undefined
        : {
            message: error.message,
            remedy: error.hint ?? reachRemedy(found.steps) ?? remedyFor(error, config),
            isAuth: error instanceof AuthError,
          },
  };
}

function reachStep({ name, ms, isOk, text }: ReachStep): ExaminedStep {
  return { name, ms, ok: isOk, text };
}

function wireStep({ name, ms, remark }: WireStep, status: ServerStatus): ExaminedStep {
  // What a server of the older revisions says to the probe of the new one is no fault of its.
  if (
    name === PROBE &&
    remark !== undefined &&
    status.state === 'ready' &&
    status.era === 'legacy'
  ) {
    const speaks = status.protocolVersion ?? 'an older revision';
    return { name, ms, ok: true, text: `${remark}: not known, it speaks ${speaks}` };
  }
  return {
    name,
    ms,
    ok: remark === undefined && ms !== undefined,
    text: remark ?? (ms === undefined ? 'no answer' : ''),
  };
}

/** How a server's generation is asked for. */
const PROBE = 'server/discover';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

function offeredVersions(steps: readonly WireStep[]): readonly string[] {
  const offered = steps.flatMap(({ params }) => {
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
    return [params['protocolVersion'], meta[VERSION_KEY]];
  });
  return [...new Set(offered.filter((version) => typeof version === 'string'))];
}

function lifetimes(steps: readonly WireStep[]): Readonly<Record<string, JsonValue>> {
  const entries = steps.flatMap(({ name, result }): readonly [string, JsonValue][] => {
    const ttlMs = result?.['ttlMs'];
    if (ttlMs === undefined) return [];
    return [[name, { ttlMs, cacheScope: result?.['cacheScope'] ?? null }]];
  });
  return Object.fromEntries(entries);
}

function proxyNotes(proxy: string | undefined): readonly string[] {
  return proxy === undefined
    ? []
    : ['behind a proxy the name is resolved there: only addresses written as numbers are checked'];
}

/** What never got to the protocol has a cause of its own. */
function reachRemedy(steps: readonly ReachStep[]): string | undefined {
  const broken = steps.find(({ isOk }) => !isOk)?.name;
  if (broken === 'find') return 'install it, or write its whole path under command:';
  if (broken === 'check') {
    return 'allowPrivate: true in its entry permits it, if this is a network of your own';
  }
  if (broken === 'resolve') {
    return 'check the host name in url; where only a proxy knows it, set HTTPS_PROXY';
  }
  return broken === 'connect' ? 'check host and port in url, and that the server runs' : undefined;
}

/** For errors that bring no hint of their own. */
function remedyFor(error: AppError, { name, endpoint }: ServerConfig): string {
  if (error.details['limit'] === 'timeout.connect') {
    return 'raise timeout.connect of its entry if the server is only slow';
  }
  if (error instanceof LimitError) return 'the server sends more than usher takes in one message';
  if (endpoint.kind === 'stdio') {
    return error instanceof ConnectError
      ? 'run its command by hand in its cwd and read what it says; variables go under env: or envPass:'
      : 'what the command prints on stdout must be MCP messages alone';
  }
  if (endpoint.kind === 'builtin') return `set enabled: false for ${name} if it is not needed`;
  return error instanceof ConnectError
    ? 'check url, and that the server runs and is reachable from here'
    : 'check that url is the MCP endpoint itself, not a web page or an API beside it';
}

/** As in a run, but watched, and with nobody to answer what a server asks. */
function portsFor(
  { sampling }: ServerConfig,
  { cwd, config }: ExaminedPlace,
  deps: HostDeps,
  wire: Wire,
  stderr: StderrTail,
): ConnectionPorts {
  const { clock, env, log, fetch = globalThis.fetch } = deps;
  return {
    clock,
    env,
    fetch: wire.fetch(fetch),
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
    spawn: wire.spawn(keepStderr(stderr)),
    log: (level, message) => log[level](message),
    logins: openLogins(deps),
    loginWords: config.loginWords,
    namedLogin: (name) => namedLogin(config, name),
    cwd,
    version: VERSION,
    serverRequests: new Map([['elicitation/create', () => Promise.resolve({ action: 'decline' })]]),
    clientCapabilities: capabilitiesFor(sampling),
    onNotification: () => undefined,
  };
}

function keepStderr(tail: StderrTail): Spawn {
  return (options) => {
    const child = spawnChild(options);
    return { ...child, stderr: keep(child.stderr, tail) };
  };
}

async function* keep(
  stream: AsyncIterable<Uint8Array>,
  tail: StderrTail,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    tail.add(chunk);
    yield chunk;
  }
}
