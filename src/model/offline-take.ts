/** Which value of a prompt a property takes: by its name, its type and what its description asks for. */
import { isJsonObject, type JsonValue } from '../base/json.ts';
import { wordsOf } from '../tools/search-words.ts';
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
const GLOB_WORDS = stems('pattern glob include exclude');
const DATE_WORDS = stems('date day since until from start end before after');
const COUNT_WORDS = stems('limit count top max number size num n');
const COUNTING = new Set(['first', 'top', 'last', 'limit', 'max', 'maximum', 'latest', 'newest']);
/** Optional text is only filled where its name says what it is for. */
const SUBJECT_NAME = /query|search|text|term|keyword|question|topic|message|name|title|id$|^q$/i;

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
  const [value] = at === -1 ? [] : free.splice(at, 1);
  return value === undefined ? undefined : convert(value);
}

/** The text, and whether another kind of value would have been better. */
export function takeText(
  purpose: Purpose,
  free: PromptValue[],
): { readonly text: string; readonly isSecondChoice: boolean } | undefined {
  for (const [choice, kind] of kindsFor(purpose).entries()) {
    const at = free.findIndex((value) => value.kind === kind);
    const [value] = at === -1 ? [] : free.splice(at, 1);
    if (value === undefined) continue;
    const text = kind === 'date' ? asDate(value.text, purpose) : value.text;
    return { text, isSecondChoice: choice > 0 };
  }
  return undefined;
}

/** What a text property may be filled with, best first. */
function kindsFor({ name, property, isRequired, isPath, about }: Purpose): readonly ValueKind[] {
  const format = isJsonObject(property) ? property['format'] : undefined;
  if (format === 'uri' || hasWord(name, URL_WORDS)) return ['url'];
  if (format === 'date' || (hasWord(name, DATE_WORDS) && !isPath))
    return isRequired ? ['date', 'quoted'] : ['date'];
  if (/YYYY-?MM-?DD/i.test(about)) return ['date'];
  // A time of day that nobody wrote is not made up.
  if (format === 'date-time') return [];
  if (hasWord(name, GLOB_WORDS)) return isRequired ? ['glob', 'quoted'] : ['glob'];
  if (isPath) return isRequired ? ['path', 'quoted'] : ['path'];
  if (isRequired) return ['quoted'];
  return SUBJECT_NAME.test(name) ? ['quoted'] : [];
}

function asDate(text: string, { about }: Purpose): string {
  return /YYYYMMDD/i.test(about) ? text.slice(0, 10).replaceAll('-', '') : text;
}

function hasWord(name: string, words: ReadonlySet<string>): boolean {
  return wordsOf(name).some((word) => words.has(word));
}

/** As `wordsOf` gives them. Stop words among them (`from`) are names as well. */
function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').flatMap((word) => [...wordsOf(word)]));
}
