/** One problem of a configuration file, and its text for people: place, path, sentence, line, caret. */
import type { ConfigFile } from './yaml.ts';

export type PathItem = string | number;

export interface Problem {
  /** Offset in the file's text, where the caret stands; `undefined`: the file as a whole. */
  readonly offset: number | undefined;
  /** Keys from the root. */
  readonly path: readonly PathItem[];
  /** What was expected and what was found; never a secret. */
  readonly text: string;
}

/** A broken rule; `path` is below the entry, `part` where the caret stands. */
export interface RuleBreak {
  readonly path: readonly PathItem[];
  readonly text: string;
  readonly part: 'key' | 'value';
}

/** Problems named of one block of a file, and shown in one message: finding a place costs time. */
export const MAX_PROBLEMS = 50;
/** Longest part of a line that is shown. */
const MAX_LINE = 100;

/**
 * `file:line:col path: text`, then the line and a caret under the column. Lines are shown with
 * secrets as `***`. `label` is the file as people know it.
 */
export function renderProblem(problem: Problem, file: ConfigFile): string {
  const path = showPath(problem.path, file.value);
  const sentence = path === '' ? problem.text : `${path}: ${problem.text}`;
  if (problem.offset === undefined) return `${file.label}: ${sentence}`;
  const { line, column, text, start } = file.lineAt(problem.offset);
  const head = `${file.label}:${line}:${column} ${sentence}`;
  if (text.trim() === '') return head;
  // Masking changes lengths: the caret stands where the masked beginning of the line ends.
  const before = file.mask(text.slice(0, problem.offset - start), start);
  return `${head}\n${excerpt(file.mask(text, start), before.length + 1)}`;
}

/** All problems in the order of the file, one below the other. */
export function renderProblems(problems: readonly Problem[], file: ConfigFile): string {
  const ordered = [...problems].sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  const shown = ordered.slice(0, MAX_PROBLEMS).map((problem) => renderProblem(problem, file));
  const hidden = ordered.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`… and ${hidden} more problems`] : [])].join('\n');
}

/** `servers.fs.timeout.idle`: an item of the server list by its name where it has one, else by index. */
export function showPath(path: readonly PathItem[], root: unknown): string {
  let shown = '';
  let value = root;
  for (const [depth, item] of path.entries()) {
    value = childOf(value, item);
    const isServer = typeof item === 'number' && path[depth - 1] === 'servers' && depth <= 2;
    const name = isServer ? childOf(value, 'name') : undefined;
    if (typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name)) shown += `.${name}`;
    else if (typeof item === 'number') shown += `[${item}]`;
    else shown += /^[\w$-]+$/.test(item) ? `.${item}` : `.${JSON.stringify(item.slice(0, 80))}`;
  }
  return shown.replace(/^\./, '');
}

/** The value below `item` of a mapping or list, else `undefined`. */
export function childOf(value: unknown, item: PathItem): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, item)?.value;
}

/** The value at `path`, else `undefined`. */
export function valueAt(root: unknown, path: readonly PathItem[]): unknown {
  return path.reduce<unknown>((value, item) => childOf(value, item), root);
}

/** The line with a caret under `column` (from 1), cut to a window around it, control characters replaced. */
function excerpt(line: string, column: number): string {
  const clean = line
    .replace(/\t/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd');
  const isShort = clean.length <= MAX_LINE || column <= MAX_LINE - 20;
  const from = isShort ? 0 : column - MAX_LINE / 2;
  const cut = clean.slice(from, from + MAX_LINE);
  const before = Bun.stringWidth(clean.slice(from, column - 1)) + (from > 0 ? 1 : 0);
  const tail = from + MAX_LINE < clean.length ? '…' : '';
  return `  ${from > 0 ? '…' : ''}${cut.trimEnd()}${tail}\n  ${' '.repeat(before)}^`;
}
