/**
 * Other names of `tools` or of a part of it in a script: `const t = tools`, `const { a, b: c } = tools.server`.
 * No scopes: a name that is bound more than once is left alone, because nobody can say which one is meant.
 */
import { isMark, type Token } from './tokens.ts';

const DECLARING = new Set(['const', 'let', 'var']);
/** What stands before round brackets that are no parameters. */
const HEADS = new Set(['if', 'for', 'while', 'switch', 'with']);

/** The part of `tools` behind each name: `[]` is `tools` itself. */
export function findAliases(tokens: readonly Token[]): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map<string, readonly string[]>();
  const bound = new Map<string, number>();
  const bind = (name: string) => bound.set(name, (bound.get(name) ?? 0) + 1);
  tokens.forEach((token, index) => {
    if (isMark(token, '(') && isParameters(tokens, index)) {
      for (const name of namesBetween(tokens, index)) bind(name);
    }
    if (token.kind !== 'name' || isMember(tokens, index)) return;
    if (DECLARING.has(token.text)) {
      for (const [name, path] of readDeclared(tokens, index + 1)) aliases.set(name, path);
      for (const name of patternNames(tokens, index + 1)) bind(name);
    } else if (isBound(tokens, index)) bind(token.text);
  });
  return new Map([...aliases].filter(([name]) => bound.get(name) === 1));
}

/** `.a`, `.a[…]` and so on behind `start`, as long as the names are written out; two at most with `before`. */
export function readPath(
  tokens: readonly Token[],
  start: number,
  before: readonly string[] = [],
): { readonly names: readonly string[]; readonly next: number } {
  const names = [...before];
  let at = start;
  while (names.length < 2) {
    const dotted = isMark(tokens[at], '.') || isMark(tokens[at], '?.');
    const name = tokens[at + 1];
    if (dotted && name?.kind === 'name') {
      names.push(name.text);
      at += 2;
    } else if (isMark(tokens[at], '[') && name?.kind === 'string' && isMark(tokens[at + 2], ']')) {
      names.push(name.value);
      at += 3;
    } else break;
  }
  return { names, next: at };
}

/** True behind a dot: the member of something else. */
export function isMember(tokens: readonly Token[], index: number): boolean {
  return isMark(tokens[index - 1], '.') || isMark(tokens[index - 1], '?.');
}

/** What is declared at `start` as `tools`, or as a part of it. */
function readDeclared(
  tokens: readonly Token[],
  start: number,
): readonly (readonly [name: string, path: readonly string[]])[] {
  const token = tokens[start];
  if (token?.kind === 'name') {
    const path = isMark(tokens[start + 1], '=') ? readTools(tokens, start + 2) : undefined;
    return path === undefined ? [] : [[token.text, path]];
  }
  if (!isMark(token, '{')) return [];
  const end = closing(tokens, start);
  const path = isMark(tokens[end + 1], '=') ? readTools(tokens, end + 2) : undefined;
  return path === undefined ? [] : readPattern(tokens, start + 1, end, path);
}

/** `a` and `b: c`; what has a default, or stands for the rest, is no sure tool. */
function readPattern(
  tokens: readonly Token[],
  start: number,
  end: number,
  path: readonly string[],
): readonly (readonly [string, readonly string[]])[] {
  const found: (readonly [string, readonly string[]])[] = [];
  for (let at = start; at < end; at += 1) {
    const key = tokens[at];
    if (key?.kind !== 'name' && key?.kind !== 'string') continue;
    if (!isMark(tokens[at - 1], ',') && at !== start) continue;
    const name = key.kind === 'string' ? key.value : key.text;
    const renamed = isMark(tokens[at + 1], ':') ? tokens[at + 2] : key;
    const after = tokens[renamed === key ? at + 1 : at + 3];
    const isWhole = isMark(after, ',') || isMark(after, '}');
    if (renamed?.kind === 'name' && isWhole) found.push([renamed.text, [...path, name]]);
  }
  return found;
}

/** `tools` or a part of it, when nothing more is done to it. */
function readTools(tokens: readonly Token[], start: number): readonly string[] | undefined {
  const root = tokens[start];
  if (root?.kind !== 'name' || root.text !== 'tools') return undefined;
  const { names, next } = readPath(tokens, start + 1);
  const after = tokens[next];
  const last = tokens[next - 1];
  const isNewLine = after !== undefined && last !== undefined && after.line > last.line;
  const isOver = after === undefined || isMark(after, ';') || isMark(after, ',');
  return isOver || (isNewLine && after.kind === 'name') ? names : undefined;
}

/** Names bound by a pattern, or by a declaration without a value. */
function patternNames(tokens: readonly Token[], start: number): readonly string[] {
  const token = tokens[start];
  if (token?.kind === 'name') return isMark(tokens[start + 1], '=') ? [] : [token.text];
  return isMark(token, '{') || isMark(token, '[') ? namesBetween(tokens, start) : [];
}

/** `name = …`, `name => …`, `function name`, `class name`. */
function isBound(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  const isNamed =
    before?.kind === 'name' && (before.text === 'function' || before.text === 'class');
  const isAssigned = isMark(tokens[index + 1], '=') && !isMark(tokens[index + 2], '=');
  return isNamed || isAssigned || isMark(tokens[index + 1], '=>');
}

/** Of a function, a method or a catch. */
function isParameters(tokens: readonly Token[], open: number): boolean {
  const before = tokens[open - 1];
  if (before?.kind === 'name' && HEADS.has(before.text)) return false;
  const after = tokens[closing(tokens, open) + 1];
  return isMark(after, '=>') || isMark(after, '{');
}

/** All names up to the bracket that closes the one at `open`; more than are bound, to be sure. */
function namesBetween(tokens: readonly Token[], open: number): readonly string[] {
  const names: string[] = [];
  const end = closing(tokens, open);
  for (let at = open + 1; at < end; at += 1) {
    const token = tokens[at];
    const isKey = isMark(tokens[at + 1], ':');
    if (token?.kind === 'name' && !isKey && !isMember(tokens, at)) names.push(token.text);
  }
  return names;
}

/** Where the bracket at `open` is closed, or the end. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if ('([{'.includes(token.text)) depth += 1;
    else if (')]}'.includes(token.text)) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}
