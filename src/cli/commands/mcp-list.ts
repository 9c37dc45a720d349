/** `usher mcp list`: the servers of all files, and with `--check` how each one answers. */
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { displayWidth, shorten } from '../../base/text.ts';
import type { Config, ServerConfig } from '../../config/types.ts';
import type { ServerStatus } from '../../mcp/types.ts';
import { needText } from '../banner.ts';
import type { Context } from '../context.ts';
import { loadConfig, withHost } from '../house.ts';

/** 3 when an entry cannot be used; with `--check` else 4 when a server failed. */
export async function runList(context: Context): Promise<ExitCode> {
  return context.options.check ? checkServers(context) : listServers(context);
}

/** What a listing says of one entry, from the file alone. */
interface Entry {
  readonly name: string;
  readonly transport: string;
  readonly enabled: boolean;
  readonly required: boolean;
  /** The file it stands in; `undefined`: the defaults. */
  readonly source: string | undefined;
  readonly scope?: string;
}

interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** Reads files only. 3 when an entry cannot be used. */
async function listServers(context: Context): Promise<ExitCode> {
  const { options, output } = context;
  const config = await loadConfig(context);
  const servers = config.servers.map((server) => entryOf(server, config));
  const skipped = skippedEntries(config);
  const pending = pendingEntries(config);
  if (options.output === 'json') output.json({ servers, skipped, pending });
  else {
    const rows = servers.map(({ name, transport, enabled, source }) => [
      name,
      transport,
      enabled ? 'enabled' : 'disabled',
      source ?? '(no config file)',
    ]);
    const waiting = pending.map(({ name, state, place }) => [name, '-', stateWords(state), place]);
    output.text(table([...rows, ...waiting, ...skipped.map(({ name }) => [name, '-', 'skipped'])]));
  }
  return tellProblems(context, config);
}

/** Connects to every enabled server. 3 when an entry cannot be used, else 4 when a server failed. */
async function checkServers(context: Context): Promise<ExitCode> {
  const { options, output, log, signal } = context;
  const config = await loadConfig(context);
  const request = {
    config,
    servers: undefined,
    askUser: undefined,
    onEvent: () => undefined,
    preloadModel: false,
  };
  const report = await withHost(context, request, (host) => host.start(signal));
  const servers = config.servers.map((server) => ({
    ...entryOf(server, config),
    ...stateOf(report.servers.find(({ name }) => name === server.name)),
  }));
  const shownOf = (name: string, state: string) => {
    const status = report.servers.find((one) => one.name === name);
    return status?.state === 'needs_auth' ? needText(status) : state;
  };
  if (options.output === 'json') {
    output.json({ servers, skipped: skippedEntries(config), pending: pendingEntries(config) });
  } else {
    const rows = servers.map(({ name, transport, ...one }) => [
      name,
      transport,
      shownOf(name, one.state),
      ...(one.state === 'ready' && 'tools' in one
        ? [one.era ?? '-', one.protocolVersion ?? '-', count(one.tools), `${one.ms ?? 0} ms`]
        : []),
    ]);
    const bad = config.skipped.map((name) => [name, '-', 'skipped']);
    const waiting = pendingEntries(config).map(({ name, state }) => [name, '-', stateWords(state)]);
    output.text(table([...rows, ...waiting, ...bad]));
  }
  for (const one of servers) {
    if (!('error' in one) || one.error === undefined) continue;
    const { message, hint } = one.error;
    log.error(message.includes(one.name) ? message : `${one.name}: ${message}`, hint);
  }
  const exit = tellProblems(context, config);
  const { fatal } = report;
  const isKnown = servers.some(({ name, state }) => name === fatal?.server && state !== 'ready');
  // A server that is ready and not as its `expect:` says.
  if (fatal !== undefined && !isKnown) log.error(fatal.message, fatal.hint);
  const isDown =
    fatal !== undefined || servers.some(({ state }) => state !== 'ready' && state !== 'disabled');
  return exit === EXIT.ok && isDown ? EXIT.connect : exit;
}

function entryOf({ name, endpoint, enabled, required }: ServerConfig, config: Config): Entry {
  const origin = config.origins === undefined ? undefined : config.origins[name];
  const { scope, file = config.files.at(-1) } = origin ?? {};
  return {
    name,
    transport: endpoint.kind,
    enabled,
    required,
    source: file,
    ...(scope === undefined ? {} : { scope }),
  };
}

/** Servers of project files that wait for a decision, or were rejected. */
function pendingEntries({ pending = [] }: Config) {
  return pending.map(({ name, state, enabled, file, place }) => ({
    name,
    state: enabled ? state : 'disabled',
    source: file,
    place,
  }));
}

function stateWords(state: string): string {
  return state === 'pending' || state === 'changed' ? `${state}, not approved` : state;
}

/** `undefined`: not started, as it is switched off. */
function stateOf(status: ServerStatus | undefined) {
  if (status === undefined) return { state: 'disabled' as const };
  const { kind, state, era, protocolVersion, tools, readyMs, error } = status;
  return {
    transport: kind,
    state,
    era,
    protocolVersion,
    tools: tools.length,
    ms: readyMs === undefined ? undefined : Math.round(readyMs),
    error: error === undefined ? undefined : { message: error.message, hint: error.hint },
  };
}

function skippedEntries({ skipped, warnings }: Config): readonly Skipped[] {
  return skipped.map((name) => ({
    name,
    reason: warnings.find((warning) => warning.skipped === name)?.message ?? 'cannot be used',
  }));
}

function tellProblems({ log }: Context, config: Config): ExitCode {
  for (const { message, hint } of config.warnings) log.warn(message, hint);
  return config.skipped.length > 0 ? EXIT.config : EXIT.ok;
}

function count(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`;
}

/** Columns two blanks apart. Texts of servers are on one line, at most 60 characters; state and place are ours. */
function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) =>
    row.map((cell, at) => (at === 2 || at === 3 ? cell : oneLine(cell))),
  );
  const widths = [0, 1, 2, 3, 4, 5].map((at) =>
    Math.max(0, ...cells.map((row) => (at < row.length - 1 ? displayWidth(row[at] ?? '') : 0))),
  );
  const pad = (cell: string, at: number, isLast: boolean) =>
    isLast ? cell : cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - displayWidth(cell)));
  return cells
    .map((row) => `${row.map((cell, at) => pad(cell, at, at === row.length - 1)).join('  ')}\n`)
    .join('');
}

function oneLine(text: string): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), 60);
}
