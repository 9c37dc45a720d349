import { expect, test } from 'bun:test';
import { helpLines } from '../../src/repl/help.ts';

const words = (lines: readonly string[]) => lines.join(' ').split(/\s+/).filter(Boolean);

test.each([80, 40, 25])('at %d columns every line fits and no word is broken', (columns) => {
  const lines = helpLines(columns);
  const widest = Math.max(...lines.map((line) => Bun.stringWidth(line)));
  // The longest usage line is wider than the narrowest terminal has room for.
  expect(widest).toBeLessThan(columns);
  expect(words(lines)).toEqual(words(helpLines(500)));
});

test('a text that does not fit goes on below its own beginning', () => {
  const lines = helpLines(80);
  const at = lines.findIndex((line) => line.startsWith('  /permissions [SERVER]'));
  expect(lines.slice(at, at + 2)).toEqual([
    '  /permissions [SERVER]  what a call of the model meets, which rule says so,',
    '                         what you allowed',
  ]);
  const narrow = helpLines(40);
  expect(narrow.slice(narrow.indexOf('  /help'), narrow.indexOf('  /help') + 2)).toEqual([
    '  /help',
    '      this text',
  ]);
});
