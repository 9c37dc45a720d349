/** Which tools scripts reach and how a name in a script leads to one. Pure. */
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
