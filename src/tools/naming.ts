/**
 * Public tool names, as a model sees them. Pure and independent of order: the same set of tools gives
 * the same names. Every member of a collision carries a hash of its server and original name.
 */
import { sha256Hex } from '../base/hash.ts';

export type Naming = 'server_tool' | 'mcp';

export interface ToolKey {
  readonly server: string;
  /** Original name. */
  readonly name: string;
}

/** Longest name all providers accept. */
export const MAX_NAME_LENGTH = 64;
const SHORT_HASH = 8;
const LONG_HASH = 16;

/** One spelling for maps: server NUL tool; neither may hold a NUL in the server part. */
export function keyOf(tool: ToolKey): string {
  return `${tool.server}\0${tool.name}`;
}

/**
 * Public names by `keyOf`. `reserved` holds names that were shown before, with the key they belong to:
 * no other tool gets them.
 */
export function assignNames(
  tools: readonly ToolKey[],
  naming: Naming,
  reserved: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const hashLengths = new Map<string, number>();
  for (;;) {
    const names = new Map<string, string>();
    const groups = new Map<string, string[]>();
    for (const tool of tools) {
      const key = keyOf(tool);
      if (names.has(key)) continue;
      const name = nameWithHash(tool, naming, hashLengths.get(key) ?? 0);
      names.set(key, name);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [key]);
      else group.push(key);
    }
    if (!lengthenClashing(groups, reserved, hashLengths)) return names;
  }
}

/** The name before collisions are looked at; a longer one is cut and carries its hash. */
export function plainName(tool: ToolKey, naming: Naming): string {
  return nameWithHash(tool, naming, 0);
}

/** Gives each clashing tool a (longer) hash; false when there is none to lengthen. */
function lengthenClashing(
  groups: ReadonlyMap<string, readonly string[]>,
  reserved: ReadonlyMap<string, string>,
  hashLengths: Map<string, number>,
): boolean {
  let changed = false;
  for (const [name, keys] of groups) {
    const owner = reserved.get(name);
    const clashing =
      keys.length > 1 ? keys : keys.filter((key) => owner !== undefined && owner !== key);
    // A tool that has its hash already gives way only to another hashed one.
    const plain = clashing.filter((key) => (hashLengths.get(key) ?? 0) === 0);
    for (const key of plain.length > 0 ? plain : clashing) {
      const length = hashLengths.get(key) ?? 0;
      if (length >= LONG_HASH) continue;
      hashLengths.set(key, length === 0 ? SHORT_HASH : LONG_HASH);
      changed = true;
    }
  }
  return changed;
}

function nameWithHash(tool: ToolKey, naming: Naming, hashLength: number): string {
  const clean = naming === 'mcp' ? mcpName(tool) : collapsedName(tool);
  if (hashLength === 0 && clean.length <= MAX_NAME_LENGTH) return clean;
  const length = Math.max(hashLength, SHORT_HASH);
  const hash = sha256Hex(keyOf(tool)).slice(0, length);
  const head = clean.slice(0, MAX_NAME_LENGTH - 1 - length);
  return `${naming === 'mcp' ? head : head.replace(/_$/, '')}_${hash}`;
}

function collapsedName(tool: ToolKey): string {
  return `${tool.server}_${tool.name}`.replace(/[^A-Za-z0-9]+/g, '_');
}

function mcpName(tool: ToolKey): string {
  return `mcp__${tool.server.replace(/[^A-Za-z0-9_]/gu, '_')}__${tool.name.replace(/[^A-Za-z0-9_]/gu, '_')}`;
}
