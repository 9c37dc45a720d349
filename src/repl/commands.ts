/** The commands of a session: what starts with `/`. Reads the host; what it says is lines. */
import { nearestMatches } from '../base/text.ts';
import type { Host } from '../host/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import { helpLines } from './help.ts';
import { type ListingView, listServers, listTools } from './listing.ts';
import { fillPrompt, isPromptLine, listOffers } from './offers.ts';
import { runPermissions } from './permissions.ts';
import { cleanLine } from './render.ts';
import { type SignInDeps, signIn } from './sign-in.ts';

export type CommandOutcome =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** To be run as if it had been typed. */
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'exit' };

/** With their slash, for completion. */
export const COMMAND_NAMES = [
  '/help',
  '/tools',
  '/mcp',
  '/permissions',
  '/resources',
  '/prompts',
  '/exit',
] as const;

/** Runs one command line. `signal` ends what it waits for. Rejects with UsageError for arguments of a prompt that are none. */
export async function runCommand(
  line: string,
  host: Host,
  view: ListingView,
  signal: AbortSignal,
  signInDeps?: SignInDeps,
): Promise<CommandOutcome> {
  const [name = '', ...words] = line.trim().split(/\s+/);
  switch (name) {
    case '/help':
    case '/?':
      return say(...helpLines(view.columns));
    case '/tools':
      return showTools(words, host, view);
    case '/mcp':
      return words.length === 0
        ? say(...listServers(host.status(), host.snapshot(), view))
        : changeServer(words, host, view, signal, signInDeps);
    case '/permissions':
      return say(...runPermissions(words, host, view));
    case '/resources':
      return say(...(await listOffers('resources', words[0], host, view, signal)));
    case '/prompts':
      return say(...(await listOffers('prompts', words[0], host, view, signal)));
    case '/exit':
    case '/quit':
      return { kind: 'exit' };
    default:
      if (isPromptLine(line)) return fillPrompt(line, host, signal);
      return say(`Unknown command ${cleanLine(name)}. ${didYouMean(name, COMMAND_NAMES, '/help')}`);
  }
}

function showTools(words: readonly string[], host: Host, view: ListingView): CommandOutcome {
  const [name] = words;
  const servers = host.status();
  if (name === undefined) return say(...listTools(servers, host.snapshot(), view));
  const found = findServer(name, servers);
  if (found === undefined) return unknownServer(name, servers);
  return say(...listTools([found], host.snapshot(), view));
}

async function changeServer(
  words: readonly string[],
  host: Host,
  view: ListingView,
  signal: AbortSignal,
  signInDeps: SignInDeps | undefined,
): Promise<CommandOutcome> {
  const [verb = '', name] = words;
  if (!['reconnect', 'login'].includes(verb) || name === undefined) {
    return say('Usage: /mcp, /mcp reconnect NAME, or /mcp login NAME');
  }
  const found = findServer(name, host.status());
  if (found === undefined) return unknownServer(name, host.status());
  if (verb === 'login' && signInDeps !== undefined) {
    const lines = await signIn(found.name, host, signInDeps, signal);
    const status = findServer(found.name, host.status()) ?? found;
    return say(
      ...lines.map((line) => cleanLine(line)),
      ...listServers([status], host.snapshot(), view),
    );
  }
  const status = await host.reconnect(found.name, signal);
  return say(...listServers([status], host.snapshot(), view));
}

function findServer(name: string, servers: readonly ServerStatus[]): ServerStatus | undefined {
  return servers.find((server) => server.name === name);
}

function unknownServer(name: string, servers: readonly ServerStatus[]): CommandOutcome {
  const names = servers.map((server) => server.name);
  return say(`There is no server ${cleanLine(name)}. ${didYouMean(name, names, '/mcp')}`);
}

function didYouMean(word: string, names: readonly string[], list: string): string {
  const [nearest] = nearestMatches(word, names, 1);
  return nearest === undefined ? `${list} lists them.` : `Did you mean ${nearest}?`;
}

function say(...lines: readonly string[]): CommandOutcome {
  return { kind: 'lines', lines };
}
