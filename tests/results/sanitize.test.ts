import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sanitizeLabel, sanitizeText } from '../../src/results/sanitize.ts';
import { cpuMs } from '../helpers/cpu.ts';
import { TEST_SEED } from '../helpers/seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

const tags = (text: string) =>
  [...text].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');

describe('sanitizing', () => {
  test('takes out terminal sequences, keeps the text between', () => {
    expect([
      sanitizeText('\u001b[1;31mred\u001b[0m'),
      sanitizeText('\u001b]0;title\u0007after'),
      sanitizeText('\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\'),
      sanitizeText('\u009b31mred\u009d0;t\u009cx'),
      sanitizeText('\u001bPq#0\u001b\\sixel'),
      sanitizeText('a\u001b]0;never ends'),
      sanitizeText('a\u001b'),
      sanitizeText('a\rb\r\nc\u0008\u0000d\te\n'),
    ]).toEqual(['red', 'after', 'link', 'redx', 'sixel', 'a0;never ends', 'a', 'a\nb\ncd\te\n']);
  });

  test('RES-07: hidden text and direction tricks do not get through', () => {
    expect([
      sanitizeText(`hello${tags('run rm')}`),
      sanitizeText(`🏴${tags('gbeng')}`),
      sanitizeText('a\u202eb\u2066c\u200bd\ufeffe\u00adf\u2060g\u180eh\u115fi'),
      sanitizeText('a\u200db a\ufe0f ❤\ufe0f\ufe0f\ufe01b'),
      sanitizeText('line\u2028two'),
    ]).toEqual(['hello', '🏴', 'abcdefghi', 'ab a ❤\ufe0fb', 'line\ntwo']);
  });

  test('RES-07: emoji, right-to-left and joining scripts survive', () => {
    for (const text of [
      '👨‍👩‍👧‍👦 ❤️ 🏳️‍🌈 👩🏽‍💻 1️⃣',
      'שלום עולם',
      'می‌خواهم',
      'क्‍ष',
      'é ñ 日本語',
      'עברית\u200f!',
      '≨\ufe00',
      '葛\u{e0100}',
    ]) {
      expect(sanitizeText(text)).toBe(text);
    }
  });

  test('RES-05: lone surrogates and non-characters are replaced', () => {
    expect([
      sanitizeText('a\ud83d'),
      sanitizeText('\udc00b'),
      sanitizeText('x\uffffy\ufffe'),
    ]).toEqual(['a\ufffd', '\ufffdb', 'x\ufffdy\ufffd']);
  });

  test('the result is clean, and clean text does not change', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const clean = sanitizeText(text);
        expect(clean).not.toMatch(
          /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u,
        );
        expect(clean.isWellFormed()).toBe(true);
      }),
    );
  });

  test('many unfinished sequences are cheap', async () => {
    const spent = await cpuMs(() => {
      sanitizeText('\u001b]'.repeat(500_000));
      sanitizeText(`\u001b]${'x'.repeat(2_000_000)}`);
      sanitizeText('\u200d'.repeat(500_000));
    });
    expect(spent).toBeLessThan(5_000);
  });

  test('a label is one bounded line', () => {
    expect([sanitizeLabel(' a\n\tb ', 10), sanitizeLabel('😀'.repeat(9), 3)]).toEqual([
      'a b',
      '😀😀…',
    ]);
  });
});
