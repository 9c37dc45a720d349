import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LimitError } from '../../src/base/errors.ts';
import { createLineSplitter } from '../../src/transport/lines.ts';
import { TEST_SEED } from '../helpers/seed.ts';

function split(bytes: Uint8Array, cuts: readonly number[], maxBytes = 1000): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter({ onLine: (line) => lines.push(line), maxBytes });
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  edges.sort((a, b) => a - b);
  for (const [index, edge] of edges.entries()) {
    splitter.feed(bytes.slice(edges[index - 1] ?? 0, edge));
  }
  const rest = splitter.end();
  return rest === undefined ? lines : [...lines, rest];
}

describe('line splitter', () => {
  test('gives the same lines however the bytes are cut', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => text.replace(/[\r\n\ufeff]/g, '_'));
    const input = fc.record({
      lines: fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\ufeff'))),
      cuts: fc.array(fc.nat(2000), { maxLength: 30 }),
    });
    fc.assert(
      fc.property(input, ({ lines, cuts }) => {
        const text = lines.map(([content, end, mark]) => mark + content + end).join('');
        expect(split(new TextEncoder().encode(text), cuts, 10_000)).toEqual(
          lines.map(([content]) => content),
        );
      }),
      { seed: TEST_SEED },
    );
  });

  test('gives the last line without its end only when asked', () => {
    expect(split(Buffer.from('a\nb'), [])).toEqual(['a', 'b']);
    expect(split(Buffer.from('a\n'), [])).toEqual(['a']);
  });

  test.each([[[]], [[3, 5, 7]]])('refuses a line one byte over the bound, cut at %j', (cuts) => {
    const exact = Buffer.from(`${'x'.repeat(10)}\n`);
    expect(split(exact, cuts, 10)).toEqual(['x'.repeat(10)]);
    const over = Buffer.from(`${'x'.repeat(11)}\n`);
    expect(() => split(over, cuts, 10)).toThrow(LimitError);
  });

  test('counts each line alone, not the buffer', () => {
    const bytes = Buffer.from('0123456789\n'.repeat(50));
    expect(split(bytes, [], 10)).toHaveLength(50);
  });
});
