/**
 * The words of a script, enough to find calls of tools and their literal arguments. No parser: what it cannot
 * be sure of is left alone. Linear; comments and white space are skipped.
 */

export type Token =
  | { readonly kind: 'name' | 'mark'; readonly text: string; readonly line: number }
  | { readonly kind: 'string'; readonly value: string; readonly line: number }
  | { readonly kind: 'number'; readonly value: number; readonly line: number }
  /** A template, a regular expression or anything else that is no plain value. */
  | { readonly kind: 'other'; readonly line: number };

const SPACE = /[\s\ufeff]+/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER =
  /(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)n?/y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const MARK = /\?\.|\.\.\.|=>|[\s\S]/y;
/** After these a slash divides. */
const VALUE_END = /^[)\]}]$/;
const OPERATOR_NAMES = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'await',
  'void',
  'delete',
  'new',
  'else',
  'do',
  'yield',
  'throw',
  'instanceof',
]);

export function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

export function tokensOf(code: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(code)?.[0];
    if (text === undefined) return undefined;
    at += text.length;
    return text;
  };
  const countLines = (text: string) => {
    for (const character of text) if (character === '\n') line += 1;
  };
  while (at < code.length) {
    const skipped = take(SPACE) ?? take(COMMENT);
    if (skipped !== undefined) {
      countLines(skipped);
      continue;
    }
    const start = line;
    const name = take(NAME);
    if (name !== undefined) {
      tokens.push({ kind: 'name', text: name, line });
      continue;
    }
    const string = take(STRING);
    if (string !== undefined) {
      countLines(string);
      tokens.push(stringToken(string, start));
      continue;
    }
    const number = /[\d.]/.test(code[at] ?? '') ? take(NUMBER) : undefined;
    if (number !== undefined && number !== '') {
      tokens.push(numberToken(number, line));
      continue;
    }
    if (code[at] === '`') {
      const end = templateEnd(code, at);
      countLines(code.slice(at, end));
      at = end;
      tokens.push({ kind: 'other', line: start });
      continue;
    }
    if (code[at] === '/' && startsRegex(tokens.at(-1)) && take(REGEX) !== undefined) {
      tokens.push({ kind: 'other', line });
      continue;
    }
    tokens.push({ kind: 'mark', text: take(MARK) ?? '', line });
  }
  return tokens;
}

function startsRegex(last: Token | undefined): boolean {
  if (last === undefined) return true;
  if (last.kind === 'name') return OPERATOR_NAMES.has(last.text);
  return last.kind === 'mark' && !VALUE_END.test(last.text);
}

/** Behind the closing backtick; substitutions may hold templates of their own. */
function templateEnd(code: string, start: number): number {
  /** Depth of braces inside each open substitution. */
  const open: number[] = [];
  let inText = true;
  for (let at = start + 1; at < code.length; at += 1) {
    const character = code[at];
    if (inText) {
      if (character === '\\') at += 1;
      else if (character === '`') {
        if (open.length === 0) return at + 1;
        inText = false;
      } else if (character === '$' && code[at + 1] === '{') {
        open.push(0);
        at += 1;
        inText = false;
      }
      continue;
    }
    const depth = open.at(-1) ?? 0;
    if (character === '`') inText = true;
    else if (character === '{') open[open.length - 1] = depth + 1;
    else if (character === '}' && depth > 0) open[open.length - 1] = depth - 1;
    else if (character === '}') {
      open.pop();
      inText = true;
    }
  }
  return code.length;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

function stringToken(text: string, line: number): Token {
  const body = text.slice(1, -1);
  const value = body.replace(
    /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|([\s\S]))/g,
    (_whole, point, unit, byte, newline, single) => {
      const code = point ?? unit ?? byte;
      if (code !== undefined) return characterOf(Number.parseInt(String(code), 16));
      if (newline !== undefined) return '';
      return ESCAPES[String(single)] ?? String(single);
    },
  );
  return { kind: 'string', value, line };
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

function numberToken(text: string, line: number): Token {
  if (text.endsWith('n') && !/^0[xX]/.test(text)) return { kind: 'other', line };
  const value = Number(text.replaceAll('_', ''));
  return Number.isNaN(value) ? { kind: 'mark', text, line } : { kind: 'number', value, line };
}
