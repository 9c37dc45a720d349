/** Which value of a prompt a property takes: by its name, its type and what its description asks for. */
import { isJsonObject, type JsonValue } from '../base/json.ts';
import { wordsOf } from '../tools/search-words.ts';
import { edgeOfDay } from './offline-calendar.ts';
import { takeOut } from './offline-choices.ts';
import { typesOf } from './offline-literal.ts';
import { toUnit } from './offline-units.ts';
import type { PromptValue, ValueKind } from './offline-values.ts';

/** What a property is for. */
export interface Purpose {
  readonly name: string;
  readonly property: JsonValue | undefined;
  readonly isRequired: boolean;
  readonly types: readonly string[];
  readonly isPath: boolean;
  /** Name and description. */
  readonly about: string;
}

const URL_WORDS = stems('url uri link href');
const PATH_WORDS = stems(
  'path file filename filepath pathname dir directory folder root source destination',
);
const EMAIL_WORDS = stems('email recipient');
const SYMBOL_WORDS = stems('symbol ticker currency coin');
const CODE_WORDS = stems('id ids code ip ref sha hash commit uuid isin number key');
const GLOB_WORDS = stems('pattern glob include exclude');
const DATE_WORDS = stems('date day since until from start end before after');
const COUNT_WORDS = stems('limit count top max number size num n');
const COUNTING = new Set(['first', 'top', 'last', 'limit', 'max', 'maximum', 'latest', 'newest']);
/** Optional text is only filled where its name says what it is for. */
const SUBJECT_NAME = /query|search|text|term|keyword|question|topic|message|name|title|id$|^q$/i;

/** True for the name of a text that says where in the world. */
export function isPlaceName(name: string): boolean {
  return /city|town|country|region|location|place/i.test(name);
}

/** True for the name of a text by which something is looked for. */
export function isSubjectName(name: string): boolean {
  return SUBJECT_NAME.test(name) && !/id$/i.test(name);
}

export function purposeOf(
  name: string,
  property: JsonValue | undefined,
  isRequired: boolean,
): Purpose {
  const description = isJsonObject(property) ? property['description'] : undefined;
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
  return {
    name,
    property,
    isRequired,
    types: typesOf(property),
    isPath: hasWord(name, PATH_WORDS),
    about: `${spaced} ${typeof description === 'string' ? description : ''}`,
  };
}

/** A number that was written to this name or unit; a required property takes any. */
export function takeNumber(
  { name, types, isRequired, about }: Purpose,
  free: PromptValue[],
): number | undefined {
  const words = new Set(wordsOf(name));
  const isCount = hasWord(name, COUNT_WORDS);
  const convert = ({ text, unit }: PromptValue) => toUnit(Number(text), unit, about);
  const fits = (value: PromptValue) => {
    const number = value.kind === 'number' ? convert(value) : undefined;
    return number !== undefined && (types.includes('number') || Number.isInteger(number));
  };
  const isMeant = ({ after, unit }: PromptValue) =>
    after === name.toLowerCase() ||
    (unit !== '' && wordsOf(unit).some((word) => words.has(word))) ||
    (isCount && COUNTING.has(after));
  let at = free.findIndex((value) => fits(value) && isMeant(value));
  if (at === -1 && isRequired) at = free.findIndex(fits);
  const value = at === -1 ? undefined : takeOut(free, at);
  return value === undefined ? undefined : convert(value);
}

/** The text, and whether another kind of value would have been better. */
export function takeText(
  purpose: Purpose,
  free: PromptValue[],
): { readonly text: string; readonly isSecondChoice: boolean } | undefined {
  for (const [choice, kind] of kindsFor(purpose).entries()) {
    const isSecondChoice = choice > 0;
    if (kind === 'date') {
      const text = takeDate(purpose, free);
      if (text !== undefined) return { text, isSecondChoice };
      continue;
    }
    const at = free.findIndex((value) => value.kind === kind);
    const value = at === -1 ? undefined : takeOut(free, at);
    if (value !== undefined) return { text: value.text, isSecondChoice };
  }
  return undefined;
}

const START_NAME = stems('start since from after begin beginning min earliest lower');
const END_NAME = stems('end to until before max latest till upper');
const SAYS_START = /^(?:since|after|from)$/;
const SAYS_END = /^(?:until|till|before|by|to)$/;

/** A day or moment in the form that is asked for; of a span the end that the name says. */
function takeDate(purpose: Purpose, free: PromptValue[]): string | undefined {
  const { name } = purpose;
  const isEnd = hasWord(name, END_NAME);
  const role = isEnd ? 'end' : hasWord(name, START_NAME) ? 'start' : undefined;
  const other = role === 'end' ? SAYS_START : SAYS_END;
  const at = free.findIndex(
    (value) =>
      value.kind === 'date' &&
      (value.half ?? role) === role &&
      // `until Friday` is no start; of a span both ends are known.
      (role === undefined || value.until !== undefined || !other.test(value.after)) &&
      asDate(value, role, purpose) !== undefined,
  );
  const value = at === -1 ? undefined : takeOut(free, at);
  if (value === undefined) return undefined;
  if (role !== undefined && value.until !== undefined) {
    const half = isEnd ? ('start' as const) : ('end' as const);
    const text = isEnd ? value.text : value.until;
    free.push({ ...value, text, until: undefined, half, isSoft: true });
  }
  return asDate(value, role, purpose);
}

function asDate(
  { text, until }: PromptValue,
  role: 'start' | 'end' | undefined,
  { about, property }: Purpose,
): string | undefined {
  const written = role === 'end' ? (until ?? text) : text;
  const format = isJsonObject(property) ? property['format'] : undefined;
  const isDay = !written.includes('T');
  if (format === 'date-time') {
    // A time of day that nobody wrote is not made up; a span begins and ends with its days.
    if (!isDay) return written;
    return role === undefined ? undefined : edgeOfDay(written, role === 'end' ? 'last' : 'first');
  }
  if (/YYYYMMDD/i.test(about)) return written.slice(0, 10).replaceAll('-', '');
  return format === 'date' || /YYYY-MM-DD/i.test(about) ? written.slice(0, 10) : written;
}

/** What a text property may be filled with, best first. */
function kindsFor(purpose: Purpose): readonly ValueKind[] {
  const { name, property, isRequired, isPath, about } = purpose;
  const format = isJsonObject(property) ? property['format'] : undefined;
  if (format === 'uri' || hasWord(name, URL_WORDS)) return ['url'];
  if (format === 'date-time') return ['date'];
  if (format === 'email' || hasWord(name, EMAIL_WORDS)) return ['email', ...kindsBeside(purpose)];
  if (format === 'date' || (hasWord(name, DATE_WORDS) && !isPath))
    return isRequired ? ['date', 'quoted'] : ['date'];
  if (/YYYY-?MM-?DD/i.test(about)) return ['date'];
  if (hasWord(name, GLOB_WORDS)) return isRequired ? ['glob', 'quoted'] : ['glob'];
  if (isPath) return isRequired ? ['path', 'quoted'] : ['path'];
  if (hasWord(name, SYMBOL_WORDS)) return ['letters', 'code', ...kindsBeside(purpose)];
  if (hasWord(name, CODE_WORDS) && isRequired) return ['code', 'quoted'];
  return kindsBeside(purpose);
}

function kindsBeside({ name, isRequired }: Purpose): readonly ValueKind[] {
  return isRequired || SUBJECT_NAME.test(name) ? ['quoted'] : [];
}

function hasWord(name: string, words: ReadonlySet<string>): boolean {
  return wordsOf(name).some((word) => words.has(word));
}

/** As `wordsOf` gives them. Stop words among them (`from`) are names as well. */
function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').flatMap((word) => [...wordsOf(word)]));
}
