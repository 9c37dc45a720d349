/** The banner: what is connected, what the model may use, who answers. Pure: facts in, lines out. */

import { offeredTools, totalTokens } from '../base/offered.ts';
import { scrubSecrets } from '../base/redact.ts';
import { displayWidth, escapeForTerminal, groupDigits, shorten, wrap } from '../base/text.ts';
import type { Config } from '../config/types.ts';
import type { StartReport } from '../host/types.ts';
import type { ServerState, ServerStatus } from '../mcp/types.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';

export interface BannerFacts {
  readonly report: StartReport;
  readonly snapshot: RegistrySnapshot;
  readonly config: Config;
  readonly permissions: 'ask' | 'auto';
  readonly modelLabel: string;
}

export interface BannerStyle {
  readonly columns: number;
  readonly unicode: boolean;
  readonly colour: boolean;
  /** All tool names, however many. */
  readonly verbose: boolean;
}

/** Beyond this many tools of one server only their number is shown. */
const MAX_NAMED_TOOLS = 60;
/** A longer name is cut where it is one of many; `usher tools` shows it whole. */
const MAX_NAME = 128;
const INDENT = '    ';
/** Narrower terminals break lines themselves. */
const MIN_COLUMNS = 20;

/** One block per server: its line, then the names of its exposed tools. */
export function renderServers(facts: BannerFacts, style: BannerStyle): readonly string[] {
  const { report, snapshot } = facts;
  const { skipped } = facts.config;
  const names = [...report.servers.map(({ name }) => name), ...skipped];
  const nameWidth = Math.max(0, ...names.map(displayWidth));
  const blocks = report.servers.flatMap((status) => {
    const tools = toolsOf(status.name, snapshot);
    return [
      serverLine(status, tools, snapshot, nameWidth, style),
      ...toolLines(status.name, tools, style),
    ];
  });
  const bad = skipped.map((name) => {
    const padding = ' '.repeat(nameWidth - displayWidth(name));
    return `${mark('failed', style)} ${clean(name)}${padding}  skipped, see its warning`;
  });
  const own = offeredTools(snapshot).filter(({ server }) => !names.includes(server));
  return [...blocks, ...bad, ...ownToolLines(own, style)];
}

/** The block of one server that became ready after the banner. */
export function renderServer(
  status: ServerStatus,
  snapshot: RegistrySnapshot,
  style: BannerStyle,
): readonly string[] {
  const tools = toolsOf(status.name, snapshot);
  const width = displayWidth(status.name);
  return [
    serverLine(status, tools, snapshot, width, style),
    ...toolLines(status.name, tools, style),
  ];
}

/** The last line, wrapped to the width: tools, time, mode, model. */
export function renderSummary(facts: BannerFacts, { columns }: BannerStyle): readonly string[] {
  const offered = offeredTools(facts.snapshot);
  const count = offered.length;
  const sent = summaryOfSent(offered, facts.snapshot);
  const tools = count === 1 ? '1 tool' : `${count} tools`;
  const time = `${Math.round(facts.report.readyMs)} ms`;
  const text = `${tools} ready in ${time}${sent}, permissions ${facts.permissions}, model ${clean(facts.modelLabel)}`;
  return wrap(text, Math.max(MIN_COLUMNS, columns));
}

/** One warning per server that failed or needs a token, each with its remedy. */
export function serverWarnings(
  servers: readonly ServerStatus[],
  config: Pick<Config, 'loginWords'>,
): readonly { readonly message: string; readonly hint: string | undefined }[] {
  return servers.flatMap(({ name, state, error }) => {
    if (state !== 'failed' && state !== 'needs_auth') return [];
    const reason = error?.message ?? (state === 'failed' ? 'it failed' : 'its token is missing');
    const message = reason.includes(name) ? reason : `server ${name}: ${reason}`;
    return [
      { message, hint: error?.hint ?? (state === 'failed' ? doctorHint(name, config) : undefined) },
    ];
  });
}

/** The next step where an error names none: what examines a configured server. */
export function doctorHint(name: string, config: Pick<Config, 'loginWords'>): string | undefined {
  return config.loginWords === undefined ? `usher mcp doctor ${name} finds out more` : undefined;
}

function serverLine(
  status: ServerStatus,
  tools: readonly RegisteredTool[],
  snapshot: RegistrySnapshot,
  nameWidth: number,
  style: BannerStyle,
): string {
  const padding = ' '.repeat(nameWidth - displayWidth(status.name));
  const head = `${mark(status.state, style)} ${clean(status.name)}${padding}  ${status.kind.padEnd(7)}`;
  switch (status.state) {
    case 'ready': {
      const era =
        status.era === undefined
          ? ''
          : `  ${status.era} ${shorten(clean(status.protocolVersion ?? ''), MAX_NAME)}`;
      const count = `${tools.length} of ${status.tools.length + status.dropped.length} tools`;
      return `${head}${era.trimEnd()}  ${count}, about ${tokens(tools)} tokens${sentText(tools, snapshot)}`;
    }
    case 'failed':
    case 'needs_auth':
      return `${head}  ${status.state === 'failed' ? 'failed' : needText(status)}`;
    case 'disabled':
      return `${head}  disabled`;
    case 'closed':
      return `${head}  closed`;
    case 'idle':
    case 'connecting':
    case 'discovering':
      return `${head}  still connecting`;
  }
}

/** With the exact command, where a sign-in is all that is missing. */
export function needText({ error }: Pick<ServerStatus, 'error'>): string {
  if (error?.details['signIn'] !== true) return 'needs a token';
  return `needs a sign-in: ${clean(error.hint ?? '')}`;
}

/** Tools of usher itself, by which what servers offer beside tools is read. */
function ownToolLines(tools: readonly RegisteredTool[], style: BannerStyle): readonly string[] {
  if (tools.length === 0) return [];
  const names = tools.map(({ publicName }) => clean(publicName)).join(', ');
  return wrap(`also offered: ${names}`, Math.max(MIN_COLUMNS, style.columns));
}

function toolLines(
  server: string,
  tools: readonly RegisteredTool[],
  style: BannerStyle,
): readonly string[] {
  if (tools.length === 0) return [];
  if (tools.length > MAX_NAMED_TOOLS && !style.verbose) {
    return [`${INDENT}${tools.length} tools: usher tools ${clean(server)} lists them`];
  }
  const names = tools
    .map(({ name }) => shorten(clean(name), MAX_NAME).replaceAll(' ', '\u00a0'))
    .join(', ');
  const width = Math.max(MIN_COLUMNS, style.columns - INDENT.length);
  return wrap(names, width).map((line) => `${INDENT}${line.replaceAll('\u00a0', ' ')}`);
}

function toolsOf(name: string, snapshot: RegistrySnapshot): readonly RegisteredTool[] {
  return offeredTools(snapshot).filter(({ server }) => server === name);
}

/** What the first request holds of these tools, where that is not all: `, 20 sent`. */
function sentText(tools: readonly RegisteredTool[], { tools: declared }: RegistrySnapshot): string {
  const sent = new Set(declared);
  const first = tools.filter((tool) => sent.has(tool));
  return first.length === tools.length ? '' : `, ${tokens(first)} sent`;
}

function summaryOfSent(tools: readonly RegisteredTool[], snapshot: RegistrySnapshot): string {
  return sentText(tools, snapshot) === ''
    ? ''
    : `, about ${tokens(snapshot.tools)} of ${tokens(tools)} tokens sent`;
}

/** Estimated tokens the tools cost the model: a quarter of their bytes. */
function tokens(tools: readonly RegisteredTool[]): string {
  return groupDigits(totalTokens(tools));
}

function mark(state: ServerState, style: BannerStyle): string {
  const [unicode, ascii, colour] = marksOf(state);
  const text = style.unicode ? unicode : ascii;
  return style.colour ? `\u001b[${colour}m${text}\u001b[0m` : text;
}

function marksOf(state: ServerState): readonly [string, string, string] {
  if (state === 'ready') return ['✓', '+', '32'];
  if (state === 'failed' || state === 'needs_auth') return ['✗', 'x', '31'];
  if (state === 'disabled' || state === 'closed') return ['○', '-', '2'];
  return ['…', '~', '33'];
}

function clean(text: string): string {
  return escapeForTerminal(scrubSecrets(text)).replaceAll('\n', ' ').replaceAll('\t', ' ');
}
