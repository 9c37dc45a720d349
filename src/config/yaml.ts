/**
 * YAML text in, plain values and positions out. Plain scalars that YAML reads as numbers or
 * booleans become `PlainScalar`, so that their text is kept. Knows nothing of servers or models.
 * @see YAML 1.2.2, core schema; merge keys (`<<`) as in YAML 1.1.
 */
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import { maskLine, type SecretRange, secretRanges } from './mask.ts';
import type { PathItem, Problem } from './problem.ts';
import { syntaxText } from './syntax.ts';
import { Walk } from './walk.ts';

export interface ConfigFile {
  /** The file as people know it. */
  readonly label: string;
  /** Absolute path. */
  readonly path: string;
  /** Mappings as objects, lists as arrays, text as string, other plain scalars as PlainScalar; `null` when empty. */
  readonly value: unknown;
  /** Syntax problems; with any, `value` may be incomplete. */
  readonly problems: readonly Problem[];
  /** Offset of the value at `path`, or of its key, or of the nearest parent that exists. */
  offsetOf(path: readonly PathItem[], part?: 'key' | 'value'): number;
  /** Where an offset is for people. */
  lineAt(offset: number): LinePlace;
  /** A line of this file with the secrets in it as `***`; the length may change. */
  mask(line: string, start: number): string;
}

/** `line` and `column` from 1; `text` is the line, of a very long one the part around the place; `start` is its offset. */
export interface LinePlace {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly start: number;
}

/** Characters of a line that are looked at before and after a place. */
const LINE_WINDOW = 1000;

/** Parses one file's text. Never throws for what the text says; the problems are in the result. */
export function parseConfigText(text: string, label: string, path: string): ConfigFile {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text;
  const lines = new LineCounter();
  const document = parseDocument(source, {
    version: '1.2',
    lineCounter: lines,
    prettyErrors: false,
    // The library's own check is quadratic; `Walk` has a linear one.
    uniqueKeys: false,
    logLevel: 'error',
  });
  const walk = new Walk();
  const value = walk.convert(document.contents);
  const problems = [...document.errors, ...document.warnings].map(syntaxProblem);
  let ranges: readonly SecretRange[] | undefined;
  return {
    label,
    path,
    value,
    problems: [...firstOfEachLine(problems, lines), ...nulProblem(source), ...walk.problems],
    offsetOf: (wanted, part = 'value') => walk.locate(document, wanted, part),
    lineAt(offset) {
      const { line, col } = lines.linePos(Math.min(offset, source.length));
      const start = Math.max(lines.lineStarts[line - 1] ?? 0, offset - LINE_WINDOW);
      const [first = ''] = source.slice(start, offset + LINE_WINDOW).split(/\r?\n/, 1);
      return { line: Math.max(1, line), column: Math.max(1, col), text: first, start };
    },
    mask(line, start) {
      ranges ??= secretRanges(document.contents);
      return maskLine(line, start, ranges);
    },
  };
}

function syntaxProblem(error: YAMLError): Problem {
  return { offset: error.pos[0], path: [], text: syntaxText(error.code, error.message) };
}

/** One mistake often gives several errors in its line: the first one says it. */
function firstOfEachLine(problems: readonly Problem[], lines: LineCounter): readonly Problem[] {
  const seen = new Set<number>();
  return problems.filter((problem) => {
    const { line } = lines.linePos(problem.offset ?? 0);
    if (seen.has(line)) return false;
    seen.add(line);
    return true;
  });
}

function nulProblem(source: string): readonly Problem[] {
  const offset = source.indexOf('\0');
  return offset < 0 ? [] : [{ offset, path: [], text: 'a NUL character is not allowed' }];
}
