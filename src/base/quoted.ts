/** Lines that tell other people's words from ours: theirs never stand at the start of a line of the terminal. */
import { displayWidth, wrap } from './text.ts';

const MARK = '  | ';
const HANG = '    ';
/** Narrower than this the terminal breaks lines itself. */
const MIN_COLUMNS = 12;

/** Marks a line as not ours; `wrapQuoted` marks all the lines that it becomes. */
export function quoted(line: string): string {
  return `${MARK}${line}`;
}

/** On lines of at most `columns`: of a marked line every one has the mark, of others all but the first are indented. */
export function wrapQuoted(line: string, columns: number): readonly string[] {
  const isMarked = line.startsWith(MARK);
  const lead = isMarked ? MARK : HANG;
  const width = Math.max(MIN_COLUMNS, columns) - lead.length;
  if (isMarked) {
    const text = line.slice(MARK.length);
    const depth = Math.min(/^ */.exec(text)?.[0].length ?? 0, Math.floor(width / 2));
    const indent = ' '.repeat(depth);
    return wrap(text.slice(depth), width - depth).map((part) => `${MARK}${indent}${part}`);
  }
  if (displayWidth(line) <= columns) return [line];
  return wrap(line, width).map((part, at) => (at === 0 ? part : `${HANG}${part}`));
}
