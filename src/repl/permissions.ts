/** `/permissions`: how permission stands, as lines, and taking back what was allowed. */
import { wrapQuoted } from '../base/quoted.ts';
import { nearestMatches } from '../base/text.ts';
import type { PermissionReport } from '../host/permissions.ts';
import type { Host } from '../host/types.ts';
import type { ListingView } from './listing.ts';
import { cleanLine } from './render.ts';

const USAGE = 'Usage: /permissions, /permissions SERVER, or /permissions forget SERVER/TOOL';

/** Runs the command's words; returns what to print. */
export function runPermissions(
  words: readonly string[],
  host: Host,
  view: ListingView,
): readonly string[] {
  const [first, second, ...more] = words;
  if (first === 'forget') {
    return second === undefined || more.length > 0 ? [USAGE] : forget(second, host);
  }
  if (second !== undefined) return [USAGE];
  return showReport(host.permissions(), first, view);
}

function showReport(
  report: PermissionReport,
  server: string | undefined,
  view: ListingView,
): readonly string[] {
  const tools = report.tools.filter((tool) => server === undefined || tool.server === server);
  const grants = report.grants.filter((grant) => server === undefined || grant.server === server);
  if (server !== undefined && tools.length + grants.length === 0) {
    return [`There is no tool of a server ${cleanLine(server)}. /mcp lists the servers.`];
  }
  const general =
    server !== undefined
      ? []
      : [
          `Mode: ${report.mode}`,
          ...section(
            'Rules',
            report.rules.map((rule) => cleanLine(rule)),
          ),
          ...section(
            'Hooks',
            report.hooks.map((hook) => cleanLine(hook)),
          ),
        ];
  const perTool = tools.flatMap((tool) => [
    `${effectWord(tool.effect, view)}  ${cleanLine(`${tool.server}/${tool.tool}`)}  ${cleanLine(tool.why)}`,
    ...tool.sometimes.map(({ effect, why }) => `       ${effect} ${cleanLine(why)}`),
  ]);
  const lines = [
    ...general,
    ...section('Tools', perTool),
    ...section('Allowed by you', grants.map(showGrant)),
  ];
  return lines.flatMap((line) => wrapQuoted(line, view.columns));
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function effectWord(effect: 'allow' | 'ask' | 'deny', { paint }: ListingView): string {
  const tone = { allow: 'good', ask: 'caution', deny: 'bad' } as const;
  return paint(effect.padEnd(5), tone[effect]);
}

function showGrant({
  server,
  tool,
  kind,
  scope,
  holds,
}: PermissionReport['grants'][number]): string {
  const name = cleanLine(`${server}/${tool}`);
  const length = kind === 'always' ? 'always' : 'this session';
  const rule = scope === '' ? '' : `, at the question of: ${cleanLine(scope)}`;
  const state = holds === false ? ' (the tool has changed: asked again)' : '';
  return `${name}  ${length}${rule}${state}`;
}

/** `SERVER/TOOL` with original names, or any spelling that resolves. */
function forget(word: string, host: Host): readonly string[] {
  const resolution = host.snapshot().resolve(word);
  const slash = word.indexOf('/');
  const [server, tool] =
    resolution.kind === 'found'
      ? [resolution.tool.server, resolution.tool.name]
      : [word.slice(0, Math.max(0, slash)), word.slice(slash + 1)];
  const count = host.forgetGrants(server, tool);
  if (count > 0) return [`${cleanLine(`${server}/${tool}`)} is asked for again.`];
  const names = host.permissions().grants.map((grant) => `${grant.server}/${grant.tool}`);
  const [nearest] = nearestMatches(word, names, 1);
  const hint = nearest === undefined ? '' : ` Did you mean ${cleanLine(nearest)}?`;
  return [`You have allowed nothing of ${cleanLine(word)}.${hint}`];
}
