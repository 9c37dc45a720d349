import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  countCharacters,
  cutToCharacters,
  displayWidth,
  escapeForTerminal,
  foldAtSpaces,
  groupDigits,
  lastCharacters,
  nearestMatches,
  shorten,
  wrap,
} from '../../src/base/text.ts';
import { TEST_SEED } from '../helpers/seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('cutting', () => {
  test('counts and cuts at code points', () => {
    expect([
      countCharacters('a😀b'),
      cutToCharacters('a😀b', 2),
      lastCharacters('a😀b', 2),
      shorten('a😀b', 2),
      shorten('a😀b', 3),
      cutToCharacters('\ud83d\ud83d', 1),
    ]).toEqual([3, 'a😀', '😀b', 'a…', 'a😀b', '\ud83d']);
  });

  test('agrees with the code points of any text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(70), (text, count) => {
        const characters = [...text];
        expect(countCharacters(text)).toBe(characters.length);
        expect(cutToCharacters(text, count)).toBe(characters.slice(0, count).join(''));
        expect(lastCharacters(text, count)).toBe(
          count === 0 ? '' : characters.slice(-count).join(''),
        );
      }),
    );
  });
});

describe('escaping for a terminal', () => {
  test('makes control, bidi and invisible characters visible and keeps the rest', () => {
    expect([
      escapeForTerminal('a\u001b[31m\u0007\n\tb'),
      escapeForTerminal('x\u202ey\u200bz\u{e0041}'),
      escapeForTerminal('👨‍👩‍👧 é שלום می‌خواهم ❤️'),
      escapeForTerminal('\ud83d'),
      escapeForTerminal('a\rb\u0085'),
    ]).toEqual([
      'a\\u{1b}[31m\\u{7}\n\tb',
      'x\\u{202e}y\\u{200b}z\\u{e0041}',
      '👨‍👩‍👧 é שלום می‌خواهم ❤️',
      '\ufffd',
      'a\\u{d}b\\u{85}',
    ]);
  });

  test('no text keeps a control character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(escapeForTerminal(text)).not.toMatch(
          /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u{e0000}-\u{e007f}]/u,
        );
      }),
    );
  });
});

describe('wrapping', () => {
  test('breaks at spaces, long words anywhere, keeps line ends', () => {
    expect([
      wrap('one two three', 8),
      wrap('abcdefghij', 4),
      wrap('日本語', 4),
      wrap('a\n\nb', 10),
      wrap('', 10),
      wrap('  indented text here', 12),
    ]).toEqual([
      ['one two', 'three'],
      ['abcd', 'efgh', 'ij'],
      ['日本', '語'],
      ['a', '', 'b'],
      [''],
      ['  indented', 'text here'],
    ]);
  });

  test('no line is wider than the width', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'bb', ' ', '日', '\n'), maxLength: 80 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (line, width) => {
        for (const piece of wrap(line, width))
          expect(displayWidth(piece)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('nearest matches', () => {
  const names = ['search_code', 'get_issue', 'list_issues', 'delete_repo'];

  test('finds slips, swaps and parts; not other words', () => {
    expect([
      nearestMatches('serch_code', names),
      nearestMatches('get_isuse', names),
      nearestMatches('issue', names),
      nearestMatches('GET_ISSUE', names, 1),
      nearestMatches('zzz', names),
      nearestMatches('', names),
    ]).toEqual([
      ['search_code'],
      ['get_issue'],
      ['get_issue', 'list_issues'],
      ['get_issue'],
      [],
      [],
    ]);
  });

  test('a word that only looks a little alike is no match', () => {
    const flags = ['version', 'server', 'all', 'tool', 'config', 'timeout'];
    expect([
      nearestMatches('session', flags),
      nearestMatches('install', flags),
      nearestMatches('ephemeral', flags),
      nearestMatches('continue', flags),
      nearestMatches('timoeut', flags),
      nearestMatches('confg', flags),
      nearestMatches('servers', flags),
      nearestMatches('tools', flags),
    ]).toEqual([[], [], [], [], ['timeout'], ['config'], ['server'], ['tool']]);
  });

  test('a long word is bounded work', () => {
    expect(nearestMatches('x'.repeat(1_000_000), names)).toEqual([]);
  });
});

test.each([
  [0, '0'],
  [999, '999'],
  [1372, '1,372'],
  [10_000_000, '10,000,000'],
])('groups the digits of %p', (value, text) => {
  expect(groupDigits(value)).toBe(text);
});

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
