import { describe, expect, test } from 'bun:test';
import { utf8Pieces } from '../../src/base/utf8.ts';

const SIZE = 64 * 1024;

describe('utf8Pieces', () => {
  test.each([
    ['nothing', ''],
    ['a short text', 'grüße 😀'],
    ['a pair across the end of a piece', `${'a'.repeat(SIZE - 1)}😀b`],
    ['wide characters beyond one piece', '漢'.repeat(3 * SIZE + 5)],
    ['a lone surrogate at the end of a piece', `${'a'.repeat(SIZE - 1)}\ud83d`],
    [
      'a lone surrogate before the end of a piece',
      `${'a'.repeat(SIZE - 2)}\ud83db${'c'.repeat(9)}`,
    ],
  ])('gives the bytes of %s', (_, text) => {
    // The buffer is used again, so pieces are copied as they come.
    const copies: Uint8Array[] = [];
    for (const piece of utf8Pieces(text)) copies.push(piece.slice());
    expect(Buffer.concat(copies).equals(Buffer.from(text))).toBe(true);
  });
});
