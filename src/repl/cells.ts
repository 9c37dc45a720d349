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
