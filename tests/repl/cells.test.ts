import { describe, expect, test } from 'bun:test';
import { foldAtSpaces } from '../../src/repl/cells.ts';

describe('foldAtSpaces', () => {
  test.each([
    ['short enough', 12, 'short enough'],
    ['one two three', 8, 'one two\n  three'],
    ['  indented text', 12, '  indented\n  text'],
    ['  | of somebody else', 14, '  | of\n  | somebody\n  | else'],
    ['see https://a.example/long/way now', 12, 'see\n  https://a.example/long/way\n  now'],
    ['https://a.example/long', 10, 'https://a.example/long'],
    ['a  b\n\nc d e', 4, 'a  b\n\nc d\n  e'],
    ['日本 日本 日本', 9, '日本 日本\n  日本'],
    ['\u001b[2mone two\u001b[22m', 7, '\u001b[2mone two\u001b[22m'],
    ['', 5, ''],
  ])('%j in %i columns', (text, columns, folded) => {
    expect(foldAtSpaces(text, columns)).toBe(folded);
  });

  test('no further part stands at the start of a line', () => {
    const lines = foldAtSpaces('✗ they say: error: usher is wrong, so run this', 12).split('\n');
    expect(lines.slice(1).filter((line) => !line.startsWith('  '))).toEqual([]);
  });
});
