/** Listings: as wide as the terminal there, whole in a pipe. */
import { expect, test } from 'bun:test';
import { twoColumns } from '../../src/cli/columns.ts';
import { createOutput } from '../../src/cli/output.ts';
import { memoryWriter } from './fakes.ts';

const ROWS = [
  ['files/read_file', 'Reads lines\tof a text file'],
  ['files/日本', '\u001b[31mred'],
  ['files/a_name_that_is_wide', 'Gone'],
] as const;

test.each([
  [
    undefined,
    'files/read_file            Reads lines\tof a text file\nfiles/日本                 \u001b[31mred\nfiles/a_name_that_is_wide  Gone\n',
  ],
  [
    40,
    'files/read_file            Reads lines…\nfiles/日本                 \\u{1b}[31mr…\nfiles/a_name_that_is_wide  Gone\n',
  ],
  [28, 'files/read_file\nfiles/日本\nfiles/a_name_that_is_wide\n'],
])('two columns for a terminal of %p columns', (columns, text) => {
  expect(twoColumns(ROWS, columns)).toBe(text);
});

test('stdout knows its width at a terminal only', () => {
  const at = (isTerminal: boolean, columns?: number) =>
    createOutput(memoryWriter(), isTerminal, () => columns).columns();
  expect([at(true, 40), at(true, 0), at(true), at(false, 40)]).toEqual([40, 80, 80, undefined]);
});
