/** Finds what a prompt gives in so many words: quoted text, URLs, paths, globs, numbers, key=value pairs. */
import type { Pair } from './offline-literal.ts';
import { DATES, dateOf, readNumber } from './offline-units.ts';

export type ValueKind = 'quoted' | 'url' | 'path' | 'glob' | 'number' | 'date';

export interface PromptValue {
  readonly kind: ValueKind;
  readonly text: string;
  /** The word before, lower case; empty at the beginning. */
  readonly after: string;
  /** Of a number: its unit, or the word behind it, lower case; empty at the end. */
  readonly unit: string;
}

export interface PromptValues {
  readonly values: readonly PromptValue[];
  readonly pairs: readonly Pair[];
  /** A folder named by a plain word at the end: `… in src`. Only for properties that want a path. */
  readonly place: string | undefined;
  /** `here`, `this folder` and the like. */
  readonly isHere: boolean;
  /** The prompt without the values, for ranking. */
  readonly rest: string;
}

/** Bounded: only the first 4,000 characters are looked at. */
const MAX_PROMPT = 4000;

const QUOTED =
  /(?<![\p{L}\p{N}])(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`|“([^”\n]+)”)(?![\p{L}\p{N}])/gu;
const PAIRS = /(?<!\S)([A-Za-z_][\w.-]*)=("[^"\n]*"|'[^'\n]*'|[^\s"']+)/g;
const URLS = /\bhttps?:\/\/[^\s<>"'`]+/g;
const WORDS = /[^\s\0"'`“”]+/g;
const FILE_NAME = /^\.?[\w@-][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const DOT_FILE = /^\.[A-Za-z][\w.-]*$/;
const HERE = /\b(?:here|(?:this|current|working) (?:folder|directory|workspace))\b/i;
const PLACE =
  /\b(?:in|inside|under|within|of)\s+(?:the\s+)?(?:(?:folder|directory)\s+)?([A-Za-z0-9_][\w-]*)(?:\s+(?:folder|directory))?\s*[.?!]*\s*$/i;
const NO_PLACE = new Set(
  'here it them this that there order full detail details total general folder directory workspace project repository repo file files'.split(
    ' ',
  ),
);

/** Each value is found once, in the order of the prompt within its kind. */
export function findValues(prompt: string): PromptValues {
  let text = prompt.slice(0, MAX_PROMPT);
  const values: { readonly at: number; readonly value: PromptValue }[] = [];
  const pairs: Pair[] = [];
  const isHere = HERE.test(text);
  const take = (at: number, length: number) => {
    // Not a space: words on both sides of a value are no neighbours.
    text = text.slice(0, at) + '\0'.repeat(length) + text.slice(at + length);
  };
  const add = (kind: ValueKind, found: string, at: number, unit = '') =>
    values.push({ at, value: { kind, text: found, after: wordBefore(prompt, at), unit } });

  for (const match of text.matchAll(PAIRS)) {
    const [whole, key = '', written = ''] = match;
    const isQuoted = /^(["']).*\1$/.test(written);
    pairs.push({ key, value: isQuoted ? written.slice(1, -1) : written, json: false });
    take(match.index, whole.length);
  }
  for (const match of text.matchAll(QUOTED)) {
    add('quoted', match.slice(1).find((part) => part !== undefined) ?? '', match.index);
    take(match.index, match[0].length);
  }
  for (const match of text.matchAll(URLS)) {
    add('url', match[0].replace(/[.,;:!?)\]]+$/, ''), match.index);
    take(match.index, match[0].length);
  }
  for (const match of text.matchAll(DATES)) {
    const date = dateOf(match);
    if (date === undefined) continue;
    add('date', date, match.index);
    take(match.index, match[0].length);
  }
  for (const match of text.matchAll(WORDS)) {
    const word = trimWord(match[0]);
    const number = readNumber(word);
    if (number !== undefined) {
      const next = wordAfter(text, match.index + match[0].length);
      add('number', String(number.value), match.index, number.unit === '' ? next : number.unit);
      take(match.index, match[0].length);
      continue;
    }
    const kind = kindOf(word);
    if (kind === undefined) continue;
    add(kind, word, match.index);
    take(match.index, match[0].length);
  }
  values.sort((a, b) => a.at - b.at);
  const place = PLACE.exec(text)?.[1];
  const isPlace = place !== undefined && !NO_PLACE.has(place.toLowerCase());
  return {
    values: values.map(({ value }) => value),
    pairs,
    place: isPlace ? place : undefined,
    isHere,
    rest: isPlace ? text.slice(0, text.lastIndexOf(place)) : text,
  };
}

function kindOf(word: string): ValueKind | undefined {
  if (/[*?]/.test(word) && /[\w.]/.test(word) && !/^\w+\?$/.test(word)) return 'glob';
  if (FILE_NAME.test(word) || DOT_FILE.test(word)) return 'path';
  return /^(?:\.{1,2}|~)?\/|^[\w@.-]+\/[\w@./-]*$|^\.{1,2}$/.test(word) && word !== 'and/or'
    ? 'path'
    : undefined;
}

/** Without the punctuation of the sentence around it. */
function trimWord(word: string): string {
  const bare = word.replace(/^[([{<]+/, '').replace(/[)\]}>,;:!?]+$/, '');
  return /^\.{1,2}$/.test(bare) ? bare : bare.replace(/\.+$/, '');
}

function wordAfter(text: string, at: number): string {
  return /^[ \t]*([\p{L}%]+)/u.exec(text.slice(at, at + 60))?.[1]?.toLowerCase() ?? '';
}

function wordBefore(prompt: string, at: number): string {
  return (
    /([\p{L}\p{N}_-]+)\W*$/u.exec(prompt.slice(Math.max(0, at - 60), at))?.[1]?.toLowerCase() ?? ''
  );
}
