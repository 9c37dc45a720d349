/** What can be said of a script before it runs: tools that do not exist, literal arguments that do not fit. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { nearestMatches } from '../base/text.ts';
import type { RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import { checkArguments } from '../tools/validate.ts';
import { findAliases, isMember, readPath } from './aliases.ts';
import { findServer } from './catalogue.ts';
import type { ScriptServer } from './ports.ts';
import { findReachable, pathOf, pendingServer } from './reach.ts';
import { isMark, type Token, tokensOf } from './tokens.ts';
import type { ScriptProblem } from './types.ts';

const MAX_PROBLEMS = 50;

/** A server, and why it is not there if it is not. */
type CheckedServer = Pick<ScriptServer, 'name' | 'problem'>;

/** In the order of the script; names and arguments that are computed are not judged. */
export function checkCalls(
  code: string,
  snapshot: RegistrySnapshot,
  servers: readonly CheckedServer[],
): readonly ScriptProblem[] {
  const tokens = tokensOf(code);
  const aliases = findAliases(tokens);
  const problems: ScriptProblem[] = [];
  const told = new Set<string>();
  tokens.forEach((token, index) => {
    if (token.kind !== 'name' || isMember(tokens, index)) return;
    const before = token.text === 'tools' ? [] : aliases.get(token.text);
    if (before === undefined) return;
    const { names, next } = readPath(tokens, index + 1, before);
    if (names.length === 0) return;
    // Another name of one tool is judged once, where its arguments are not.
    const path = JSON.stringify(names);
    const isTold = names.length === before.length && told.has(path);
    const argumentsAt = isMark(tokens[next], '(') ? next + 1 : undefined;
    const found = judge({ names, argumentsAt, tokens }, token.line, snapshot, servers);
    if (found.length > 0) told.add(path);
    if (!isTold) problems.push(...found);
  });
  return problems.slice(0, MAX_PROBLEMS);
}

interface WrittenCall {
  readonly names: readonly string[];
  /** Index of the first token of the arguments; `undefined`: it is not called here. */
  readonly argumentsAt: number | undefined;
  readonly tokens: readonly Token[];
}

function judge(
  { names, argumentsAt, tokens }: WrittenCall,
  line: number,
  snapshot: RegistrySnapshot,
  servers: readonly CheckedServer[],
): readonly ScriptProblem[] {
  const [first = '', second] = names;
  const known = servers.map(({ name }) => name);
  const server = findReachable(first, snapshot) === undefined ? findServer(first, known) : '';
  // A namespace alone, or a member of a tool's function.
  if (server !== '' && server !== undefined && second === undefined) return [];
  const isInServer = server !== undefined && server !== '' && second !== undefined;
  const path = isInServer ? pathOf(server, second, snapshot) : first;
  const tool = findReachable(path, snapshot);
  if (tool === undefined) return [{ line, ...missing(path, snapshot, servers) }];
  if (argumentsAt === undefined || (second !== undefined && !isInServer)) return [];
  return argumentProblems(tool, tokens, argumentsAt).map((problem) => ({
    line,
    message: `${tool.publicName}: ${problem}`,
  }));
}

/** A tool of a server that is down may well exist. */
function missing(
  path: string,
  snapshot: RegistrySnapshot,
  servers: readonly CheckedServer[],
): Omit<ScriptProblem, 'line'> {
  const down = servers.filter(({ problem }) => problem !== undefined);
  const names = down.map(({ name }) => name);
  const server = down.find(({ name }) => name === pendingServer(path, names));
  if (server === undefined) return { message: unknownText(path, snapshot) };
  const message = `${path}: server ${server.name} is not connected: ${server.problem}`;
  return { message, server: server.name };
}

function unknownText(name: string, snapshot: RegistrySnapshot): string {
  const names = snapshot.reachable.map(({ server, name: own, publicName }) =>
    name.includes('/') ? `${server}/${own}` : publicName,
  );
  const [nearest] = nearestMatches(name, names, 1);
  return `there is no tool "${name}"${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function argumentProblems(
  tool: RegisteredTool,
  tokens: readonly Token[],
  at: number,
): readonly string[] {
  const schema = tool.definition.inputSchema;
  if (isMark(tokens[at], ')')) return checkArguments(schema, {});
  const read = readObject(tokens, at);
  if (read === undefined || !(isMark(tokens[read.next], ')') || isMark(tokens[read.next], ','))) {
    return [];
  }
  return checkArguments(loosened(schema, read), read.value);
}

interface Read {
  readonly value: JsonObject;
  /** Properties whose values are computed. */
  readonly open: readonly string[];
  /** Something is spread or computed into it: any property may be there. */
  readonly isOpen: boolean;
  readonly next: number;
}

/** The schema without what computed values may satisfy. */
function loosened(schema: JsonObject, { open, isOpen }: Read): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const any = Object.fromEntries(open.map((name) => [name, {}]));
  const extra = isOpen ? { required: [] } : {};
  return { ...schema, ...extra, properties: { ...properties, ...any } };
}

function readObject(tokens: readonly Token[], start: number): Read | undefined {
  if (!isMark(tokens[start], '{')) return undefined;
  const value: Record<string, JsonValue> = {};
  const open: string[] = [];
  let isOpen = false;
  let at = start + 1;
  for (;;) {
    if (isMark(tokens[at], '}')) return { value, open, isOpen, next: at + 1 };
    const token = tokens[at];
    if (token === undefined) return undefined;
    const key = keyOf(token);
    if (key === undefined) {
      isOpen = true;
      at = skipValue(tokens, at);
    } else if (isMark(tokens[at + 1], ':')) {
      const read = readValue(tokens, at + 2);
      if (read === undefined) {
        open.push(key);
        value[key] = null;
        at = skipValue(tokens, at + 2);
      } else {
        value[key] = read.value;
        at = read.next;
      }
    } else {
      // `{name}` or a method.
      open.push(key);
      value[key] = null;
      at = skipValue(tokens, at + 1);
    }
    if (isMark(tokens[at], ',')) at += 1;
    else if (!isMark(tokens[at], '}')) return undefined;
  }
}

/** A whole literal that ends at a comma or a closing bracket. */
function readValue(
  tokens: readonly Token[],
  at: number,
): { readonly value: JsonValue; readonly next: number } | undefined {
  const read = readLiteral(tokens, at);
  if (read === undefined) return undefined;
  const after = tokens[read.next];
  return [',', '}', ']'].some((text) => isMark(after, text)) ? read : undefined;
}

function readLiteral(
  tokens: readonly Token[],
  at: number,
): { readonly value: JsonValue; readonly next: number } | undefined {
  const token = tokens[at];
  if (token?.kind === 'string' || token?.kind === 'number') {
    return { value: token.value, next: at + 1 };
  }
  if (token?.kind === 'name') {
    const value = { true: true, false: false, null: null }[token.text];
    return value === undefined ? undefined : { value, next: at + 1 };
  }
  if (isMark(token, '-')) {
    const number = tokens[at + 1];
    return number?.kind === 'number' ? { value: -number.value, next: at + 2 } : undefined;
  }
  if (isMark(token, '[')) return readArray(tokens, at);
  const object = readObject(tokens, at);
  return object === undefined || object.isOpen || object.open.length > 0 ? undefined : object;
}

function readArray(tokens: readonly Token[], start: number) {
  const value: JsonValue[] = [];
  let at = start + 1;
  while (!isMark(tokens[at], ']')) {
    const read = readValue(tokens, at);
    if (read === undefined) return undefined;
    value.push(read.value);
    at = read.next;
    if (isMark(tokens[at], ',')) at += 1;
  }
  return { value, next: at + 1 };
}

/** To the comma or bracket that ends the value. */
function skipValue(tokens: readonly Token[], start: number): number {
  let depth = 0;
  let at = start;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if (['(', '[', '{'].includes(token.text)) depth += 1;
    else if (depth === 0 && [',', '}', ']', ')'].includes(token.text)) return at;
    else if ([')', ']', '}'].includes(token.text)) depth -= 1;
  }
  return at;
}

function keyOf(token: Token): string | undefined {
  if (token.kind === 'name') return token.text;
  if (token.kind === 'string') return token.value;
  return token.kind === 'number' ? String(token.value) : undefined;
}
