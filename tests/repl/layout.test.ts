import { describe, expect, test } from 'bun:test';
import { layOut, windowOf } from '../../src/repl/layout.ts';

const PROMPT = '> ';

describe('layOut', () => {
  test('puts the cursor behind a short line', () => {
    expect(layOut({ prompt: PROMPT, text: 'abc', cursor: 3, columns: 10 })).toEqual({
      rows: ['> abc'],
      cursorRow: 0,
      cursorColumn: 5,
    });
  });

  test('wraps a long line and finds the cursor in it', () => {
    expect(layOut({ prompt: PROMPT, text: 'abcdefghij', cursor: 9, columns: 6 })).toEqual({
      rows: ['> abcd', 'efghij'],
      cursorRow: 1,
      cursorColumn: 5,
    });
  });

  test('gives the cursor a row of its own after a full row', () => {
    expect(layOut({ prompt: PROMPT, text: 'abcd', cursor: 4, columns: 6 })).toEqual({
      rows: ['> abcd', ''],
      cursorRow: 1,
      cursorColumn: 0,
    });
  });

  test('never cuts a wide character at the border', () => {
    expect(layOut({ prompt: PROMPT, text: '日本語', cursor: 2, columns: 7 })).toEqual({
      rows: ['> 日本', '語'],
      cursorRow: 1,
      cursorColumn: 0,
    });
  });

  test('indents the rows after a line end', () => {
    expect(layOut({ prompt: PROMPT, text: 'a\nbé\n', cursor: 3, columns: 20 })).toEqual({
      rows: ['> a', '  bé', '  '],
      cursorRow: 1,
      cursorColumn: 3,
    });
  });

  test('shows no row wider than the terminal', () => {
    const text = `plain ${'x'.repeat(50)}\n👨‍👩‍👧${'日'.repeat(30)}\tend`;
    for (let columns = 2; columns < 40; columns += 1) {
      for (const cursor of [0, 7, 30, 57, text.length]) {
        const layout = layOut({ prompt: PROMPT, text, cursor, columns });
        for (const row of layout.rows) {
          // A tab is four columns and cannot be cut.
          expect(Bun.stringWidth(row)).toBeLessThanOrEqual(Math.max(columns, 4));
        }
        expect(layout.cursorColumn).toBeLessThan(Math.max(columns, 4));
        expect(layout.cursorRow).toBeLessThan(layout.rows.length);
      }
    }
  });
});

describe('windowOf', () => {
  test('keeps the cursor in a window of the height', () => {
    const layout = layOut({ prompt: PROMPT, text: 'a\nb\nc\nd\ne', cursor: 0, columns: 20 });
    expect(windowOf(layout, 2).rows).toEqual(['> a', '  b']);
    expect(windowOf({ ...layout, cursorRow: 3 }, 2)).toEqual({
      rows: ['  c', '  d'],
      cursorRow: 1,
      cursorColumn: 2,
    });
  });
});
