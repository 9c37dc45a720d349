/** What the schema found, as problems for people: every unknown key, what was expected, what stands there. */
import * as v from 'valibot';
import { nearestMatches } from '../base/text.ts';
import { type Block, FOREIGN_KEYS, isLaterKey, isLaterValue, NOT_AVAILABLE } from './later.ts';
import { maskText } from './mask.ts';
import { MAX_PROBLEMS, type PathItem, type Problem, valueAt } from './problem.ts';
import { PlainScalar, VARIABLE_NAME } from './schema/atoms.ts';
import { type AnySchema, keysAt, withoutFalseMappings } from './schema-walk.ts';
import { isSecretName } from './secret-names.ts';
import type { ConfigFile } from './yaml.ts';

export interface Checked<T> {
  /** The output; `undefined` when there are problems. */
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
}

/** Checks the value at `path` of the file against a schema and names every problem. */
export function checkBlock<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  path: readonly PathItem[],
  block: Block,
  file: ConfigFile,
): Checked<T> {
  const result = v.safeParse(schema, withoutFalseMappings(schema, value));
  if (result.success) return { value: result.output, problems: [] };
  const problems = result.issues.slice(0, MAX_PROBLEMS).flatMap((issue) => {
    const below = (issue.path ?? []).map((item) => asPathItem(item.key));
    return isUnknownKey(issue)
      ? unknownKeyProblems(schema, value, below.slice(0, -1), path, block, file)
      : [issueProblem(issue, value, below, path, block, file)];
  });
  return { value: undefined, problems };
}

/** A value for people, short, in YAML spelling where it is text; never a secret. */
export function showValue(value: unknown, path: readonly PathItem[]): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && !(value instanceof PlainScalar)) return 'a mapping';
  // The keys of an auth block are judged one by one.
  const names = path.filter((item, at) => item !== 'auth' || at === path.length - 1).map(String);
  if (names.some((name) => isSecretName(name) || name === 'headers' || name.endsWith('Env'))) {
    return 'a value that is not shown';
  }
  if (value instanceof PlainScalar) return value.source;
  const text = maskText(String(value).slice(0, 200));
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function issueProblem(
  issue: v.BaseIssue<unknown>,
  root: unknown,
  below: readonly PathItem[],
  base: readonly PathItem[],
  block: Block,
  file: ConfigFile,
): Problem {
  const path = [...base, ...below];
  const key = below.at(-1);
  // Of a mapping that takes any key, the key itself may be what does not fit.
  const isKey = issue.path?.at(-1)?.origin === 'key';
  const value = isKey ? key : valueAt(root, below);
  const place = { offset: file.offsetOf(path, isKey ? 'key' : 'value'), path };
  if (isMissingKey(issue)) return { ...place, text: 'is missing' };
  if (typeof key === 'string' && typeof value === 'string' && isLaterValue(block, key, value)) {
    return { ...place, text: `${JSON.stringify(value)} ${NOT_AVAILABLE}` };
  }
  const expected = expectedText(issue, key);
  if (expected === VARIABLE_NAME && value !== null && typeof value !== 'object') {
    return { ...place, text: `expected ${expected}. Example: ${exampleOf(key)}` };
  }
  const advice = adviceFor(expected, value, key);
  return { ...place, text: `expected ${expected}, got ${showValue(value, path)}${advice}` };
}

function unknownKeyProblems(
  schema: AnySchema,
  root: unknown,
  below: readonly PathItem[],
  base: readonly PathItem[],
  block: Block,
  file: ConfigFile,
): readonly Problem[] {
  const holder = valueAt(root, below);
  const known = keysAt(schema, below, root);
  const isTop = below.length === 0;
  return Object.keys(typeof holder === 'object' && holder !== null ? holder : {})
    .filter((key) => !known.includes(key))
    .slice(0, MAX_PROBLEMS)
    .map((key) => {
      const path = [...base, ...below, key];
      const text = unknownKeyText(key, valueAt(holder, [key]), known, isTop ? block : undefined);
      return { offset: file.offsetOf(path, 'key'), path, text };
    });
}

/** `block`: the block whose own keys are meant; `undefined` deeper inside one. */
function unknownKeyText(
  key: string,
  value: unknown,
  known: readonly string[],
  block: Block | undefined,
): string {
  if (block !== undefined) {
    if (isLaterKey(block, key)) return `this key ${NOT_AVAILABLE}`;
    const foreign = Object.getOwnPropertyDescriptor(FOREIGN_KEYS[block], key)?.value;
    if (typeof foreign === 'string') return foreign;
  }
  if (isSecretName(key)) return secretKeyText(key, value, known);
  const [near] = nearestMatches(key, known, 1);
  if (near !== undefined) return `unknown key; did you mean ${near}?`;
  return known.length <= 10 ? `unknown key; known here: ${known.join(', ')}` : 'unknown key';
}

/** A credential under a key of its own: the spelling that works, with the variable's name where one is written. */
function secretKeyText(key: string, value: unknown, known: readonly string[]): string {
  if (known.includes('privateKeyFile') && /private.?key/i.test(key)) {
    return 'a secret never stands in the file; keep the key in one of its own and write privateKeyFile: FILE';
  }
  const variable = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(typeof value === 'string' ? value : '')?.[1];
  const name = variable ?? 'NAME_OF_VARIABLE';
  const spelling = known.includes('apiKeyEnv')
    ? `apiKeyEnv: ${name}`
    : known.includes('clientSecretEnv')
      ? `clientSecretEnv: ${name}`
      : known.includes('tokenEnv')
        ? `tokenEnv: ${name}`
        : `auth: { type: bearer, tokenEnv: ${name} }`;
  return `a secret never stands in the file; put it into a variable and write ${spelling}`;
}

function expectedText(issue: v.BaseIssue<unknown>, key: PathItem | undefined): string {
  switch (issue.type) {
    case 'strict_object':
    case 'record':
      return 'a mapping (key: value)';
    case 'array':
      return 'a list';
    case 'variant':
      return key === 'type' ? issue.message : `a mapping with type: ${issue.message}`;
    default:
      return issue.message;
  }
}

function adviceFor(expected: string, value: unknown, key: PathItem | undefined): string {
  if (expected.startsWith('a duration')) return '. Example: 30s';
  if (expected === 'true or false' && typeof value === 'string')
    return WORDS[value.toLowerCase()] ?? '';
  if (expected === 'text' && value === null) return '. Write "" for empty text, or quote it: "~"';
  if (key === 'command' && Array.isArray(value))
    return '. Example: command: npx, args: [-y, package]';
  if (key === 'command' && value instanceof PlainScalar) return '. Quote it if that is its name';
  if (key === 'args') return '. Example: [-y, package]';
  if (key === 'env' && Array.isArray(value)) return '. Example: { LOG_LEVEL: warn }';
  if (key === 'timeout') return '. Example: { idle: 30s }';
  if (key === 'tools') return '. [] stands for none, no tools: line for all';
  return '';
}

const WORDS: Readonly<Record<string, string | undefined>> = {
  yes: '. Write true',
  on: '. Write true',
  true: '. Remove the quotes',
  no: '. Write false',
  off: '. Write false',
  false: '. Remove the quotes',
};

function exampleOf(key: PathItem | undefined): string {
  return key === 'apiKeyEnv' ? 'OPENAI_API_KEY' : 'GITHUB_TOKEN';
}

function isUnknownKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

function isMissingKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected?.startsWith('"') === true;
}

function asPathItem(key: unknown): PathItem {
  return typeof key === 'number' ? key : String(key);
}
