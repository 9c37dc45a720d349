/**
 * What an approval is bound to: a hash over everything in a project's entry that can run code, reach a host
 * or send a secret, as written. Variables are not expanded.
 */
import { isGlob, matchesGlob } from '../base/glob.ts';
import { sha256Hex } from '../base/hash.ts';
import { type JsonValue, stableStringify } from '../base/json.ts';
import { PlainScalar } from './schema/atoms.ts';

/** What may change without a new question. A tools list may only become narrower, see `isNarrower`. */
const FREE_KEYS: ReadonlySet<string> = new Set([
  'description',
  'timeout',
  'exposure',
  'enabled',
  'tools',
]);

/** Hash of an entry. Keys that are not known today count, so that nothing slips in with a later version. */
export function signatureOf(raw: object): string {
  return sha256Hex(stableStringify(plainEntry(raw, FREE_KEYS)));
}

/** Hash of what an entry says beside its name and description: equal for one server under two names. */
export function contentOf(raw: object): string {
  return sha256Hex(stableStringify(plainEntry(raw, new Set(['name', 'description', 'enabled']))));
}

/** The entry's allowlist; `undefined` = all tools. Anything that is no list of texts counts as all. */
export function toolsOf(raw: object): readonly string[] | undefined {
  const tools = plainValue(Object.getOwnPropertyDescriptor(raw, 'tools')?.value);
  if (!Array.isArray(tools)) return undefined;
  const texts = tools.filter((tool): tool is string => typeof tool === 'string');
  return texts.length === tools.length ? texts : undefined;
}

/**
 * True when the allowlist `next` can offer nothing that `before` does not. Patterns are compared by spelling:
 * a new glob counts as wider unless it stood there before.
 */
export function isNarrower(
  next: readonly string[] | undefined,
  before: readonly string[] | undefined,
): boolean {
  if (before === undefined) return true;
  if (next === undefined) return false;
  const old = split(before);
  const wanted = split(next);
  const keepsExclusions = old.without.every((pattern) => wanted.without.includes(pattern));
  if (wanted.only.length === 0) {
    // Exclusions alone stand for all but those; an empty list for none.
    return next.length === 0 || (old.only.length === 0 && before.length > 0 && keepsExclusions);
  }
  return wanted.only.every((pattern) => {
    if (!isGlob(pattern)) return offers(before, pattern) || wanted.without.includes(pattern);
    return keepsExclusions && (old.only.includes(pattern) || isOnlyExclusions(before));
  });
}

function offers(list: readonly string[], name: string): boolean {
  const { only, without } = split(list);
  if (without.some((pattern) => matchesGlob(pattern, name))) return false;
  return isOnlyExclusions(list) || only.some((pattern) => matchesGlob(pattern, name));
}

function isOnlyExclusions(list: readonly string[]): boolean {
  return list.length > 0 && split(list).only.length === 0;
}

function split(list: readonly string[]) {
  return {
    only: list.filter((pattern) => !pattern.startsWith('!')),
    without: list.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
  };
}

function plainEntry(raw: object, without: ReadonlySet<string>): JsonValue {
  const entries: [string, unknown][] = Object.entries(raw);
  return Object.fromEntries(
    entries.filter(([key]) => !without.has(key)).map(([key, value]) => [key, plainValue(value)]),
  );
}

/** A parsed value as JSON; plain scalars as their text, so that `0755` and `755` differ. */
export function plainValue(value: unknown): JsonValue {
  if (value instanceof PlainScalar) return value.source;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return null;
  const entries: [string, unknown][] = Object.entries(value);
  return Object.fromEntries(entries.map(([key, child]) => [key, plainValue(child)]));
}
