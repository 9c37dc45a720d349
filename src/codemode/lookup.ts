/** What a script asks about tools: searchTools, describeTool, describeNamespace. */
import type { JsonValue } from '../base/json.ts';
import { nearestMatches } from '../base/text.ts';
import { findServer } from './catalogue.ts';
import { declareTool } from './declare.ts';
import type { Answer } from './nested.ts';
import type { ScriptPorts } from './ports.ts';
import { findReachable, pendingServer, scriptTools } from './reach.ts';

const MAX_FOUND = 100;

/** `what`: `search` [query, limit, namespace], `describe` [name], `namespace` [name]. */
export function answerAbout(
  ports: ScriptPorts,
  what: string,
  values: readonly JsonValue[],
  signal: AbortSignal,
): Promise<Answer> {
  const [first, second, third] = values;
  const name = typeof first === 'string' ? first : '';
  switch (what) {
    case 'search':
      return search(ports, name, { limit: second, namespace: third }, signal);
    case 'describe':
      return describe(ports, name, signal);
    case 'namespace':
      return describeNamespace(ports, name, signal);
    default:
      return Promise.resolve(fail(`a script cannot ask for "${what}"`));
  }
}

async function search(
  ports: ScriptPorts,
  query: string,
  {
    limit,
    namespace,
  }: { readonly limit: JsonValue | undefined; readonly namespace: JsonValue | undefined },
  signal: AbortSignal,
): Promise<Answer> {
  const most = typeof limit === 'number' && limit >= 1 ? Math.min(MAX_FOUND, Math.floor(limit)) : 8;
  let server: string | undefined;
  if (typeof namespace === 'string') {
    server = findServer(namespace, serverNames(ports));
    if (server === undefined) return unknownNamespace(ports, namespace);
  }
  await awaitPending(ports, server, signal);
  const { reachable } = ports.snapshot();
  const tools = server === undefined ? reachable : reachable.filter((one) => one.server === server);
  const found = new Set(ports.search(tools, query, most));
  const described = new Map(
    scriptTools({ ...ports.snapshot(), reachable: [...found] }, ports.clean).map((tool) => [
      tool.publicName,
      tool.description,
    ]),
  );
  return {
    isOk: true,
    value: [...found].map(({ publicName, server: from }) => ({
      name: publicName,
      namespace: from,
      description: described.get(publicName) ?? '',
    })),
  };
}

async function describe(ports: ScriptPorts, name: string, signal: AbortSignal): Promise<Answer> {
  const pending = pendingServer(name, ports.pending());
  if (pending !== undefined) await ports.awaitServer(pending, signal);
  const snapshot = ports.snapshot();
  const tool = findReachable(name, snapshot);
  if (tool !== undefined) return { isOk: true, value: declareTool(tool, ports.clean) };
  const names = snapshot.reachable.map(({ publicName }) => publicName);
  const nearest = nearestMatches(name, names, 3);
  return fail(`There is no tool "${name}".${hint(nearest)}`);
}

async function describeNamespace(
  ports: ScriptPorts,
  name: string,
  signal: AbortSignal,
): Promise<Answer> {
  const server = findServer(name, serverNames(ports));
  if (server === undefined) return unknownNamespace(ports, name);
  await awaitPending(ports, server, signal);
  const facts = ports.servers().find((one) => one.name === server);
  const snapshot = ports.snapshot();
  const own = snapshot.reachable.filter((tool) => tool.server === server);
  return {
    isOk: true,
    value: {
      name: server,
      description: facts?.description ?? '',
      instructions: facts?.instructions ?? '',
      tools: scriptTools({ ...snapshot, reachable: own }, ports.clean).map((tool) => ({
        name: tool.publicName,
        description: tool.description,
      })),
    },
  };
}

/** One server, or all that may still bring tools; each only up to its own limit. */
async function awaitPending(
  ports: ScriptPorts,
  server: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const pending = ports.pending().filter((name) => server === undefined || name === server);
  await Promise.all(pending.map((name) => ports.awaitServer(name, signal)));
}

function serverNames(ports: ScriptPorts): readonly string[] {
  return ports.servers().map(({ name }) => name);
}

function unknownNamespace(ports: ScriptPorts, name: string): Answer {
  const names = serverNames(ports);
  const nearest = nearestMatches(name, names, 1);
  return fail(`There is no namespace "${name}".${hint(nearest.length > 0 ? nearest : names)}`);
}

function hint(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${names.slice(0, 8).join(' or ')}?`;
}

function fail(message: string): Answer {
  return { isOk: false, failure: { message } };
}
