/** Fills a tool's arguments with the values of a prompt. Nothing is made up. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { RegisteredTool } from '../tools/types.ts';
import { namesIn, takeChoices } from './offline-choices.ts';
import { toType, typesOf } from './offline-literal.ts';
import { propertyAt, setPath } from './offline-nested.ts';
import {
  isPlaceName,
  isSubjectName,
  type Purpose,
  purposeOf,
  takeNumber,
  takeText,
} from './offline-take.ts';
import type { PromptValue, PromptValues } from './offline-values.ts';

export interface FilledCall {
  readonly args: JsonObject;
  /** Required properties the prompt gives no value for; `a.b` inside an object. */
  readonly missing: readonly string[];
  /** True when the prompt gives text, URL, path, date or pair that found no place. */
  readonly hasLeftover: boolean;
  /** Numbers of the prompt that found no place; people also write them in passing. */
  readonly unusedNumbers: number;
  /** Values that stand where another kind would fit better, such as a text for a pattern. */
  readonly secondChoices: number;
  /** Values that are only likely to be meant: nothing is called with them. */
  readonly guesses: number;
}

/** Objects inside objects are filled down to here. */
const MAX_DEPTH = 3;

/** What is left of the prompt while it is used up. */
interface Filling {
  readonly found: PromptValues;
  readonly prompt: string;
  readonly free: PromptValue[];
  isPlaceUsed: boolean;
  secondChoices: number;
  guesses: number;
}

/** Required properties first, in their order; each value is used once. */
export function fillArguments(
  tool: RegisteredTool,
  found: PromptValues,
  prompt: string,
): FilledCall {
  const schema = tool.definition.inputSchema;
  const filling: Filling = {
    found,
    prompt,
    free: [...found.values],
    isPlaceUsed: false,
    secondChoices: 0,
    guesses: 0,
  };
  let args: JsonObject = {};
  let placed = 0;
  for (const { key, value } of found.pairs) {
    const property = propertyAt(schema, key);
    if (property === undefined) continue;
    args = setPath(schema, args, key, toType(value, property));
    placed += 1;
  }
  const { value, missing } = fillObject(schema, args, filling, 0);
  const { free, isPlaceUsed, secondChoices, guesses } = filling;
  return {
    args: value,
    missing,
    hasLeftover:
      placed < found.pairs.length ||
      (found.place !== undefined && !isPlaceUsed) ||
      free.some(({ isSoft }) => !isSoft),
    unusedNumbers: free.filter(({ kind }) => kind === 'number').length,
    secondChoices,
    guesses,
  };
}

function fillObject(
  schema: JsonObject,
  given: JsonObject,
  filling: Filling,
  depth: number,
): { readonly value: JsonObject; readonly missing: readonly string[] } {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = requiredIn(schema).filter((name) => Object.hasOwn(properties, name));
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const value: Record<string, JsonValue | undefined> = { ...given };
  const missing: string[] = [];
  for (const [index, name] of [...required, ...optional].entries()) {
    const isRequired = index < required.length;
    const property = properties[name];
    const before = value[name];
    if (isObjectSchema(property) && isRequired && depth < MAX_DEPTH) {
      const inner = fillObject(property, isJsonObject(before) ? before : {}, filling, depth + 1);
      if (Object.keys(inner.value).length > 0 || inner.missing.length === 0)
        value[name] = inner.value;
      missing.push(...inner.missing.map((one) => `${name}.${one}`));
      continue;
    }
    if (before !== undefined) continue;
    const taken = takeValue(purposeOf(name, property, isRequired), filling);
    if (taken !== undefined) value[name] = taken;
    else if (isRequired) missing.push(name);
  }
  return { value, missing };
}

/** Takes the value it uses out of what is free. */
function takeValue(purpose: Purpose, filling: Filling, mayGuess = true): JsonValue | undefined {
  const { property, types, name, isRequired } = purpose;
  const choices = isJsonObject(property) ? property['enum'] : undefined;
  if (Array.isArray(choices)) {
    const named = takeChoices(choices, filling.free, filling.prompt);
    usePlace(named, filling);
    return named.length === 1 ? named[0] : undefined;
  }
  if (types.includes('array') && !types.includes('string')) return takeList(purpose, filling);
  if (types.includes('number') || types.includes('integer'))
    return takeNumber(purpose, filling.free);
  if (types.length > 0 && !types.includes('string')) return undefined;
  const taken = takeText(purpose, filling.free);
  if (taken !== undefined) {
    if (taken.isSecondChoice) filling.secondChoices += 1;
    return taken.text;
  }
  if (!purpose.isPath) return mayGuess ? guessText(purpose, filling) : undefined;
  if (filling.isPlaceUsed) return undefined;
  const { place, isHere } = filling.found;
  const where = place ?? (isHere && isRequired ? '.' : undefined);
  if (where !== undefined) filling.isPlaceUsed = true;
  return name === '' ? undefined : where;
}

/** `… in metric` is no folder where that is a choice. */
function usePlace(named: readonly JsonValue[], filling: Filling): void {
  if (named.some((choice) => choice === filling.found.place)) filling.isPlaceUsed = true;
}

/** What the prompt is about, for a required text that says it wants such a thing. */
function guessText({ name, property, isRequired }: Purpose, filling: Filling): string | undefined {
  const { place } = filling.found;
  if (isRequired && place !== undefined && !filling.isPlaceUsed && isPlaceName(name)) {
    filling.isPlaceUsed = true;
    filling.guesses += 1;
    return place;
  }
  const { subject } = filling.found;
  const isFree = isJsonObject(property) && property['format'] === undefined;
  if (!isRequired || !isFree || subject === undefined || !isSubjectName(name)) return undefined;
  filling.guesses += 1;
  return subject;
}

/** All values that could be an item; of an optional list only those that are choices or named before. */
function takeList(purpose: Purpose, filling: Filling): JsonValue | undefined {
  const { property, name, isRequired } = purpose;
  const items = isJsonObject(property) ? property['items'] : undefined;
  const choices = isJsonObject(items) ? items['enum'] : undefined;
  if (Array.isArray(choices)) {
    const named = takeChoices(choices, filling.free, filling.prompt);
    usePlace(named, filling);
    return named.length === 0 ? undefined : [...named];
  }
  if (!isRequired && !namesIn(filling.free, name)) return undefined;
  const item = purposeOf(singular(name), items, true);
  const list: JsonValue[] = [];
  // Each item uses up a value or the place: there cannot be more.
  for (let left = filling.free.length + 1; left > 0; left -= 1) {
    const value = typesOf(items).some((type) => type === 'object' || type === 'array')
      ? undefined
      : takeValue(item, filling, false);
    if (value === undefined) break;
    list.push(value);
  }
  if (list.length > 0) return list;
  const types = typesOf(items);
  const isText = (types.length === 0 || types.includes('string')) && !item.isPath;
  return isText && filling.found.list.length > 0 ? [...filling.found.list] : undefined;
}

function singular(name: string): string {
  return name.replace(/(?<=[a-z]{2})s$/i, '');
}

function isObjectSchema(property: JsonValue | undefined): property is JsonObject {
  return isJsonObject(property) && isJsonObject(property['properties']);
}

function requiredIn(schema: JsonObject): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
