/**
 * Checks arguments against a tool's schema: structural keywords and local references only. Patterns and
 * formats are never executed, an unknown dialect turns the check off, and the work is bounded.
 * Source: JSON Schema draft-04 to 2020-12; unknown keywords are ignored there as here.
 */
import { isDeeperThan, MAX_JSON_DEPTH } from '../base/depth.ts';
import { isJsonObject, type JsonObject, type JsonValue, stableStringify } from '../base/json.ts';
import { countCharacters, nearestMatches, shorten } from '../base/text.ts';
import { followPointer, ignoresSiblingsOfRef, isKnownDialect } from './schema-reference.ts';

const MAX_STEPS = 50_000;
const MAX_DEPTH = 128;
const MAX_PROBLEMS = 8;
const MAX_UNIQUE_ITEMS = 1_000;
const MAX_SHOWN = 80;
const MAX_SHOWN_VALUES = 20;

interface Work {
  readonly root: JsonValue;
  readonly ignoresSiblings: boolean;
  steps: number;
  /** Reached a bound: nothing that was found counts. */
  isExhausted: boolean;
}

/**
 * Up to 8 problems as sentences a model can mend (`arguments.path: expected string, got number`); empty
 * when the arguments fit, or when the schema cannot be judged (unknown `$schema`, bound reached).
 */
export function checkArguments(schema: JsonValue, value: JsonValue): readonly string[] {
  if (!isJsonObject(schema) || !isKnownDialect(schema['$schema'])) return [];
  if (isDeeperThan(value)) return [`arguments: nested deeper than ${MAX_JSON_DEPTH} levels`];
  if (isDeeperThan(schema)) return [];
  const work: Work = {
    root: schema,
    ignoresSiblings: ignoresSiblingsOfRef(schema['$schema']),
    steps: 0,
    isExhausted: false,
  };
  const problems = check(work, schema, value, 'arguments', 0);
  return work.isExhausted ? [] : problems.slice(0, MAX_PROBLEMS);
}

function check(
  work: Work,
  schema: JsonValue | undefined,
  value: JsonValue,
  path: string,
  depth: number,
): readonly string[] {
  work.steps += 1;
  if (work.steps > MAX_STEPS || depth > MAX_DEPTH) work.isExhausted = true;
  if (work.isExhausted) return [];
  if (schema === false) return [`${path}: no value is allowed here`];
  if (!isJsonObject(schema)) return [];
  if (value === null && schema['nullable'] === true) return [];

  const problems: string[] = [];
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const target = followPointer(work.root, reference);
    if (target !== undefined) problems.push(...check(work, target, value, path, depth + 1));
    if (work.ignoresSiblings) return problems;
  }
  const typeProblem = checkType(schema, value, path);
  if (typeProblem !== undefined) return [...problems, typeProblem];
  problems.push(...checkValue(schema, value, path), ...checkSize(schema, value, path));
  if (isJsonObject(value)) problems.push(...checkObject(work, schema, value, path, depth));
  if (Array.isArray(value)) problems.push(...checkArray(work, schema, value, path, depth));
  problems.push(...checkCombinators(work, schema, value, path, depth));
  return problems;
}

const TYPE_TESTS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number' && Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => isJsonObject(value),
  array: (value) => Array.isArray(value),
  null: (value) => value === null,
};

function checkType(schema: JsonObject, value: JsonValue, path: string): string | undefined {
  const type = schema['type'];
  const types = Array.isArray(type) ? type : [type];
  const tests: string[] = [];
  for (const name of types) {
    // A type nobody knows ("int") cannot be judged.
    if (typeof name !== 'string' || !Object.hasOwn(TYPE_TESTS, name)) return undefined;
    if (TYPE_TESTS[name]?.(value)) return undefined;
    tests.push(name);
  }
  const wanted = tests.join(' or ');
  return tests.length === 0 ? undefined : `${path}: expected ${wanted}, got ${describe(value)}`;
}

function checkValue(schema: JsonObject, value: JsonValue, path: string): string[] {
  const problems: string[] = [];
  const allowed = schema['enum'];
  if (Array.isArray(allowed) && !allowed.some((item) => isEqual(item, value))) {
    const shown = allowed.slice(0, MAX_SHOWN_VALUES).map(show).join(', ');
    const rest = allowed.length > MAX_SHOWN_VALUES ? `, … (${allowed.length} in all)` : '';
    problems.push(`${path}: expected one of ${shown}${rest}, got ${show(value)}`);
  }
  if (Object.hasOwn(schema, 'const') && !isEqual(schema['const'], value)) {
    problems.push(`${path}: expected ${show(schema['const'])}, got ${show(value)}`);
  }
  return problems;
}

function checkSize(schema: JsonObject, value: JsonValue, path: string): string[] {
  if (typeof value === 'number') return checkNumber(schema, value, path);
  if (typeof value === 'string') {
    return checkRange(
      schema,
      ['minLength', 'maxLength'],
      countCharacters(value),
      path,
      'characters',
    );
  }
  if (Array.isArray(value)) {
    return checkRange(schema, ['minItems', 'maxItems'], value.length, path, 'items');
  }
  if (isJsonObject(value)) {
    const count = Object.keys(value).length;
    return checkRange(schema, ['minProperties', 'maxProperties'], count, path, 'properties');
  }
  return [];
}

function checkRange(
  schema: JsonObject,
  [minimumKey, maximumKey]: readonly [string, string],
  count: number,
  path: string,
  unit: string,
): string[] {
  const minimum = schema[minimumKey];
  const maximum = schema[maximumKey];
  if (typeof minimum === 'number' && count < minimum) {
    return [`${path}: expected at least ${minimum} ${unit}, got ${count}`];
  }
  if (typeof maximum === 'number' && count > maximum) {
    return [`${path}: expected at most ${maximum} ${unit}, got ${count}`];
  }
  return [];
}

function checkNumber(schema: JsonObject, value: number, path: string): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const wanted: string[] = [];
  // draft-04 spells the exclusive bounds as booleans beside minimum and maximum.
  if (typeof minimum === 'number') {
    const isExclusive = exclusiveMinimum === true;
    if (isExclusive ? value <= minimum : value < minimum) {
      wanted.push(`${isExclusive ? 'more than' : 'at least'} ${minimum}`);
    }
  }
  if (typeof maximum === 'number') {
    const isExclusive = exclusiveMaximum === true;
    if (isExclusive ? value >= maximum : value > maximum) {
      wanted.push(`${isExclusive ? 'less than' : 'at most'} ${maximum}`);
    }
  }
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    wanted.push(`more than ${exclusiveMinimum}`);
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    wanted.push(`less than ${exclusiveMaximum}`);
  }
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const quotient = value / multipleOf;
    const isOff =
      Math.abs(quotient - Math.round(quotient)) > 1e-9 * Math.max(1, Math.abs(quotient));
    if (isOff) wanted.push(`a multiple of ${multipleOf}`);
  }
  return wanted.map((text) => `${path}: expected ${text}, got ${value}`);
}

function checkObject(
  work: Work,
  schema: JsonObject,
  value: JsonObject,
  path: string,
  depth: number,
): string[] {
  const problems: string[] = [];
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = schema['required'];
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) {
      problems.push(`${path}: missing required property ${JSON.stringify(name)}`);
    }
  }
  const extra = schema['additionalProperties'];
  // A pattern may allow more names; it is not executed, so they cannot be judged.
  const judgesExtra = extra !== undefined && !isJsonObject(schema['patternProperties']);
  for (const [name, child] of Object.entries(value)) {
    if (child === undefined) continue;
    const childPath = pathOf(path, name);
    if (Object.hasOwn(properties, name)) {
      problems.push(...check(work, properties[name], child, childPath, depth + 1));
    } else if (judgesExtra && extra === false) {
      problems.push(unknownProperty(path, name, Object.keys(properties)));
    } else if (judgesExtra) {
      problems.push(...check(work, extra, child, childPath, depth + 1));
    }
  }
  return problems;
}

function unknownProperty(path: string, name: string, known: readonly string[]): string {
  const [nearest] = nearestMatches(name, known, 1);
  const all = known.slice(0, MAX_SHOWN_VALUES).map((item) => JSON.stringify(item));
  const hint =
    nearest === undefined
      ? all.length === 0
        ? 'none is allowed'
        : `allowed: ${all.join(', ')}`
      : `did you mean ${JSON.stringify(nearest)}?`;
  return `${path}: unknown property ${show(name)}; ${hint}`;
}

function checkArray(
  work: Work,
  schema: JsonObject,
  value: readonly JsonValue[],
  path: string,
  depth: number,
): string[] {
  const items = schema['items'];
  // Before 2020-12 a tuple stands in `items` and the rest in `additionalItems`.
  const isOldTuple = Array.isArray(items);
  const prefix = isOldTuple ? items : schema['prefixItems'];
  const tuple: readonly JsonValue[] = Array.isArray(prefix) ? prefix : [];
  const rest = isOldTuple ? schema['additionalItems'] : items;
  const problems: string[] = [];
  value.forEach((item, index) => {
    const itemSchema = index < tuple.length ? tuple[index] : rest;
    if (itemSchema === undefined || itemSchema === true) return;
    problems.push(...check(work, itemSchema, item, `${path}[${index}]`, depth + 1));
  });
  if (schema['uniqueItems'] === true && value.length <= MAX_UNIQUE_ITEMS) {
    if (new Set(value.map((item) => stableStringify(item))).size < value.length) {
      problems.push(`${path}: expected items that are all different`);
    }
  }
  return problems;
}

function checkCombinators(
  work: Work,
  schema: JsonObject,
  value: JsonValue,
  path: string,
  depth: number,
): string[] {
  const problems: string[] = [];
  const branches = (key: string): readonly JsonValue[] => {
    const list = schema[key];
    return Array.isArray(list) ? list : [];
  };
  for (const branch of branches('allOf')) {
    problems.push(...check(work, branch, value, path, depth + 1));
  }
  for (const key of ['anyOf', 'oneOf']) {
    const results = branches(key).map((branch) => check(work, branch, value, path, depth + 1));
    if (results.length === 0) continue;
    const fitting = results.filter((result) => result.length === 0).length;
    if (fitting === 0) problems.push(noneFits(results, path));
    if (key === 'oneOf' && fitting > 1) {
      problems.push(`${path}: fits ${fitting} of the allowed forms, exactly one is wanted`);
    }
  }
  const not = schema['not'];
  if (not !== undefined && check(work, not, value, path, depth + 1).length === 0) {
    problems.push(`${path}: this value is not allowed`);
  }
  return problems;
}

function noneFits(results: readonly (readonly string[])[], path: string): string {
  const firsts = [...new Set(results.flatMap((result) => result.slice(0, 1)))];
  return `${path}: fits none of the allowed forms (${firsts.slice(0, 3).join(' | ')})`;
}

function isEqual(a: JsonValue | undefined, b: JsonValue): boolean {
  if (a === b) return true;
  return (
    typeof a === 'object' && typeof b === 'object' && stableStringify(a) === stableStringify(b)
  );
}

function describe(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && !Number.isInteger(value) ? `number ${value}` : typeof value;
}

function show(value: JsonValue | undefined): string {
  return shorten(JSON.stringify(value) ?? 'nothing', MAX_SHOWN);
}

function pathOf(path: string, name: string): string {
  return /^[A-Za-z_$][\w$-]{0,63}$/.test(name) ? `${path}.${name}` : `${path}[${show(name)}]`;
}
