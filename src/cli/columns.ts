/** Two columns for people and pipes: a name, then what it is about. */
import { displayWidth, escapeForTerminal, shorten } from '../base/text.ts';

/** A wider name pushes its own line only. */
const MAX_WIDTH = 48;
/** A description is cut to this where it is printed beside its name. */
const MAX_DESCRIPTION = 100;

/** One line per row, each with its newline, also where a server put line ends into the name. */
export function twoColumns(given: readonly (readonly [string, string])[]): string {
  const rows = given.map(([name, text]) => [onOneLine(name), text] as const);
  const width = Math.min(MAX_WIDTH, Math.max(0, ...rows.map(([name]) => displayWidth(name))));
  return rows
    .map(([name, text]) => `${name}${' '.repeat(Math.max(0, width - displayWidth(name)))}  ${text}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** The first line with anything on it, cut. */
export function firstLine(description: string | undefined): string {
  const line = (description ?? '').split(/[\r\n]/).find((text) => text.trim() !== '') ?? '';
  return shorten(line.trim(), MAX_DESCRIPTION);
}

function onOneLine(name: string): string {
  return escapeForTerminal(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
