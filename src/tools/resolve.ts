/** From any spelling of a tool to the tool. Built once per snapshot, on first use of a rarer spelling. */
import { nearestMatches } from '../base/text.ts';
import { keyOf, plainName } from './naming.ts';
import type { RegisteredTool, Resolution } from './types.ts';

const MAX_NEAREST = 3;
const MAX_CANDIDATES = 8;

/**
 * Resolves, in this order: the public name (also one shown before), `server/tool`, then every other
 * spelling: `mcp__server__tool`, `server.tool`, a name before its collision hash, a bare tool name. The last
 * group is an error when it fits several tools; an exposed tool goes before hidden ones.
 */
export function createResolver(
  tools: readonly RegisteredTool[],
  shown: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): (name: string) => Resolution {
  const byKey = new Map(tools.map((tool) => [keyOf(tool), tool]));
  let aliases: ReadonlyMap<string, readonly RegisteredTool[]> | undefined;

  const byExactKey = (key: string | undefined): Resolution | undefined => {
    if (key === undefined) return undefined;
    const tool = byKey.get(key);
    if (tool !== undefined) return { kind: 'found', tool };
    return known.has(key) ? goneOf(key) : undefined;
  };

  return (name) => {
    const exact = byExactKey(shown.get(name)) ?? byExactKey(keyOfPath(name));
    if (exact?.kind === 'found') return exact;
    aliases ??= aliasesOf(tools);
    const candidates = aliases.get(name) ?? [];
    const exposed = candidates.filter((tool) => tool.hidden === undefined);
    const choice = exposed.length > 0 ? exposed : candidates;
    const [only] = choice;
    if (exact === undefined && only !== undefined) {
      if (choice.length === 1) return { kind: 'found', tool: only };
      const paths = choice.map((tool) => `${tool.server}/${tool.name}`).sort();
      return { kind: 'ambiguous', candidates: paths.slice(0, MAX_CANDIDATES) };
    }
    return exact ?? goneByAlias(name, known) ?? { kind: 'unknown', nearest: nearest(name, tools) };
  };
}

function keyOfPath(name: string): string | undefined {
  const slash = name.indexOf('/');
  if (slash < 1) return undefined;
  return keyOf({ server: name.slice(0, slash), name: name.slice(slash + 1) });
}

function goneOf(key: string): Resolution {
  const end = key.indexOf('\0');
  return { kind: 'gone', server: key.slice(0, end), name: key.slice(end + 1) };
}

/** A vanished tool by another spelling, when only one fits. */
function goneByAlias(name: string, known: ReadonlySet<string>): Resolution | undefined {
  const fitting = [...known].filter((key) => {
    const end = key.indexOf('\0');
    return spellingsOf({ server: key.slice(0, end), name: key.slice(end + 1) }).includes(name);
  });
  const [only] = fitting;
  return only !== undefined && fitting.length === 1 ? goneOf(only) : undefined;
}

function aliasesOf(
  tools: readonly RegisteredTool[],
): ReadonlyMap<string, readonly RegisteredTool[]> {
  const aliases = new Map<string, RegisteredTool[]>();
  for (const tool of tools) {
    for (const spelling of new Set(spellingsOf(tool))) {
      const list = aliases.get(spelling);
      if (list === undefined) aliases.set(spelling, [tool]);
      else list.push(tool);
    }
  }
  return aliases;
}

function spellingsOf(tool: Pick<RegisteredTool, 'server' | 'name'>): readonly string[] {
  return [
    plainName(tool, 'mcp'),
    plainName(tool, 'server_tool'),
    `mcp__${tool.server}__${tool.name}`,
    `${tool.server}.${tool.name}`,
    tool.name,
  ];
}

/** Spelled the way the name was asked for: `server/tool` after a path, public names otherwise. */
function nearest(name: string, tools: readonly RegisteredTool[]): readonly string[] {
  const offered = tools.filter((tool) => tool.hidden === undefined);
  const pathOf = (tool: RegisteredTool) => `${tool.server}/${tool.name}`;
  if (name.includes('/')) return nearestMatches(name, offered.map(pathOf), MAX_NEAREST);
  const whole = nearestMatches(
    name,
    offered.map((tool) => tool.publicName),
    MAX_NEAREST,
  );
  if (whole.length > 0) return whole;
  const bare = nearestMatches(
    name,
    offered.map((tool) => tool.name),
    MAX_NEAREST,
  );
  return offered
    .filter((tool) => bare.includes(tool.name))
    .map((tool) => tool.publicName)
    .slice(0, MAX_NEAREST);
}
