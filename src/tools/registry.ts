/**
 * All tools of all sources. One source is replaced as a whole; what a turn sees is a frozen snapshot.
 * Names that were shown keep resolving to their tool for the life of the registry.
 */
import { matchesGlob } from '../base/glob.ts';
import { autoBudget, type ConfiguredExposure, settleAuto } from './exposure.ts';
import { type ExposureRules, type FilterWarning, unmatchedPatterns } from './filter.ts';
import { judgeTools, type ListedTool } from './listed.ts';
import { assignNames, keyOf, type Naming, type ToolKey } from './naming.ts';
import { createResolver } from './resolve.ts';
import type {
  HiddenReason,
  RegisteredTool,
  RegistrySnapshot,
  ToolDefinition,
  ToolSource,
} from './types.ts';

export interface RegistryOptions {
  readonly naming: Naming;
  /** Server names as configured: the order of tools. */
  readonly order: readonly string[];
  /** `--tool` and `--no-tool`: patterns on `server/tool`, public names or original names. */
  readonly patterns?: {
    readonly only: readonly string[] | undefined;
    readonly without: readonly string[];
  };
  /** Public names that are kept for a source with `ownNames`, with their keys (`keyOf`). */
  readonly reserved?: ReadonlyMap<string, string>;
  /** Tokens that direct declarations may cost before `auto` defers. Default: for a model of unknown size. */
  readonly autoTokens?: number;
}

export interface Registry {
  /** Replaces all tools of one server at once. Returns what the user should know about the list. */
  setSource(
    server: string,
    source: ToolSource,
    definitions: readonly ToolDefinition[],
    rules: ExposureRules,
  ): readonly FilterWarning[];
  /** The server offers nothing any more; its names answer `gone`. */
  removeSource(server: string): void;
  /**
   * Declares deferred and codemode tools from the next snapshot on, after all others, in the order given.
   * Returns those that were not declared yet.
   */
  load(tools: readonly ToolKey[]): readonly ToolKey[];
  /** The same object until something changes. */
  snapshot(): RegistrySnapshot;
}

interface Entry {
  readonly source: ToolSource;
  readonly tools: readonly ListedTool[];
  readonly onlyWithDeferred: boolean;
}

/** The tool that runs scripts: while it is declared, `codemode` tools need no search to be reached. */
export const SCRIPT_TOOL = 'codemode';

/** An empty registry; nothing is connected or called by it. */
export function createRegistry(options: RegistryOptions): Registry {
  const entries = new Map<string, Entry>();
  /** Every public name that a snapshot had, with the key it belongs to. */
  const shown = new Map<string, string>();
  /** Keys of all tools there ever were. */
  const known = new Set<string>();
  /** Keys of the tools that were found and declared, in that order. */
  const loaded = new Set<string>();
  let current: RegistrySnapshot | undefined;

  const snapshot = (): RegistrySnapshot => {
    current ??= buildSnapshot(inOrder(entries, options.order), options, { shown, known, loaded });
    return current;
  };

  return {
    setSource(server, source, definitions, rules) {
      const unique = [...new Map(definitions.map((item) => [item.name, item])).values()];
      const { tools, warnings } = judgeTools(server, unique, rules);
      entries.set(server, { source, tools, onlyWithDeferred: rules.onlyWithDeferred ?? false });
      for (const { name } of unique) known.add(keyOf({ server, name }));
      current = undefined;
      const names = unique.map(({ name }) => name);
      return [...unmatchedPatterns(server, names, rules.tools), ...warnings];
    },
    removeSource(server) {
      if (entries.delete(server)) current = undefined;
    },
    load(tools) {
      const { reachable, tools: declared } = snapshot();
      const open = new Set(reachable.map(keyOf));
      for (const tool of declared) open.delete(keyOf(tool));
      const fresh = tools.filter((tool) => open.delete(keyOf(tool)));
      for (const tool of fresh) loaded.add(keyOf(tool));
      if (fresh.length > 0) current = undefined;
      return fresh;
    },
    snapshot,
  };
}

interface Memory {
  readonly shown: Map<string, string>;
  readonly known: ReadonlySet<string>;
  readonly loaded: ReadonlySet<string>;
}

function buildSnapshot(
  entries: readonly (readonly [string, Entry])[],
  options: RegistryOptions,
  { shown, known, loaded }: Memory,
): RegistrySnapshot {
  const all = exposeTools(nameTools(entries, options, shown), options);
  for (const tool of all) shown.set(tool.publicName, keyOf(tool));
  const byKey = new Map(all.map((tool) => [keyOf(tool), tool]));
  const isDeclared = ({ exposure }: RegisteredTool) =>
    exposure === 'direct' || exposure === 'model-only';
  const found = [...loaded].flatMap((key) => byKey.get(key) ?? []);
  return Object.freeze({
    tools: Object.freeze([
      ...all.filter(isDeclared),
      ...found.filter((tool) => tool.hidden === undefined && !isDeclared(tool)),
    ]),
    reachable: Object.freeze(
      all.filter(({ exposure }) => exposure !== 'hidden' && exposure !== 'model-only'),
    ),
    hidden: Object.freeze(all.filter((tool) => tool.hidden !== undefined)),
    resolve: createResolver(all, new Map(shown), new Set(known)),
  });
}

interface NamedTool extends Omit<RegisteredTool, 'exposure'> {
  readonly exposure: ConfiguredExposure;
  readonly onlyWithDeferred: boolean;
}

function nameTools(
  entries: readonly (readonly [string, Entry])[],
  options: RegistryOptions,
  shown: ReadonlyMap<string, string>,
): readonly NamedTool[] {
  const keys = entries.flatMap(([server, { source, tools }]) =>
    source.ownNames === true
      ? []
      : tools.map(({ definition }) => ({ server, name: definition.name })),
  );
  const taken = new Map([...(options.reserved ?? []), ...shown]);
  const names = assignNames(keys, options.naming, taken);
  return entries.flatMap(([server, { source, tools, onlyWithDeferred }]) =>
    tools.map(({ definition, hidden, exposure }): NamedTool => {
      const { name } = definition;
      const publicName = names.get(keyOf({ server, name })) ?? name;
      const reason = hidden ?? flagReason({ server, name, publicName, source }, options.patterns);
      return {
        server,
        name,
        publicName,
        definition,
        hidden: reason,
        exposure: reason === undefined ? exposure : 'hidden',
        source,
        onlyWithDeferred,
      };
    }),
  );
}

/** With `auto` settled, and without what is of no use while everything is declared. */
function exposeTools(
  tools: readonly NamedTool[],
  { autoTokens = autoBudget(undefined) }: RegistryOptions,
): readonly RegisteredTool[] {
  const auto = settleAuto(tools, autoTokens);
  const hasScripts = tools.some(
    ({ name, exposure }) => exposure === 'model-only' && name === SCRIPT_TOOL,
  );
  const isDeferred = ({ exposure }: NamedTool) =>
    exposure === 'deferred' ||
    (exposure === 'auto' && auto === 'deferred') ||
    (exposure === 'codemode' && !hasScripts);
  const hasDeferred = tools.some(isDeferred);
  return tools
    .filter(({ onlyWithDeferred }) => hasDeferred || !onlyWithDeferred)
    .map(({ onlyWithDeferred: _, ...tool }) =>
      Object.freeze({ ...tool, exposure: tool.exposure === 'auto' ? auto : tool.exposure }),
    );
}

function flagReason(
  tool: Pick<RegisteredTool, 'server' | 'name' | 'publicName' | 'source'>,
  patterns: RegistryOptions['patterns'],
): HiddenReason | undefined {
  if (patterns === undefined) return undefined;
  const spellings = [`${tool.server}/${tool.name}`, tool.publicName, tool.name];
  const fits = (pattern: string) => spellings.some((spelling) => matchesGlob(pattern, spelling));
  if (patterns.without.some(fits)) return { kind: 'flag' };
  if (tool.source.alwaysOffered === true) return undefined;
  if (patterns.only !== undefined && !patterns.only.some(fits)) return { kind: 'flag' };
  return undefined;
}

function inOrder(
  entries: ReadonlyMap<string, Entry>,
  order: readonly string[],
): readonly (readonly [string, Entry])[] {
  const listed = [...new Set(order)].flatMap((server) => {
    const entry = entries.get(server);
    return entry === undefined ? [] : [[server, entry] as const];
  });
  // Servers that are not configured (a bare URL) come last, by name, so that order never depends on time.
  const others = [...entries].filter(([server]) => !order.includes(server));
  others.sort(([a], [b]) => (a < b ? -1 : 1));
  return [...listed, ...others];
}
