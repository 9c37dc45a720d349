/** Which tools scripts reach and how a name in a script leads to one. Pure. */
import { SCRIPT_TOOL } from '../tools/registry.ts';
import { TOOL_SEARCH } from '../tools/search-tool.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { findServer, identifier, namespaceSpellings } from './catalogue.ts';
import type { ScriptTool } from './types.ts';

const MAX_DESCRIPTION = 200;

/** As scripts see them: deferred and codemode tools are among them. */
export function scriptTools(
  snapshot: RegistrySnapshot,
  clean: (text: string) => string,
): readonly ScriptTool[] {
  return snapshot.reachable.map(({ server, name, publicName, definition }) => ({
    server,
    name,
    publicName,
    description: firstWords(clean(definition.description ?? definition.title ?? '')),
  }));
}

/** A spelling that resolves: `server/tool` where the namespace is known, else the name as it is. */
export function pathOf(server: string, name: string, snapshot: RegistrySnapshot): string {
  if (server === '') return name;
  const own = snapshot.reachable.filter((tool) => tool.server === server);
  const tool =
    own.find((one) => one.name === name) ?? own.find((one) => identifier(one.name) === name);
  return `${server}/${tool?.name ?? name}`;
}

/** Where a name in a script leads. */
export interface Reached {
  /** As the executor resolves it. */
  readonly path: string;
  /** `undefined`: none that scripts reach. */
  readonly tool: RegisteredTool | undefined;
  /** Why scripts cannot call it, where it is a tool of ours that steers the model. */
  readonly refusal: string | undefined;
}

/** Looks each name up once for each snapshot: a script calls the same tools again and again. */
export function createReach(): (
  server: string,
  name: string,
  snapshot: RegistrySnapshot,
) => Reached {
  const known = new Map<string, Reached>();
  let current: RegistrySnapshot | undefined;
  return (server, name, snapshot) => {
    if (snapshot !== current) known.clear();
    current = snapshot;
    const key = `${server}\0${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const path = pathOf(server, name, snapshot);
    const tool = findReachable(path, snapshot);
    const refusal = tool === undefined ? refusalOf(path, snapshot) : undefined;
    const reached = { path, tool, refusal };
    known.set(key, reached);
    return reached;
  };
}

/** Also of one that is not declared at the moment: a script may have seen its name elsewhere. */
function refusalOf(path: string, snapshot: RegistrySnapshot): string | undefined {
  const bare = path.slice(path.indexOf('/') + 1);
  const isOurs = path === bare || path.startsWith('@');
  if (isOurs && bare === TOOL_SEARCH.name) {
    return `scripts find tools with searchTools(query), not with ${TOOL_SEARCH.name}`;
  }
  const found = snapshot.resolve(path);
  const isForModels = found.kind === 'found' && found.tool.exposure === 'model-only';
  const isScript = isOurs && bare === SCRIPT_TOOL;
  return isForModels || isScript ? `${bare} cannot be called from a script` : undefined;
}

/** The reachable tool behind a name in a script. */
export function findReachable(
  name: string,
  snapshot: RegistrySnapshot,
): RegisteredTool | undefined {
  const found = snapshot.resolve(name);
  if (found.kind !== 'found') return undefined;
  const { tool } = found;
  return snapshot.reachable.find((one) => one.server === tool.server && one.name === tool.name);
}

/** Of the servers that may still bring tools, the one a name belongs to. */
export function pendingServer(name: string, pending: readonly string[]): string | undefined {
  const exact = findServer(name, pending);
  if (exact !== undefined) return exact;
  return pending.find((server) =>
    namespaceSpellings(server).some((spelling) =>
      ['/', '.', '_', '__'].some((joint) => name.startsWith(`${spelling}${joint}`)),
    ),
  );
}

function firstWords(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length <= MAX_DESCRIPTION ? line : `${line.slice(0, MAX_DESCRIPTION - 1)}…`;
}
