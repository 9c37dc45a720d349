/** Two columns for people and pipes: a name, then what it is about. */
import { cutToWidth, displayWidth, escapeForTerminal, shorten } from '../base/text.ts';

/** A wider name pushes its own line only. */
const MAX_WIDTH = 48;
/** A description is cut to this where it is printed beside its name. */
const MAX_DESCRIPTION = 100;

/** A terminal's lines are made for no less. */
const MIN_COLUMNS = 20;

/**
 * One line per row, each with its newline, also where a server put line ends into the name. With `columns`, the
 * terminal's width, texts are cut to it; names stay whole. Default: nothing is cut.
 */
export function twoColumns(
  given: readonly (readonly [string, string])[],
  columns?: number,
): string {
  const rows = given.map(([name, text]) => [onOneLine(name), text] as const);
  const width = Math.min(MAX_WIDTH, Math.max(0, ...rows.map(([name]) => displayWidth(name))));
  return rows
    .map(([name, text]) => {
      const head = `${name}${' '.repeat(Math.max(0, width - displayWidth(name)))}  `;
      return columns === undefined ? head + text : head + cutBehind(head, text, columns);
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** The first line with anything on it, cut. */
export function firstLine(description: string | undefined): string {
  const line = (description ?? '').split(/[\r\n]/).find((text) => text.trim() !== '') ?? '';
  return shorten(line.trim(), MAX_DESCRIPTION);
}

/** What of the text has room behind `head`; nothing where not even one character and `…` have. */
function cutBehind(head: string, text: string, columns: number): string {
  const room = Math.max(MIN_COLUMNS, columns - 1) - displayWidth(head);
  return room < 2 ? '' : cutToWidth(escapeForTerminal(text).replaceAll('\t', ' '), room);
}

function onOneLine(name: string): string {
  return escapeForTerminal(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
