/**
 * Text on its way to a terminal: what servers and models say must not move the cursor, change
 * colours, set titles or hide characters. Pure; raw output on pipes does not pass here.
 */

/** C0 without tab and newline, DEL, C1, bidi controls, zero-width characters, tags, lone surrogates. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /\p{Mn}|\p{Me}|\u200d|[\ufe00-\ufe0f]/u;

/** The text with every unsafe character shown as `\xNN` or `\u{NNNN}`. Tab and newline stay. */
export function escapeForTerminal(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u{${code.toString(16).padStart(4, '0')}}`;
  });
}

/** As `escapeForTerminal`, on one line: newline and tab become `\n` and `\t`. */
export function escapeToOneLine(text: string): string {
  return escapeForTerminal(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Columns that escaped text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (ZERO_WIDTH.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/** The beginning of the text, at most `columns` wide, with `…` where something is missing. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const character of text) {
    const step = displayWidth(character);
    if (width + step > columns - 1) break;
    width += step;
    kept += character;
  }
  return `${kept}…`;
}

/** Words joined by `separator`, broken into lines of at most `columns`; a longer word has its own line. */
export function wrapWords(
  words: readonly string[],
  separator: string,
  columns: number,
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  words.forEach((word, index) => {
    const piece = index === words.length - 1 ? word : `${word}${separator.trimEnd()}`;
    if (line !== '' && displayWidth(line) + 1 + displayWidth(piece) > columns) {
      lines.push(line);
      line = piece;
    } else {
      line = line === '' ? piece : `${line} ${piece}`;
    }
  });
  if (line !== '') lines.push(line);
  return lines;
}
