/** Text within a number of columns. Pure; expects escaped text. */

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The beginning of the text in at most `columns` columns, with `…` where it was cut. Never cuts a cluster. */
export function cutToWidth(text: string, columns: number): string {
  // No cluster takes more room than its units, so a short text needs no look at its clusters.
  if (text.length * 2 <= columns || Bun.stringWidth(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const width = Bun.stringWidth(segment);
    if (used + width > columns - 1) break;
    kept += segment;
    used += width;
  }
  return `${kept}…`;
}

/** The text filled up with spaces to `columns`. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - Bun.stringWidth(text)));
}

/**
 * Lines wider than `columns` broken at spaces, each further part below the text of its line and never at the
 * start of one. A word that is wider than that, such as an address, stays whole. Escape sequences are no width.
 */
export function foldAtSpaces(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, columns))
    .join('\n');
}

function foldLine(line: string, columns: number): readonly string[] {
  if (line.length * 2 <= columns || Bun.stringWidth(line) <= columns) return [line];
  const [mark = ''] = /^(?: {2}\| )? */.exec(line) ?? [];
  const lead = mark === '' ? '  ' : mark;
  const lines: string[] = [];
  let current = '';
  for (const word of line.slice(mark.length).split(/(?<= )(?=[^ ])/)) {
    const start = lines.length === 0 ? mark : lead;
    const isFull = Bun.stringWidth(start + current + word.trimEnd()) > columns;
    if (isFull && current !== '') {
      lines.push(start + current.trimEnd());
      current = word;
    } else current += word;
  }
  return [...lines, (lines.length === 0 ? mark : lead) + current];
}
