/**
 * Whether the arguments of a call fit what a rule says about them. Two readings: `exact` for a rule that
 * allows, where every doubt is a no; `wide` for one that asks or denies, where every doubt is a yes. Pure.
 */
import { matchesGlob } from './glob.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { exactReadings, wideReadings } from './text-readings.ts';

export type PathStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'any' };

/** One line of `when:`: the value at `path` is one of `values`; texts are globs, all else is exact. */
export interface ArgumentTest {
  readonly path: readonly PathStep[];
  readonly values: readonly (string | number | boolean | null)[];
  /** As written, for people. */
  readonly text: string;
}

export type Reading = 'exact' | 'wide';

/** True when the arguments fit the test. */
export function fitsArgument(test: ArgumentTest, args: JsonObject, reading: Reading): boolean {
  const found = valuesAt(args, test.path);
  if (reading === 'exact') {
    const leaves = found.flatMap((value) => exactLeaves(value));
    return leaves.length > 0 && leaves.every((leaf) => test.values.some(isExactly(leaf)));
  }
  const leaves = found.length === 0 ? [undefined] : found.flatMap((value) => wideLeaves(value));
  return leaves.some((leaf) => test.values.some((value) => mayMean(value, leaf)));
}

/** The steps of `a.b[0]["c.d"].*`, with `$` before it or not; `undefined` for anything else. */
export function parseArgumentPath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  let rest = text.replace(/^\$(?=[.[])/, '');
  if (!rest.startsWith('.') && !rest.startsWith('[')) rest = `.${rest}`;
  while (rest !== '') {
    const match = STEP.exec(rest);
    if (match === null) return undefined;
    const [whole, name, index, quoted] = match;
    rest = rest.slice(whole.length);
    if (quoted !== undefined) steps.push({ kind: 'key', key: quoted });
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (name === undefined || name === '*') steps.push({ kind: 'any' });
    else steps.push({ kind: 'key', key: name });
  }
  return steps;
}

const STEP = /^(?:\.([^.[\]"'*\s]+|\*)|\[(\d{1,6})\]|\["([^"]+)"\]|\[\*\])/;

/** What stands at the path; a key looks into every item of a list. `undefined`: one branch has nothing there. */
function valuesAt(
  value: JsonValue | undefined,
  path: readonly PathStep[],
): readonly (JsonValue | undefined)[] {
  const [step, ...rest] = path;
  if (step === undefined || value === undefined) return [value];
  if (step.kind === 'any') {
    if (isJsonObject(value)) return Object.values(value).flatMap((child) => valuesAt(child, rest));
    return Array.isArray(value) ? itemsAt(value, rest) : [undefined];
  }
  if (step.kind === 'index') {
    return Array.isArray(value) ? valuesAt(value[step.index], rest) : [undefined];
  }
  if (Array.isArray(value)) return itemsAt(value, path);
  if (!isJsonObject(value)) return [undefined];
  return valuesAt(Object.hasOwn(value, step.key) ? value[step.key] : undefined, rest);
}

function itemsAt(items: readonly JsonValue[], path: readonly PathStep[]) {
  return items.flatMap((item) => valuesAt(item, path));
}

/** The values themselves, of a list its items; a mapping is nothing that a rule could name. */
function exactLeaves(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return Array.isArray(value) ? value.flatMap((item: JsonValue) => exactLeaves(item)) : [value];
}

/** Every value that stands in there, at any depth. */
function wideLeaves(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => wideLeaves(item));
  if (isJsonObject(value)) return Object.values(value).flatMap((item) => wideLeaves(item));
  return [value];
}

function isExactly(leaf: JsonValue | undefined) {
  return (wanted: ArgumentTest['values'][number]): boolean => {
    if (typeof wanted !== 'string') return leaf === wanted;
    if (typeof leaf !== 'string') return false;
    return exactReadings(leaf).every((text) => matchesGlob(wanted, text));
  };
}

/** A missing value is what servers take for it: false, null, or anything where the pattern takes anything. */
function mayMean(wanted: ArgumentTest['values'][number], leaf: JsonValue | undefined): boolean {
  if (typeof wanted === 'string') {
    if (/^\*+$/.test(wanted)) return true;
    if (leaf === undefined || leaf === null) return false;
    const patterns = wideReadings(wanted);
    return wideReadings(String(leaf)).some((text) =>
      patterns.some((pattern) => matchesGlob(pattern, text)),
    );
  }
  const text = leaf === undefined || leaf === null ? '' : String(leaf).trim().toLowerCase();
  if (wanted === null) return leaf === undefined || leaf === null || text === 'null';
  if (typeof wanted === 'number') return text !== '' && Number(text) === wanted;
  return wanted ? TRUE_WORDS.has(text) : FALSE_WORDS.has(text);
}

const TRUE_WORDS: ReadonlySet<string> = new Set(['true', '1', 'yes', 'on', 'y', 't']);
const FALSE_WORDS: ReadonlySet<string> = new Set(['', 'false', '0', 'no', 'off', 'n', 'f', 'null']);
