/** Fills a tool's arguments with the values of a prompt. Nothing is made up. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { wordsOf } from '../tools/search-words.ts';
import type { RegisteredTool } from '../tools/types.ts';
import { propertiesOf, toType, typesOf } from './offline-literal.ts';
import type { PromptValue, PromptValues, ValueKind } from './offline-values.ts';

export interface FilledCall {
  readonly args: JsonObject;
  /** Required properties the prompt gives no value for. */
  readonly missing: readonly string[];
  /** True when the prompt gives text, URL, path or pair that found no place. */
  readonly hasLeftover: boolean;
  /** Numbers of the prompt that found no place; people also write them in passing. */
  readonly unusedNumbers: number;
  /** Values that stand where another kind would fit better, such as a text for a pattern. */
  readonly secondChoices: number;
}

/** What a value was taken for, noted while filling. */
interface Taking {
  secondChoices: number;
}

const URL_WORDS = new Set(['url', 'uri', 'link', 'href']);
const PATH_WORDS = new Set(
  'path file filename filepath pathname dir directory folder root source destination'.split(' '),
);
const GLOB_WORDS = new Set(['pattern', 'glob', 'include', 'exclude']);
/** Optional text is only filled where its name says what it is for. */
const SUBJECT_NAME = /query|search|text|term|keyword|question|topic|message|name|title|id$|^q$/i;

/** Required properties first, in their order; each value is used once. */
export function fillArguments(
  tool: RegisteredTool,
  found: PromptValues,
  prompt: string,
): FilledCall {
  const properties = propertiesOf(tool);
  const required = requiredOf(tool).filter((name) => Object.hasOwn(properties, name));
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const free = [...found.values];
  const args: Record<string, JsonValue> = {};
  const pairs = found.pairs.filter(({ key }) => Object.hasOwn(properties, key));
  for (const { key, value } of pairs) args[key] = toType(value, properties[key]);
  let isPlaceUsed = false;
  const taking: Taking = { secondChoices: 0 };
  for (const [index, name] of [...required, ...optional].entries()) {
    if (args[name] !== undefined) continue;
    const isRequired = index < required.length;
    const property = properties[name];
    const value = takeValue(name, property, isRequired, free, prompt, taking);
    if (value !== undefined) args[name] = value;
    else if (isNamed(name, PATH_WORDS) && isText(property) && !isPlaceUsed) {
      const place = found.place ?? (found.isHere && isRequired ? '.' : undefined);
      if (place === undefined) continue;
      args[name] = place;
      isPlaceUsed = true;
    }
  }
  return {
    args,
    missing: required.filter((name) => args[name] === undefined),
    hasLeftover:
      pairs.length < found.pairs.length ||
      (found.place !== undefined && !isPlaceUsed) ||
      free.some((value) => value.kind !== 'number'),
    unusedNumbers: free.filter((value) => value.kind === 'number').length,
    secondChoices: taking.secondChoices,
  };
}

export function requiredOf(tool: RegisteredTool): readonly string[] {
  const required = tool.definition.inputSchema['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Takes the value it uses out of `free`. */
function takeValue(
  name: string,
  property: JsonValue | undefined,
  isRequired: boolean,
  free: PromptValue[],
  prompt: string,
  taking: Taking,
): JsonValue | undefined {
  const choices = isJsonObject(property) ? property['enum'] : undefined;
  if (Array.isArray(choices)) return chosen(choices, free, prompt);
  const types = typesOf(property);
  if (types.includes('number') || types.includes('integer')) {
    const isWholeOnly = !types.includes('number');
    const at = free.findIndex(
      ({ kind, text, after }) =>
        kind === 'number' &&
        (!isWholeOnly || Number.isInteger(Number(text))) &&
        (isRequired || after === name.toLowerCase()),
    );
    const [value] = at === -1 ? [] : free.splice(at, 1);
    return value === undefined ? undefined : Number(value.text);
  }
  if (!isText(property)) return undefined;
  for (const [choice, kind] of kindsFor(name, property, isRequired).entries()) {
    const at = free.findIndex((value) => value.kind === kind);
    const [value] = at === -1 ? [] : free.splice(at, 1);
    if (value === undefined) continue;
    if (choice > 0) taking.secondChoices += 1;
    return value.text;
  }
  return undefined;
}

/** What a text property may be filled with, best first. */
function kindsFor(
  name: string,
  property: JsonValue | undefined,
  isRequired: boolean,
): readonly ValueKind[] {
  const format = isJsonObject(property) ? property['format'] : undefined;
  if (format === 'uri' || isNamed(name, URL_WORDS)) return ['url'];
  if (isNamed(name, GLOB_WORDS)) return isRequired ? ['glob', 'quoted'] : ['glob'];
  if (isNamed(name, PATH_WORDS)) return isRequired ? ['path', 'quoted'] : ['path'];
  if (isRequired) return ['quoted'];
  return SUBJECT_NAME.test(name) ? ['quoted'] : [];
}

function isNamed(name: string, words: ReadonlySet<string>): boolean {
  return wordsOf(name).some((word) => words.has(word));
}

function isText(property: JsonValue | undefined): boolean {
  const types = typesOf(property);
  return types.length === 0 || types.includes('string');
}

/** The one choice that stands in the prompt as a word; none when several do. */
function chosen(
  choices: readonly JsonValue[],
  free: PromptValue[],
  prompt: string,
): JsonValue | undefined {
  const words = new Set(prompt.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []);
  const named = choices.filter((choice) => words.has(String(choice).toLowerCase()));
  const [only] = named;
  if (named.length !== 1 || only === undefined) return undefined;
  const at = free.findIndex(({ text }) => text.toLowerCase() === String(only).toLowerCase());
  if (at !== -1) free.splice(at, 1);
  return only;
}
