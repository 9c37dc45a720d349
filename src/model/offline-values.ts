/** Finds what a prompt gives in so many words: quoted text, URLs, paths, globs, numbers, dates, codes, key=value pairs. */
import { findDates, numberWord } from './offline-dates.ts';
import type { Pair } from './offline-literal.ts';
import { readNumber } from './offline-units.ts';

/** `code`: an identifier with digits in it, or an address; `letters`: capitals alone, such as a ticker. */
export type ValueKind =
  | 'quoted'
  | 'url'
  | 'path'
  | 'glob'
  | 'number'
  | 'date'
  | 'email'
  | 'code'
  | 'letters';

export interface PromptValue {
  readonly kind: ValueKind;
  readonly text: string;
  /** The word before, lower case; empty at the beginning. */
  readonly after: string;
  /** Of a number: its unit, or the word behind it, lower case; empty at the end. */
  readonly unit: string;
  /** Of a span of days: its end. */
  readonly until?: string | undefined;
  /** Half of a span, for the property of that end alone. */
  readonly half?: 'start' | 'end';
  /** How it was written, where `text` is not it. */
  readonly written?: string;
  /** Number of the words it stands for, where another value is a reading of the same ones. */
  readonly group?: number | undefined;
  /** People also write it in passing: it need not find a place. */
  readonly isSoft: boolean;
}

export interface PromptValues {
  readonly values: readonly PromptValue[];
  readonly pairs: readonly Pair[];
  /** A folder named by a plain word at the end: `… in src`. Only for properties that want a path. */
  readonly place: string | undefined;
  /** `here`, `this folder` and the like. */
  readonly isHere: boolean;
  /** Words listed without quotes: `Ana, Bo and Cy`. Empty: none. */
  readonly list: readonly string[];
  /** What `about`, `for`, `named` and the like are followed by. Only a guess. */
  readonly subject: string | undefined;
  /** The prompt without the values, for ranking; with a place that may be none. */
  readonly text: string;
  /** The same without the place. */
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
const EMAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})$/i;
const CODE = /^(?=.*\d)(?=.*[A-Z])[A-Z\d][A-Z\d_-]+$/;
const HASH = /^(?=.*\d)(?=.*[a-f])[\da-f]{7,64}$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const LETTERS = /^[A-Z]{2,6}$/;
const HERE = /\b(?:here|(?:this|current|working) (?:folder|directory|workspace))\b/i;
const PLACE =
  /\b(?:in|inside|under|within|of)\s+(?:the\s+)?(?:(?:folder|directory)\s+)?([A-Za-z0-9_][\w-]*)(?:\s+(?:folder|directory))?[\s\0]*[.?!]*\s*$/i;
const NO_PLACE = new Set(
  'the a an my our its last next here it them this that there order full detail details total general folder directory workspace project repository repo file files'.split(
    ' ',
  ),
);

/** Each value is found once, in the order of the prompt. `now`: what `tomorrow` is told from. */
export function findValues(prompt: string, now: Date): PromptValues {
  let text = prompt.slice(0, MAX_PROMPT);
  const values: { readonly at: number; readonly value: PromptValue }[] = [];
  const pairs: Pair[] = [];
  const isHere = HERE.test(text);
  const take = (at: number, length: number) => {
    // Not a space: words on both sides of a value are no neighbours.
    text = text.slice(0, at) + '\0'.repeat(length) + text.slice(at + length);
  };
  const add = (kind: ValueKind, found: string, at: number, more: Partial<PromptValue> = {}) => {
    const after = wordBefore(prompt, at);
    values.push({
      at,
      value: { kind, text: found, after, unit: '', isSoft: SOFT.has(kind), ...more },
    });
  };

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
  const dates = findDates(text, now);
  for (const { at, length, from, until, isSoft, isWritten } of dates) {
    const written = text.slice(at, at + length);
    const [first = ''] = written.split(' ', 1);
    const after = ROLE_WORD.test(first) ? { after: first.toLowerCase() } : {};
    add('date', from, at, { until, isSoft, group: at, written, ...after });
    if (isWritten) take(at, length);
  }
  const groupAt = (at: number) =>
    dates.find((date) => date.at <= at && at < date.at + date.length)?.at;
  for (const match of text.matchAll(WORDS)) {
    const { index } = match;
    const word = trimWord(match[0]);
    const number = readNumber(word) ?? inWords(word);
    if (number !== undefined) {
      const next = wordAfter(text, index + match[0].length);
      const unit = number.unit === '' ? next : number.unit;
      add('number', String(number.value), index, { unit, group: groupAt(index) });
      // A number in words may say which tool is meant: `four pillars`.
      if (/\d/.test(word)) take(index, match[0].length);
      continue;
    }
    const kind = kindOf(word);
    if (kind === undefined) continue;
    add(kind, word, index);
    // What may be said in passing still says which tool is meant.
    if (!SOFT.has(kind)) take(index, match[0].length);
  }
  // Numbers in them had to be read first.
  for (const { at, length, isSoft } of dates) if (!isSoft) take(at, length);
  values.sort((a, b) => a.at - b.at);
  const [ending = '', place] = PLACE.exec(text) ?? [];
  const isPlace =
    place !== undefined &&
    !NO_PLACE.has(place.toLowerCase()) &&
    !values.some(({ value }) => value.text === place);
  const withoutPlace = isPlace ? text.slice(0, text.lastIndexOf(place)) : text;
  return {
    values: values.map(({ value }) => value),
    pairs,
    place: isPlace ? place : undefined,
    isHere,
    list: listIn(text),
    subject: subjectIn(text),
    // `pillars of destiny` are no folder.
    text: isPlace && !/^of\b/i.test(ending) ? withoutPlace : text,
    rest: withoutPlace,
  };
}

const SOFT: ReadonlySet<ValueKind> = new Set(['number', 'code', 'letters']);
const ROLE_WORD = /^(?:since|after|from|by|before|until|till)$/i;

function inWords(word: string): ReturnType<typeof readNumber> {
  const value = numberWord(word);
  return value === undefined ? undefined : { value, unit: '' };
}

const LIST = /[\p{L}\p{N}_-]+(?:, [\p{L}\p{N}_-]+)+,? (?:and|or) [\p{L}\p{N}_-]+/u;

/** Three words or more. */
function listIn(text: string): readonly string[] {
  const found = LIST.exec(text)?.[0] ?? '';
  return found === '' ? [] : found.split(/,? (?:and|or) |, /);
}

const SUBJECT =
  /\b(?:about|for|named|called|titled|regarding) (?:(?:the|an?|my|our|its|all|any|some) )?([^\0\n,.;:?!()]+)/i;
const SUBJECT_END =
  /\s(?:in|on|at|from|with|within|without|by|to|of|that|which|who|before|after|since|until|because|so|and|or|please|now|today|is|are|was|were)\s/i;
const MAX_SUBJECT_WORDS = 5;

function subjectIn(text: string): string | undefined {
  const [found = ''] = (SUBJECT.exec(text)?.[1] ?? '').concat(' ').split(SUBJECT_END, 1);
  const subject = found.trim();
  return subject === '' || subject.split(/\s+/).length > MAX_SUBJECT_WORDS ? undefined : subject;
}

function kindOf(word: string): ValueKind | undefined {
  if (EMAIL.test(word)) return 'email';
  if (ADDRESS.test(word) || CODE.test(word) || HASH.test(word)) return 'code';
  if (LETTERS.test(word)) return 'letters';
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
