/**
 * All tools of all sources. One source is replaced as a whole; what a turn sees is a frozen snapshot.
 * Names that were shown keep resolving to their tool for the life of the registry.
 */
import { matchesGlob } from '../base/glob.ts';
import {
  type ExposureRules,
  type FilterWarning,
  hiddenReason,
  unmatchedPatterns,
} from './filter.ts';
import { assignNames, keyOf, type Naming } from './naming.ts';
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
  /** The same object until something changes. */
  snapshot(): RegistrySnapshot;
}

interface Entry {
  readonly source: ToolSource;
  readonly tools: readonly {
    readonly definition: ToolDefinition;
    readonly hidden: HiddenReason | undefined;
  }[];
}

/** An empty registry; nothing is connected or called by it. */
export function createRegistry(options: RegistryOptions): Registry {
  const entries = new Map<string, Entry>();
  /** Every public name that a snapshot had, with the key it belongs to. */
  const shown = new Map<string, string>();
  /** Keys of all tools there ever were. */
  const known = new Set<string>();
  let current: RegistrySnapshot | undefined;

  return {
    setSource(server, source, definitions, rules) {
      const unique = [...new Map(definitions.map((item) => [item.name, item])).values()];
      const tools = unique.map((definition) => ({
        definition,
        hidden: hiddenReason(definition, rules),
      }));
      entries.set(server, { source, tools });
      for (const { name } of unique) known.add(keyOf({ server, name }));
      current = undefined;
      const names = unique.map(({ name }) => name);
      return [...unmatchedPatterns(server, names, rules.tools), ...binaryWarnings(server, tools)];
    },
    removeSource(server) {
      if (entries.delete(server)) current = undefined;
    },
    snapshot() {
      current ??= buildSnapshot(inOrder(entries, options.order), options, shown, known);
      return current;
    },
  };
}

function buildSnapshot(
  entries: readonly (readonly [string, Entry])[],
  options: RegistryOptions,
  shown: Map<string, string>,
  known: ReadonlySet<string>,
): RegistrySnapshot {
  const keys = entries.flatMap(([server, { source, tools }]) =>
    source.ownNames === true
      ? []
      : tools.map(({ definition }) => ({ server, name: definition.name })),
  );
  const taken = new Map([...(options.reserved ?? []), ...shown]);
  const names = assignNames(keys, options.naming, taken);
  const all = entries.flatMap(([server, entry]) =>
    entry.tools.map(({ definition, hidden }): RegisteredTool => {
      const { name } = definition;
      const publicName = names.get(keyOf({ server, name })) ?? name;
      const reason = hidden ?? flagReason({ server, name, publicName }, options.patterns);
      return Object.freeze({
        server,
        name,
        publicName,
        definition,
        hidden: reason,
        source: entry.source,
      });
    }),
  );
  for (const tool of all) shown.set(tool.publicName, keyOf(tool));
  return Object.freeze({
    tools: Object.freeze(all.filter((tool) => tool.hidden === undefined)),
    hidden: Object.freeze(all.filter((tool) => tool.hidden !== undefined)),
    resolve: createResolver(all, new Map(shown), new Set(known)),
  });
}

function flagReason(
  tool: Pick<RegisteredTool, 'server' | 'name' | 'publicName'>,
  patterns: RegistryOptions['patterns'],
): HiddenReason | undefined {
  if (patterns === undefined) return undefined;
  const spellings = [`${tool.server}/${tool.name}`, tool.publicName, tool.name];
  const fits = (pattern: string) => spellings.some((spelling) => matchesGlob(pattern, spelling));
  if (patterns.without.some(fits)) return { kind: 'flag' };
  if (patterns.only !== undefined && !patterns.only.some(fits)) return { kind: 'flag' };
  return undefined;
}

function binaryWarnings(server: string, tools: Entry['tools']): readonly FilterWarning[] {
  return tools.flatMap(({ definition, hidden }) =>
    hidden?.kind === 'binary'
      ? [
          {
            message: `${server}/${definition.name} is hidden: it needs binary data at ${hidden.schemaPath}`,
            hint: `binary: keep in server ${server} offers it all the same`,
          },
        ]
      : [],
  );
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
