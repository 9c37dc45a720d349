/** Reads a prompt that is a call as it stands: `server/tool`, then `key=value …` or one JSON object. */
import { UsageError } from '../base/errors.ts';
import {
  isExactNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tryParseJson,
} from '../base/json.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { propertyAt, setPath } from './offline-nested.ts';

export interface LiteralCall {
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
}

/**
 * The call, or undefined when the prompt is no such line. Throws UsageError when the line has the form
 * of a call but its name fits no tool or several.
 */
export function readLiteral(prompt: string, snapshot: RegistrySnapshot): LiteralCall | undefined {
  const line = prompt.trim();
  const name = /^\S+/.exec(line)?.[0] ?? '';
  if (!/^[\w-]+(?:[/.]\S+|__\S+|_\S+)$/.test(name)) return undefined;
  const rest = line.slice(name.length).trim();
  const pairs = rest.startsWith('{') ? undefined : readPairs(rest);
  const whole = rest.startsWith('{') ? tryParseJson(rest) : undefined;
  if (pairs === undefined && !isJsonObject(whole)) return undefined;
  const found = snapshot.resolve(name);
  switch (found.kind) {
    case 'found': {
      const args = isJsonObject(whole) ? whole : typed(found.tool, pairs ?? []);
      const missing = requiredOf(found.tool).filter((key) => !Object.hasOwn(args, key));
      if (missing.length === 0) return { tool: found.tool, args };
      throw new UsageError(`${name} needs ${missing.join(', ')}; nothing was sent`, {
        hint: `${name} ${missing.map((key) => `${key}=…`).join(' ')}`,
      });
    }
    case 'ambiguous':
      throw new UsageError(`"${name}" fits several tools: ${found.candidates.join(', ')}`);
    case 'gone':
      throw new UsageError(`${found.server}/${found.name} is no longer offered`);
    case 'unknown': {
      // A path or a word with a dot is no call unless arguments follow.
      const isCall = rest !== '' && /^[\w-]+\/[^/]+$/.test(name);
      if (!isCall) return undefined;
      const nearest =
        found.nearest.length === 0 ? '' : `; did you mean ${found.nearest.join(', ')}?`;
      throw new UsageError(`no tool "${name}"${nearest}`, { hint: '`usher tools` lists them' });
    }
  }
}

function requiredOf({ definition }: RegisteredTool): readonly string[] {
  const { inputSchema } = definition;
  const required = isJsonObject(inputSchema) ? inputSchema['required'] : undefined;
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}

/** One `key=value`; `json` marks `key:=JSON`. */
export interface Pair {
  readonly key: string;
  readonly value: string;
  readonly json: boolean;
}

const PAIR = /([A-Za-z_][\w.-]*)(:?=)("(?:[^"\\]|\\.)*"|'[^']*'|[[{][^\n]*[\]}](?=\s|$)|\S*)/y;

/** The pairs of a text made of nothing else; undefined when anything else stands there. */
export function readPairs(text: string): readonly Pair[] | undefined {
  const pairs: Pair[] = [];
  let at = 0;
  while (at < text.length) {
    PAIR.lastIndex = at;
    const match = PAIR.exec(text);
    if (match === null) return undefined;
    pairs.push(toPair(match));
    at = PAIR.lastIndex;
    const space = /\s*/y;
    space.lastIndex = at;
    space.exec(text);
    if (space.lastIndex === at && at < text.length) return undefined;
    at = space.lastIndex;
  }
  return pairs;
}

function toPair(match: RegExpExecArray): Pair {
  const [, key = '', operator, written = ''] = match;
  return { key, value: unquote(written), json: operator === ':=' };
}

function unquote(written: string): string {
  if (written.length < 2) return written;
  if (written.startsWith("'") && written.endsWith("'")) return written.slice(1, -1);
  if (!written.startsWith('"') || !written.endsWith('"')) return written;
  const parsed = tryParseJson(written);
  return typeof parsed === 'string' ? parsed : written.slice(1, -1);
}

function typed(tool: RegisteredTool, pairs: readonly Pair[]): JsonObject {
  const schema = tool.definition.inputSchema;
  let args: JsonObject = {};
  for (const { key, value, json } of pairs) {
    const parsed = json ? tryParseJson(value) : toType(value, propertyAt(schema, key));
    if (parsed === undefined) throw new UsageError(`${key}:= expects JSON, got ${value}`);
    args = setPath(schema, args, key, parsed);
  }
  return args;
}

export function propertiesOf(tool: RegisteredTool): JsonObject {
  const properties = tool.definition.inputSchema['properties'];
  return isJsonObject(properties) ? properties : {};
}

/**
 * Text as the property's type wants it; text that does not fit stays text, for the server to judge.
 * Without a type: JSON if it is a scalar, object or array, else text.
 */
export function toType(value: string, property: JsonValue | undefined): JsonValue {
  const types = typesOf(property);
  const read = tryParseJson(value.trim());
  const parsed = isExactNumber(value, read) ? read : undefined;
  if (types.length === 0) return parsed ?? value;
  for (const type of types) {
    const isFit =
      (type === 'integer' && typeof parsed === 'number' && Number.isInteger(parsed)) ||
      (type === 'number' && typeof parsed === 'number') ||
      (type === 'boolean' && typeof parsed === 'boolean') ||
      (type === 'null' && parsed === null) ||
      (type === 'object' && isJsonObject(parsed)) ||
      (type === 'array' && Array.isArray(parsed));
    if (isFit && parsed !== undefined && !types.includes('string')) return parsed;
  }
  if (types.includes('array') && !types.includes('string')) {
    const items = isJsonObject(property) ? property['items'] : undefined;
    return value.split(',').map((item) => toType(item.trim(), items));
  }
  return value;
}

/** The types a property names itself or in its alternatives. */
export function typesOf(property: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(property)) return [];
  const { type } = property;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  const branches = [property['anyOf'], property['oneOf']].filter(Array.isArray).flat();
  return branches.flatMap((branch) =>
    isJsonObject(branch) && typeof branch['type'] === 'string' ? [branch['type']] : [],
  );
}
