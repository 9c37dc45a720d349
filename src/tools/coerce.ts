/**
 * From the words of a command line to arguments: `key=value` typed by the tool's schema, `key:=JSON`,
 * `key=@FILE`, `a.b=…`, or one JSON object. Nothing is validated here: a call sends what it is given.
 */
import { UsageError } from '../base/errors.ts';
import {
  isExactNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tryParseJson,
} from '../base/json.ts';
import { shorten } from '../base/text.ts';
import { followPointer } from './schema-reference.ts';

const MAX_REFERENCES = 16;
const MAX_SHOWN = 60;

type Draft = { [key: string]: JsonValue | undefined };

/**
 * The arguments that the words mean. A value takes its type from the schema; without one it is JSON if it
 * parses as such, else text. An array takes repeated keys. `readFile` gives the text of `key=@FILE`.
 * Throws UsageError for a word without `=`, a value that is not of the wanted type, a key given twice.
 */
export function parseArguments(
  words: readonly string[],
  schema: JsonValue | undefined,
  readFile: (path: string) => string,
): JsonObject {
  const [first] = words;
  if (words.length === 1 && first?.trimStart().startsWith('{')) return parseObject(first);
  const result: Draft = {};
  const root = schema ?? {};
  for (const word of words) addWord(result, word, root, readFile);
  return result;
}

/** The files that `key=@FILE` words name, each once: what `readFile` will be asked for. */
export function filesNamedBy(words: readonly string[]): readonly string[] {
  const [first] = words;
  if (words.length === 1 && first?.trimStart().startsWith('{')) return [];
  const paths = words.flatMap((word) => {
    const equals = word.indexOf('=');
    const isFile = equals > 0 && word[equals - 1] !== ':' && word[equals + 1] === '@';
    return isFile ? [word.slice(equals + 2)] : [];
  });
  return [...new Set(paths)];
}

/** One JSON object. Throws UsageError otherwise. */
export function parseObject(text: string): JsonObject {
  const value = tryParseJson(text);
  if (isJsonObject(value)) return value;
  throw new UsageError(`the arguments are not one JSON object: ${shorten(text, MAX_SHOWN)}`, {
    hint: `write {"key": "value"} or key=value`,
  });
}

function addWord(
  result: Draft,
  word: string,
  root: JsonValue,
  readFile: (path: string) => string,
): void {
  const equals = word.indexOf('=');
  const isJson = equals > 0 && word[equals - 1] === ':';
  const key = word.slice(0, isJson ? equals - 1 : Math.max(0, equals));
  if (equals < 0 || key === '') {
    throw new UsageError(`${shorten(word, MAX_SHOWN)}: expected key=value`, {
      hint: 'key=value, key:=JSON, key=@FILE, or one JSON object in quotes',
    });
  }
  const text = word.slice(equals + 1);
  const path = pathOfKey(key, root);
  const schema = path.reduce<JsonValue | undefined>(
    (parent, name) => propertyOf(parent, name, root),
    root,
  );
  if (isJson) {
    const value = tryParseJson(text);
    if (value === undefined) throw wrongValue(key, 'JSON', text);
    set(result, path, value, key, false);
    return;
  }
  const given = text.startsWith('@') ? readFile(text.slice(1)) : text;
  const types = typesOf(schema, root);
  const parsed = types.has('array') ? tryParseJson(given) : undefined;
  if (types.has('array') && !types.has('string') && !Array.isArray(parsed)) {
    const items = resolveReference(schema, root);
    const item = isJsonObject(items) ? items['items'] : undefined;
    set(result, path, coerce(key, given, item, root), key, true);
    return;
  }
  set(result, path, coerce(key, given, schema, root), key, false);
}

/** `a.b` is a path unless the schema has a property of exactly that name. */
function pathOfKey(key: string, root: JsonValue): readonly string[] {
  const path = hasProperty(root, key) ? [key] : key.split('.');
  if (path.some((name) => name === '' || name === '__proto__')) {
    throw new UsageError(`${shorten(key, MAX_SHOWN)}: not a usable argument name`, {
      hint: 'give the arguments as one JSON object instead',
    });
  }
  return path;
}

function hasProperty(root: JsonValue, name: string): boolean {
  const properties = isJsonObject(root) ? root['properties'] : undefined;
  return isJsonObject(properties) && Object.hasOwn(properties, name);
}

function set(
  result: Draft,
  path: readonly string[],
  value: JsonValue,
  key: string,
  isItem: boolean,
): void {
  let target = result;
  for (const name of path.slice(0, -1)) {
    const next = Object.hasOwn(target, name) ? target[name] : {};
    if (!isJsonObject(next)) throw givenTwice(key);
    // A copy, so that a value given as JSON is never changed in place.
    const copy: Draft = { ...next };
    target[name] = copy;
    target = copy;
  }
  const last = path.at(-1) ?? key;
  const present = Object.hasOwn(target, last) ? target[last] : undefined;
  if (isItem) {
    if (present !== undefined && !Array.isArray(present)) throw givenTwice(key);
    target[last] = [...(present ?? []), value];
    return;
  }
  if (present !== undefined) throw givenTwice(key);
  target[last] = value;
}

function coerce(
  key: string,
  text: string,
  schema: JsonValue | undefined,
  root: JsonValue,
): JsonValue {
  const types = typesOf(schema, root);
  const parsed = tryParseJson(text.trim());
  const isExact = isExactNumber(text, parsed);
  const value = isExact ? parsed : undefined;
  if (types.size === 0) return value === undefined ? text : value;
  const [only] = types;
  if (types.size === 1 && only === 'string') return text;
  const isNumber = typeof value === 'number' && types.has('number');
  const isWhole = typeof value === 'number' && Number.isInteger(value) && types.has('integer');
  const isOther =
    value !== undefined &&
    typeof value !== 'number' &&
    typeof value !== 'string' &&
    types.has(typeName(value));
  if (value !== undefined && (isNumber || isWhole || isOther)) return value;
  if (types.has('string')) return text;
  if (!isExact) {
    throw new UsageError(`${key}: ${text.trim()} has more digits than a JSON number keeps`);
  }
  throw wrongValue(key, [...types].join(' or '), text);
}

/** Type names the schema allows; empty when it does not say. */
function typesOf(schema: JsonValue | undefined, root: JsonValue): ReadonlySet<string> {
  const types = new Set<string>();
  const isComplete = collectTypes(schema, root, types, 0);
  return isComplete ? types : new Set();
}

/** False when the schema leaves the type open. */
function collectTypes(
  schema: JsonValue | undefined,
  root: JsonValue,
  types: Set<string>,
  depth: number,
): boolean {
  const resolved = resolveReference(schema, root);
  if (!isJsonObject(resolved) || depth > MAX_REFERENCES) return false;
  const type = resolved['type'];
  if (type !== undefined) {
    for (const name of Array.isArray(type) ? type : [type]) {
      if (typeof name !== 'string') return false;
      types.add(name);
    }
    return true;
  }
  const values = Object.hasOwn(resolved, 'const') ? [resolved['const'] ?? null] : resolved['enum'];
  if (Array.isArray(values)) {
    for (const value of values) types.add(typeName(value));
    return true;
  }
  const branches = resolved['anyOf'] ?? resolved['oneOf'];
  if (!Array.isArray(branches) || branches.length === 0) return false;
  return branches.every((branch) => collectTypes(branch, root, types, depth + 1));
}

function propertyOf(
  schema: JsonValue | undefined,
  name: string,
  root: JsonValue,
): JsonValue | undefined {
  const resolved = resolveReference(schema, root);
  if (!isJsonObject(resolved)) return undefined;
  const properties = resolved['properties'];
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  return isJsonObject(resolved['additionalProperties'])
    ? resolved['additionalProperties']
    : undefined;
}

function resolveReference(schema: JsonValue | undefined, root: JsonValue): JsonValue | undefined {
  let current = schema;
  for (let left = MAX_REFERENCES; left > 0; left -= 1) {
    const reference = isJsonObject(current) ? current['$ref'] : undefined;
    if (typeof reference !== 'string') return current;
    current = followPointer(root, reference);
  }
  return undefined;
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function wrongValue(key: string, wanted: string, text: string): UsageError {
  return new UsageError(
    `${key}: expected ${wanted}, got ${JSON.stringify(shorten(text, MAX_SHOWN))}`,
  );
}

function givenTwice(key: string): UsageError {
  return new UsageError(`${key}: given twice`);
}
