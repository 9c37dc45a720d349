/** Opens the host for a command, closes it whatever happens, and tells how the servers stand. */
import { raceAbort } from '../base/abort.ts';
import {
  AuthError,
  ConfigError,
  ConnectError,
  PermissionError,
  UsageError,
} from '../base/errors.ts';
import { EXIT } from '../base/exit.ts';
import { nearestMatches } from '../base/text.ts';
import type { Config, ModelConfig, PendingServer } from '../config/types.ts';
import type { Talk } from '../host/talk.ts';
import type { Host, HostEvent, StartReport } from '../host/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import type { AskUser } from '../permission/types.ts';
import {
  type BannerStyle,
  doctorHint,
  renderServer,
  renderServers,
  renderSummary,
  serverWarnings,
} from './banner.ts';
import type { Context } from './context.ts';
import { readElicit } from './elicit.ts';
import { findPerson } from './person.ts';
import { type OpenSaving, openRecord } from './saving.ts';
import { interactionForUrl } from './sign-in.ts';
import { talkAtTerminal } from './talk.ts';

export interface HouseRequest {
  readonly config: Config;
  /** `undefined` = all enabled. */
  readonly servers: readonly string[] | undefined;
  readonly askUser: AskUser | undefined;
  /** Who answers what servers ask; default the person at the terminal, if one is there. */
  readonly talk?: Talk | undefined;
  readonly onEvent: (event: HostEvent) => void;
  readonly preloadModel: boolean;
  /** Default true; see `HostOptions`. */
  readonly promptIsTyped?: boolean;
  /** Default false. */
  readonly usesKeptTools?: boolean;
  /** Closed with the host. Default: the record of its calls, unless `--ephemeral`. */
  readonly saved?: OpenSaving | undefined;
  /** For hooks: what of usher the person uses. Default `command`. */
  readonly surface?: string;
}

/** Runs `work` with a host; closes the host afterwards, also after an error. */
export async function withHost<T>(
  context: Context,
  request: HouseRequest,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const { options, parts, env, clock, log, screen, interrupts } = context;
  const elicit = await readElicit(options.elicit, clock);
  const person =
    request.talk === undefined
      ? findPerson({ ...context, ...options, stderrIsTerminal: screen.isTerminal })
      : undefined;
  const signInBy = request.config.loginWords === undefined ? undefined : interactionForUrl(context);
  const { takeSigint } = interrupts;
  const saved = 'saved' in request ? request.saved : openRecord(context);
  const onEvent = (event: HostEvent) => {
    saved?.onEvent(event);
    request.onEvent(event);
  };
  const creating = parts.createHost(
    {
      config: request.config,
      cwd: context.cwd,
      askUser: request.askUser,
      talk: request.talk ?? (person && talkAtTerminal({ person, screen, clock, takeSigint })),
      elicit,
      serverLogLevel: serverLogLevel(options.verbose),
      onEvent,
      servers: request.servers,
      toolPatterns: { only: options.onlyTools, without: options.withoutTools },
      permissions: options.permissions,
      yes: options.yes,
      limits: {
        maxTurns: options.maxTurns,
        maxTokens: options.maxTokens,
        onDenied: options.onDenied,
      },
      artifacts: options.ephemeral ? 'off' : options.artifacts,
      saving: saved?.saving,
      preloadModel: request.preloadModel,
      promptIsTyped: request.promptIsTyped ?? true,
      usesKeptTools: request.usesKeptTools ?? false,
      patienceMs: options.patienceMs,
      surface: request.surface ?? 'command',
      signInBy,
    },
    { env, clock, log },
  );
  const host = await creating.catch(async (error: unknown) => {
    await saved?.close();
    throw error;
  });
  interrupts.onKill(() => host.killNow());
  try {
    return await work(host);
  } finally {
    await host.close();
    await saved?.close();
    person?.close();
    signInBy?.close();
  }
}

function serverLogLevel(verbose: number): 'info' | 'debug' | undefined {
  if (verbose === 0) return undefined;
  return verbose === 1 ? 'info' : 'debug';
}

/** The config of this command line, with `--model` and `--no-builtin-tools` put in. Throws ConfigError. */
export async function loadConfig(context: Context): Promise<Config> {
  const { parts, options, env, cwd, signal } = context;
  const { config: configFlag, approve } = options;
  const reading = parts.loadConfig({ configFlag, env, cwd, approve });
  // A file can be a pipe that stays silent.
  const config = await raceAbort(reading, signal);
  checkApproved(config, approve);
  const { servers } = config;
  return {
    ...config,
    model: options.model === undefined ? config.model : modelOf(config, options.model),
    servers: options.noBuiltins
      ? servers.filter(({ endpoint }) => endpoint.kind !== 'builtin')
      : servers,
  };
}

/** Checks that named servers exist and can be started. Throws UsageError, or ConfigError for a bad entry. */
export function checkServerNames(config: Config, names: readonly string[]): void {
  for (const name of names) {
    const server = config.servers.find((one) => one.name === name);
    if (server !== undefined && !server.enabled) {
      throw new UsageError(`server ${name} is disabled`, {
        hint: `usher mcp enable ${name} switches it on`,
      });
    }
    if (server !== undefined) continue;
    const waiting = config.pending?.find((one) => one.name === name);
    if (waiting !== undefined) throw unapproved(waiting);
    const problem = config.warnings.find(({ skipped }) => skipped === name);
    if (problem !== undefined) throw skippedServer(problem);
    if (config.skipped.includes(name)) throw new ConfigError(`server ${name} cannot be used`);
    throw unknownServer(config, name);
  }
}

/** A misspelled `--approve` would leave a server out in silence. */
function checkApproved(config: Config, names: readonly string[]): void {
  const { servers, skipped, pending = [] } = config;
  const known = [...servers.map(({ name }) => name), ...pending.map(({ name }) => name)];
  for (const name of names) {
    if (known.includes(name) || skipped.includes(name)) continue;
    const [nearest] = nearestMatches(name, known, 1);
    throw new UsageError(`--approve: unknown server "${name}"`, {
      hint: nearest === undefined ? 'usher mcp list shows what waits' : `did you mean ${nearest}?`,
    });
  }
}

function unapproved({ name, place, state }: PendingServer): PermissionError {
  const text = state === 'rejected' ? 'was rejected' : 'is not approved';
  return new PermissionError(`${place}: server ${name} of a project file ${text}`, {
    hint: `usher mcp approve ${name}, or --approve ${name} for this run`,
  });
}

export function unknownServer(config: Config, name: string): UsageError {
  const names = config.servers.map((server) => server.name);
  const [nearest] = nearestMatches(name, names, 1);
  const known = names.length === 0 ? 'no server is configured' : `configured: ${names.join(', ')}`;
  const other = nearest === undefined ? known : `did you mean ${nearest}?`;
  // Without a config it is there by itself; the first entry of one takes its place.
  const hint =
    name === 'workspace' ? `${other}; add { name: workspace, builtin: workspace }` : other;
  return new UsageError(`unknown server "${name}"`, { hint });
}

/** Tells the banner and all warnings on stderr. Returns the warnings' texts. */
export function tellStart(
  context: Context,
  facts: { readonly host: Host; readonly config: Config; readonly report: StartReport },
): readonly string[] {
  const { screen, options, log } = context;
  const { host, config, report } = facts;
  const banner = {
    report,
    config,
    snapshot: host.snapshot(),
    permissions: options.permissions ?? config.mcp.permissions,
    modelLabel: host.modelLabel,
  };
  const style = styleOf(context);
  if (!options.quiet) for (const line of renderServers(banner, style)) screen.line(line);
  const warnings = allWarnings(config, report);
  for (const { message, hint } of warnings) log.warn(message, hint);
  if (!options.quiet) {
    if (config.files.length === 0) {
      screen.line('no config file found: usher config example shows one');
    }
    for (const line of renderSummary(banner, style)) screen.line(line);
  }
  return warnings.map(({ message }) => message);
}

/** Tells of a server that was still connecting in the banner. Returns the texts of the warnings. */
export function tellStraggler(
  context: Context,
  facts: { readonly host: Host; readonly config: Config; readonly status: ServerStatus },
): readonly string[] {
  const { screen, options, log } = context;
  const { host, config, status } = facts;
  if (status.state === 'ready' && !options.quiet) {
    const lines = renderServer(status, host.snapshot(), styleOf(context));
    for (const line of lines) screen.line(line);
  }
  const warnings = serverWarnings([status], config);
  for (const { message, hint } of warnings) log.warn(message, hint);
  return warnings.map(({ message }) => message);
}

function styleOf({ screen, options }: Context): BannerStyle {
  return { ...screen, columns: screen.columns(), verbose: options.verbose > 0 };
}

/** Throws the error of a required or named server that is down. */
export function throwIfFatal(report: StartReport, config: Config): void {
  const { fatal } = report;
  if (fatal === undefined) return;
  const said = report.servers.find(({ name }) => name === fatal.server)?.error?.hint ?? fatal.hint;
  const hint = said ?? (fatal.exit === 6 ? undefined : doctorHint(fatal.server, config));
  const options = hint === undefined ? {} : { hint };
  throw fatal.exit === 6
    ? new AuthError(fatal.message, options)
    : new ConnectError(fatal.message, options);
}

/**
 * How to end when no server, or with `strict` not every one, could be used: 6 where a sign-in or a token is
 * all that is missing, else 4; `undefined`: there is no reason. One that ended later has done its part.
 */
export function exitWhenDown(
  config: Config,
  servers: readonly ServerStatus[],
  strict: boolean,
): typeof EXIT.auth | typeof EXIT.connect | undefined {
  const { skipped } = config;
  const started = servers.filter(({ state }) => state !== 'disabled');
  const unsigned = started.filter(({ state }) => state === 'needs_auth').length;
  const failed = started.filter(
    ({ state, readyMs }) => state === 'failed' && readyMs === undefined,
  );
  const down = unsigned + failed.length + skipped.length;
  const isAll = down === started.length + skipped.length;
  if (down === 0 || !(isAll || strict)) return undefined;
  return unsigned === down ? EXIT.auth : EXIT.connect;
}

interface Warning {
  readonly message: string;
  readonly hint: string | undefined;
}

/** Config, then what the host says, then failed servers that nobody named yet. */
function allWarnings(config: Config, report: StartReport): readonly Warning[] {
  const all: Warning[] = [...config.warnings, ...report.warnings];
  const failed = report.servers.filter(({ name }) => name !== report.fatal?.server);
  for (const server of failed) {
    const reason = server.error?.message;
    const isTold = reason !== undefined && all.some(({ message }) => message.includes(reason));
    if (!isTold) all.push(...serverWarnings([server], config));
  }
  // What ends the run is told as its error.
  const told = all.filter(({ message }) => message !== report.fatal?.message);
  return told.filter((one, at) => told.findIndex(({ message }) => message === one.message) === at);
}

function skippedServer(problem: Config['warnings'][number]): ConfigError {
  const { message, hint } = problem;
  return new ConfigError(message, hint === undefined ? {} : { hint });
}

/** `--model` on the configured block where the provider is the same, on a plain one otherwise. */
function modelOf(
  config: Config,
  wanted: { readonly provider: string; readonly name: string | undefined },
): ModelConfig {
  const provider = PROVIDERS.find((name) => name === wanted.provider);
  if (provider === undefined) {
    throw new UsageError(`--model: unknown provider "${wanted.provider}"`, {
      hint: `providers: ${PROVIDERS.join(', ')}`,
    });
  }
  const base = config.model?.provider === provider ? config.model : { timeout: DEFAULT_CLOCKS };
  return { ...base, provider, name: wanted.name };
}

const PROVIDERS = ['openai-compatible', 'openai', 'anthropic', 'google', 'offline'] as const;
const DEFAULT_CLOCKS = { firstByteMs: 300_000, idleMs: 120_000 };
