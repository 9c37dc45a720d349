/**
 * Where an edited line stands on the screen: rows no wider than the terminal, and the cursor's place.
 * Pure. Widths are Bun.stringWidth's, which counts wide characters and emoji as terminals do.
 */

export interface Layout {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  /** 0-based, at most `columns - 1`. */
  readonly cursorColumn: number;
}

export interface LayoutInput {
  readonly prompt: string;
  readonly text: string;
  /** UTF-16 index in `text`. */
  readonly cursor: number;
  readonly columns: number;
}

const TAB = '    ';
const PLAIN = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The prompt and the line as rows. Rows after a line end are indented to the prompt's width. */
export function layOut({ prompt, text, cursor, columns }: LayoutInput): Layout {
  const width = Math.max(2, columns);
  const indent = ' '.repeat(Math.min(Bun.stringWidth(prompt), width - 1));
  const rows: string[] = [];
  let place = { cursorRow: 0, cursorColumn: 0 };
  let offset = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const local = cursor - offset;
    const isHere = local >= 0 && local <= line.length;
    const wrapped = wrapLine(index === 0 ? prompt : indent, line, isHere ? local : -1, width);
    if (isHere) {
      place = { cursorRow: rows.length + wrapped.cursorRow, cursorColumn: wrapped.cursorColumn };
    }
    rows.push(...wrapped.rows);
    offset += line.length + 1;
  }
  return { rows, ...place };
}

/** At most `height` rows around the cursor's row. */
export function windowOf(layout: Layout, height: number): Layout {
  if (layout.rows.length <= height) return layout;
  const last = Math.max(layout.rows.length - height, 0);
  const first = Math.min(last, Math.max(0, layout.cursorRow - height + 1));
  return {
    rows: layout.rows.slice(first, first + height),
    cursorRow: layout.cursorRow - first,
    cursorColumn: layout.cursorColumn,
  };
}

function wrapLine(prefix: string, line: string, cursor: number, width: number): Layout {
  const rows: string[] = [];
  let row = prefix;
  let used = Bun.stringWidth(prefix);
  let cursorRow = 0;
  let cursorColumn = 0;
  let at = 0;
  for (const cell of cellsOf(line, Math.max(1, width - used), width)) {
    if (used + cell.width > width) {
      rows.push(row);
      row = '';
      used = 0;
    }
    if (cursor >= at && cursor < at + cell.length) {
      cursorRow = rows.length;
      // Only plain runs are longer than one cluster: there one unit is one column.
      cursorColumn = used + (cursor - at);
    }
    row += cell.shown;
    used += cell.width;
    at += cell.length;
  }
  if (cursor === line.length) {
    // A full row leaves no column for the cursor: it stands on the next one.
    if (used >= width) {
      rows.push(row);
      row = '';
      used = 0;
    }
    cursorRow = rows.length;
    cursorColumn = used;
  }
  rows.push(row);
  return { rows, cursorRow, cursorColumn };
}

interface Cell {
  readonly shown: string;
  readonly width: number;
  /** UTF-16 units of the line. */
  readonly length: number;
}

/** Clusters of the line; a line of plain ASCII comes in whole rows, which keeps long pastes fast. */
function* cellsOf(line: string, firstRow: number, width: number): Generator<Cell> {
  if (PLAIN.test(line)) {
    let at = 0;
    let size = firstRow;
    while (at < line.length) {
      const shown = line.slice(at, at + size);
      yield { shown, width: shown.length, length: shown.length };
      at += size;
      size = width;
    }
    return;
  }
  for (const { segment } of graphemes.segment(line)) {
    const shown = segment === '\t' ? TAB : segment;
    yield { shown, width: Bun.stringWidth(shown), length: segment.length };
  }
}
