/**
 * What a server's tools looked like when a person accepted them. A tool that is another one now, or was not
 * there then, is withheld: a server can change a tool after approval (rug pull). Pure; knows no files.
 */
import { sha256Hex } from '../base/hash.ts';
import { type JsonObject, type JsonValue, stableStringify } from '../base/json.ts';
import { scrubJson } from '../base/redact.ts';
import type { ToolDefinition } from './types.ts';

/** All that tells a model or a person what a tool does. */
const PARTS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export interface LockedTool {
  /** `sha256-` and 64 hexadecimal digits. It decides; the parts are there to show what changed. */
  readonly hash: string;
  /** The parts that were there, without secrets. */
  readonly parts: JsonObject;
}

/** By original tool name. */
export type LockedServer = Readonly<Record<string, LockedTool | undefined>>;

export type LockChange = 'changed' | 'new';

export function lockTool({ name, raw }: ToolDefinition): LockedTool {
  const parts = partsOf(raw);
  // Scrubbing keeps the shape: an object stays one.
  const shown = scrubJson(parts) as JsonObject;
  return { hash: `sha256-${sha256Hex(stableStringify({ name, ...parts }))}`, parts: shown };
}

export function lockServer(definitions: readonly ToolDefinition[]): LockedServer {
  const entries = definitions.map((definition) => [definition.name, lockTool(definition)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** `undefined`: the tool is what it was. */
export function lockChange(
  definition: ToolDefinition,
  locked: LockedServer,
): LockChange | undefined {
  const known = Object.hasOwn(locked, definition.name) ? locked[definition.name] : undefined;
  if (known === undefined) return 'new';
  return known.hash === lockTool(definition).hash ? undefined : 'changed';
}

export interface LockDiff {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

/** How a server's tools differ from what was locked; names only. */
export function diffLock(definitions: readonly ToolDefinition[], locked: LockedServer): LockDiff {
  const names = new Set(definitions.map(({ name }) => name));
  const of = (change: LockChange) =>
    [...new Map(definitions.map((definition) => [definition.name, definition])).values()]
      .filter((definition) => lockChange(definition, locked) === change)
      .map(({ name }) => name);
  return {
    changed: of('changed'),
    added: of('new'),
    gone: Object.keys(locked).filter((name) => !names.has(name)),
  };
}

export function isSame({ changed, added, gone }: LockDiff): boolean {
  return changed.length + added.length + gone.length === 0;
}

function partsOf(raw: JsonObject): JsonObject {
  const parts: Record<string, JsonValue> = {};
  for (const part of PARTS) {
    const value = raw[part];
    if (value !== undefined && value !== null) parts[part] = value;
  }
  return parts;
}
