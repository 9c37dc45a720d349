/** How help pages are laid out: two columns where there is room, texts broken at spaces, words never. */
import { displayWidth, foldAtSpaces, wrap } from '../base/text.ts';
import { VERSION } from '../base/version.ts';
import { type FlagName, findFlag } from './flags.ts';

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

/**
 * Flags with their short forms and values; values that are too many for the column go into the text. On the page of
 * an `action` of mcp, texts do not say again what they are about.
 */
export function flagRows(flags: readonly FlagName[], action?: string): readonly Row[] {
  return flags.map((name): Row => {
    const flag = findFlag(name);
    const lead = flag?.short === undefined ? '      ' : `  -${flag.short}, `;
    if (flag === undefined || flag.kind === 'switch' || flag.kind === 'count') {
      return [`${lead}--${name}`, textFor(flag?.help ?? '', action)];
    }
    const choices = flag.choices?.join('|');
    const isLong = choices !== undefined && choices.length > MAX_CHOICES;
    const value = isLong ? 'VALUE' : (choices ?? flag.hint ?? 'VALUE');
    const help = textFor(flag.help, action);
    const text = isLong ? `${help}: ${flag.choices?.join(', ')}` : help;
    return [`${lead}--${name}=<${value}>`, text];
  });
}

const MAX_CHOICES = 30;

/** `mcp lock, mcp approve: what …` and `call: …; mcp list: what …` without what leads there. */
function textFor(help: string, action: string | undefined): string {
  if (action === undefined) return help;
  const own = new RegExp(`(?:^|; )(?:[a-z ]+, )*(?:mcp )?${action}(?:, [a-z ]+)*: (.*)$`);
  return own.exec(help)?.[1] ?? help;
}

/** Commands or actions, set in. */
export function commandRows(rows: readonly Row[]): readonly Row[] {
  return rows.map(([name, text]) => [`  ${name}`, text]);
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
