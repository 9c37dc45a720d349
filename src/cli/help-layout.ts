/** How help pages are laid out: two columns where there is room, texts broken at spaces, words never. */
import { displayWidth, foldAtSpaces, wrap } from '../base/text.ts';
import { VERSION } from '../base/version.ts';

export type Row = readonly [name: string, text: string];

/** Where texts begin, unless the names are all shorter. */
const TEXT_COLUMN = 30;
/** Below this width texts stand below their names. */
const MIN_TWO_COLUMNS = 60;
const TEXT_INDENT = 8;
/** Between a name and its text. */
const GAP = 2;

/** What it does, and which program says so. */
export function headOf(name: string, help: string, columns: number): readonly string[] {
  const command = name === '' ? 'usher' : `usher ${name}`;
  return foldAtSpaces(`${help} (${command} v${VERSION})`, columns).split('\n');
}

/** `USAGE usher …`, broken between alternatives and words. */
export function usageLines(name: string, usage: string, columns: number): readonly string[] {
  const words = name === '' ? '[OPTIONS] --prompt TEXT | COMMAND' : `${name} [OPTIONS] ${usage}`;
  return foldAtSpaces(`USAGE usher ${words}`.trimEnd(), columns).split('\n');
}

/** Names and their texts in two columns; below a name that is too wide, and everywhere on a narrow terminal. */
export function layRows(rows: readonly Row[], columns: number): readonly string[] {
  const isNarrow = columns < MIN_TWO_COLUMNS;
  const widest = Math.max(0, ...rows.map(([name]) => displayWidth(name)));
  const at = isNarrow ? TEXT_INDENT : Math.min(TEXT_COLUMN, widest + GAP);
  const indent = ' '.repeat(at);
  return rows.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrap(text, Math.max(1, columns - at));
    const under = rest.map((line) => indent + line);
    return isNarrow || displayWidth(name) + GAP > at
      ? [name, indent + first, ...under]
      : [name.padEnd(at) + first, ...under];
  });
}
