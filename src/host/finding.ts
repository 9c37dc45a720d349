/** Joins the search to the rest: `tool_search`, what is told of each server, an embeddings endpoint. */
import type { IndirectServer } from '../agent/prompt.ts';
import { envValue } from '../base/env.ts';
import { ConfigError, toAppError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import { routeFetch } from '../base/route.ts';
import type { Config, ServerConfig } from '../config/types.ts';
import { sanitizeLabel } from '../results/sanitize.ts';
import { keyOf } from '../tools/naming.ts';
import { type Registry, SCRIPT_TOOL } from '../tools/registry.ts';
import type { ToolSearch } from '../tools/search.ts';
import {
  createMeaningRanker,
  fuseRankings,
  type RankByMeaning,
} from '../tools/search-embeddings.ts';
import type { FoundTool } from '../tools/search-index.ts';
import { createSearchTool, SEARCH_NAME, TOOL_SEARCH } from '../tools/search-tool.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import type { HostDeps } from './create.ts';
import type { Sources } from './sources.ts';

/** Public names kept from the tools of servers. */
export const SEARCH_NAMES: ReadonlyMap<string, string> = new Map([
  [TOOL_SEARCH.name, keyOf({ server: SEARCH_NAME, name: TOOL_SEARCH.name })],
]);

type Accept = (tool: RegisteredTool) => boolean;
type Rank = (
  tools: readonly RegisteredTool[],
  query: string,
  limit: number,
) => readonly RegisteredTool[];

type RankWords = (
  tools: readonly RegisteredTool[],
  query: string,
  limit: number,
) => readonly FoundTool[];

export interface Finding {
  /** Ranks the reachable tools. Rejects with the signal's reason only. */
  find(
    query: string,
    limit: number,
    signal: AbortSignal,
    accept?: Accept,
  ): Promise<readonly FoundTool[]>;
  /** Gives what ranks some of the reachable tools, by words alone. */
  openRank(): Promise<Rank>;
  /** The same with scores. */
  openWords(): Promise<RankWords>;
  /** Says once that `codemode` tools are deferred ones while the tool `codemode` is left out. */
  warnOfScripts(): void;
  /** Servers with tools that a model reaches without their being declared. */
  indirect(): readonly IndirectServer[];
}

export interface FindingHouse {
  readonly deps: HostDeps;
  readonly registry: Registry;
  readonly sources: Sources;
  readonly servers: readonly ServerConfig[];
  readonly search: Config['search'];
  readonly onWarning: (message: string, hint: string | undefined) => void;
}

/** Longest text on a server that its tools are found by, characters. */
const MAX_ABOUT = 1000;
const MAX_LINE = 250;

/** Declares `tool_search`; indexes nothing before the first search. */
export function createFinding(house: FindingHouse): Finding {
  const { registry } = house;
  let opening: Promise<ToolSearch> | undefined;
  // Its words are loaded for who searches alone.
  const open = () => {
    opening ??= import('../tools/search.ts').then(({ createToolSearch }) =>
      createToolSearch(() => aboutServers(house)),
    );
    return opening;
  };
  let byMeaning: RankByMeaning | undefined;
  let isWarned = false;
  let areScriptsTold = false;
  const find: Finding['find'] = async (query, limit, signal, accept = () => true) => {
    const words = await open();
    const { reachable } = registry.snapshot();
    const { embeddings } = house.search ?? {};
    const most = embeddings === undefined ? limit : 3 * limit;
    const found = words.find(reachable, query, most, accept);
    if (embeddings === undefined || isWarned) return found.slice(0, limit);
    try {
      byMeaning ??= openRanker(embeddings, house.deps);
      return fuseRankings(found, await byMeaning(reachable.filter(accept), query, signal), limit);
    } catch (error) {
      signal.throwIfAborted();
      isWarned = true;
      const { message, hint } = toAppError(error);
      house.onWarning(`tools are searched by words alone: ${message}`, hint);
      return found.slice(0, limit);
    }
  };
  const source = createSearchTool({
    snapshot: () => registry.snapshot(),
    find: (query, limit, accept, signal) => find(query, limit, signal, accept),
    load: (tools) => registry.load(tools),
  });
  const rules = { tools: undefined, exposure: 'model-only', binary: 'drop' } as const;
  registry.setSource(SEARCH_NAME, source, [TOOL_SEARCH], { ...rules, onlyWithDeferred: true });
  const openWords = async (): Promise<RankWords> => {
    const words = await open();
    return (tools, query, limit) => {
      const { reachable } = registry.snapshot();
      const wanted = new Set(tools);
      return words.find(reachable, query, limit, (tool) => wanted.has(tool));
    };
  };
  return {
    find,
    openWords,
    async openRank() {
      const rank = await openWords();
      return (...asked) => rank(...asked).map(({ tool }) => tool);
    },
    warnOfScripts() {
      const snapshot = registry.snapshot();
      const isUsed = snapshot.reachable.some(({ exposure }) => exposure === 'codemode');
      if (areScriptsTold || !isUsed || hasScripts(snapshot)) return;
      areScriptsTold = true;
      house.onWarning(
        `the tool ${SCRIPT_TOOL} is left out: tools with exposure: codemode are found with ${TOOL_SEARCH.name}`,
        `defaultTools, --tool and --no-tool decide on ${SCRIPT_TOOL}`,
      );
    },
    indirect: () => indirectServers(house),
  };
}

/** A tool that was called without being declared is declared from the next turn on. */
export function loadCalled(
  registry: Registry,
  calls: readonly { readonly name: string }[],
  snapshot: RegistrySnapshot,
): void {
  registry.load(
    calls.flatMap(({ name }) => {
      const found = snapshot.resolve(name);
      return found.kind === 'found' ? [found.tool] : [];
    }),
  );
}

function openRanker(
  { baseUrl, model, apiKeyEnv }: NonNullable<NonNullable<Config['search']>['embeddings']>,
  deps: HostDeps,
): RankByMeaning {
  const apiKey = apiKeyEnv === undefined ? undefined : envValue(deps.env, apiKeyEnv)?.trim();
  if (apiKeyEnv !== undefined && apiKey === undefined) {
    throw new ConfigError(`search.embeddings: the variable ${apiKeyEnv} is not set`);
  }
  if (apiKey !== undefined) registerSecret(apiKey);
  const fetch = routeFetch(deps.fetch ?? globalThis.fetch, {
    env: deps.env,
    resolve: deps.resolve,
    now: () => deps.clock.now(),
  });
  return createMeaningRanker({ baseUrl, model, apiKey }, { fetch, clock: deps.clock });
}

/** The user's description of each server, else what it says of itself. */
function aboutServers({ sources, servers }: FindingHouse): ReadonlyMap<string, string> {
  const told = new Map(sources.status().map((status) => [status.name, status.instructions]));
  return new Map(
    servers.map(({ name, description }) => [
      name,
      (description ?? told.get(name) ?? '').slice(0, MAX_ABOUT),
    ]),
  );
}

function indirectServers(house: FindingHouse): readonly IndirectServer[] {
  const snapshot = house.registry.snapshot();
  const { reachable } = snapshot;
  const byServer = new Map<string, RegisteredTool[]>();
  for (const tool of reachable) {
    if (tool.exposure === 'direct') continue;
    byServer.set(tool.server, [...(byServer.get(tool.server) ?? []), tool]);
  }
  if (byServer.size === 0) return [];
  const about = aboutServers(house);
  return [...byServer].map(([server, own]) => {
    const [line = ''] = (about.get(server) ?? '').trim().split('\n', 1);
    const isScripts = hasScripts(snapshot) && own.every(({ exposure }) => exposure === 'codemode');
    return {
      server,
      route: isScripts ? 'codemode' : 'search',
      tools: own.length,
      about: sanitizeLabel(line, MAX_LINE),
    };
  });
}

function hasScripts({ tools }: RegistrySnapshot): boolean {
  return tools.some(({ exposure, name }) => exposure === 'model-only' && name === SCRIPT_TOOL);
}
