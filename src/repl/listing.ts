/** What /tools and /mcp print. Pure: status and snapshot in, lines out. */
import { assertNever } from '../base/errors.ts';
import { cutToWidth, padTo } from '../base/text.ts';
import type { ServerState, ServerStatus } from '../mcp/types.ts';
import type { HiddenReason, RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { cleanLine, errorLines, needOf, type Paint } from './render.ts';

export interface ListingView {
  readonly columns: number;
  readonly paint: Paint;
}

const STATE_WORDS: Readonly<Record<ServerState, string>> = {
  idle: 'not started',
  connecting: 'connecting',
  discovering: 'reading its tools',
  ready: 'ready',
  needs_auth: 'needs a token',
  failed: 'failed',
  disabled: 'disabled',
  closed: 'closed',
};
const MAX_NAME_COLUMNS = 32;

/** Every server's tools: exposed ones with their description, the others with the reason. */
export function listTools(
  servers: readonly ServerStatus[],
  snapshot: RegistrySnapshot,
  view: ListingView,
): readonly string[] {
  if (servers.length === 0) return ['No servers are configured. See `usher config example`.'];
  return servers.flatMap((server) => {
    const exposed = snapshot.reachable.filter((tool) => tool.server === server.name);
    const hidden = snapshot.hidden.filter((tool) => tool.server === server.name);
    const head = `${cleanLine(server.name)}: ${countOf(server, exposed.length)}`;
    const width = nameWidth([...exposed, ...hidden]);
    return [
      head,
      ...exposed.map((tool) => row(tool.name, tool.definition.description ?? '', width, view)),
      ...hidden.map((tool) =>
        view.paint(row(tool.name, `hidden: ${reasonOf(tool)}`, width, view), 'dim'),
      ),
      ...server.dropped
        .filter((dropped) => !hidden.some((tool) => tool.name === dropped.name))
        .map(({ name, problem }) =>
          view.paint(row(name, `cannot be used: ${problem}`, width, view), 'dim'),
        ),
    ];
  });
}

/** One line per server: mark, name, kind, state, era, tools; its last error below. */
export function listServers(
  servers: readonly ServerStatus[],
  snapshot: RegistrySnapshot,
  view: ListingView,
): readonly string[] {
  if (servers.length === 0) return ['No servers are configured. See `usher config example`.'];
  const width = Math.max(...servers.map((server) => Bun.stringWidth(cleanLine(server.name))));
  return servers.flatMap((server) => {
    const exposed = snapshot.reachable.filter((tool) => tool.server === server.name).length;
    const state = stateOf(server);
    const facts = [server.kind, state, eraOf(server)];
    if (server.state === 'ready') facts.push(countOf(server, exposed));
    if (server.readyMs !== undefined) facts.push(`${Math.round(server.readyMs)} ms`);
    const shown = facts.filter((fact) => fact !== '').join(', ');
    const head = `${markOf(server.state, view)} ${padTo(cleanLine(server.name), width)}  ${shown}`;
    return [head, ...errorLines(server)];
  });
}

function stateOf(server: ServerStatus): string {
  return server.state === 'needs_auth' ? needOf(server) : STATE_WORDS[server.state];
}

function row(name: string, text: string, width: number, view: ListingView): string {
  const line = `  ${padTo(cleanLine(name), width)}  ${cleanLine(text)}`;
  return cutToWidth(line.trimEnd(), Math.max(20, view.columns - 1));
}

function nameWidth(tools: readonly RegisteredTool[]): number {
  const widths = tools.map((tool) => Bun.stringWidth(cleanLine(tool.name)));
  return Math.min(MAX_NAME_COLUMNS, Math.max(0, ...widths));
}

function countOf(server: ServerStatus, exposed: number): string {
  if (server.state !== 'ready') return stateOf(server);
  const offered = server.tools.length + server.dropped.length;
  return `${exposed} of ${offered} ${offered === 1 ? 'tool' : 'tools'}`;
}

function eraOf({ era, protocolVersion }: ServerStatus): string {
  return [era, protocolVersion === undefined ? undefined : cleanLine(protocolVersion, 40)]
    .filter((part) => part !== undefined)
    .join(' ');
}

function markOf(state: ServerState, { paint }: ListingView): string {
  if (state === 'ready') return paint('●', 'good');
  if (state === 'failed') return paint('✗', 'bad');
  if (state === 'needs_auth') return paint('!', 'caution');
  return paint('○', 'dim');
}

function reasonOf({ hidden }: RegisteredTool): string {
  return hidden === undefined ? '' : describeReason(hidden);
}

function describeReason(reason: HiddenReason): string {
  switch (reason.kind) {
    case 'not_listed':
      return 'not in `tools:`';
    case 'excluded':
      return `excluded by ${reason.pattern}`;
    case 'binary':
      return `binary data at ${reason.schemaPath}; \`binary: keep\` shows it`;
    case 'exposure':
      return '`exposure: hidden`';
    case 'flag':
      return 'by a flag of this session or defaultTools';
    case 'tokens':
      return `about ${reason.tokens} tokens, maxToolTokens is ${reason.maxTokens}`;
    case 'locked':
      return `withheld: ${reason.change === 'new' ? 'not in usher.lock' : 'changed since usher.lock'}`;
    case 'malformed':
      return reason.problem;
    default:
      return assertNever(reason);
  }
}
