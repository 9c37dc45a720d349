/** The names of tools as scripts spell them. Pure; known to the worker and to the host. */
import type { ScriptTool } from './types.ts';

export interface Catalogue {
  /** The server behind a name of a namespace, or an empty text. */
  namespace(name: string): string;
  /** Names in `tools`, or in one namespace. */
  names(server: string): readonly string[];
}

/** Spellings of a server as a namespace: `a-b`, `a_b`, `mcp__a-b`, `mcp__a_b`. */
export function namespaceSpellings(server: string): readonly string[] {
  const clean = identifier(server);
  return [server, clean, `mcp__${server}`, `mcp__${clean}`];
}

/** A name that can stand behind a dot; other characters become `_`. */
export function identifier(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_$]/g, '_');
  return /^[0-9]/.test(clean) ? `_${clean}` : clean;
}

/** What `server` may be called by; the exact name goes first where two servers share a spelling. */
export function findServer(name: string, servers: readonly string[]): string | undefined {
  if (servers.includes(name)) return name;
  return servers.find((server) => namespaceSpellings(server).includes(name));
}

export function createCatalogue(
  tools: readonly ScriptTool[],
  servers: readonly string[],
): Catalogue {
  const byServer = new Map<string, string[]>(servers.map((server) => [server, []]));
  for (const { server, name } of tools) {
    // Tools without a server go by their public names alone.
    if (server.startsWith('@')) continue;
    const names = byServer.get(server) ?? [];
    byServer.set(server, names);
    names.push(identifier(name));
  }
  const known = [...byServer.keys()];
  const publicNames = new Set(tools.map(({ publicName }) => publicName));
  return {
    // A tool with that public name goes first.
    namespace: (name) => (publicNames.has(name) ? '' : (findServer(name, known) ?? '')),
    names(server) {
      if (server !== '') return [...new Set(byServer.get(server) ?? [])];
      return [...new Set([...publicNames, ...known.map(identifier)])];
    },
  };
}
