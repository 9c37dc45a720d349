import { expect, test } from 'bun:test';
import { CHAIN_START, readChain, sealLine } from '../../src/session/chain.ts';

/** Four whole lines. */
function journal(): string[] {
  let prev = CHAIN_START;
  return [1, 2, 3, 4].map((seq) => {
    const { text, hash } = sealLine({ seq, kind: 'intent', tool: `wörk ${seq}` }, prev);
    prev = hash;
    return text;
  });
}

const read = (lines: readonly string[], end = '\n') =>
  readChain(new TextEncoder().encode(lines.join('\n') + end));
const brokenAt = (lines: readonly string[]) => {
  const { broken, lines: good } = read(lines);
  return [broken?.line, broken?.reason, good.length];
};

test('whole lines are read in order', () => {
  const { lines, broken, tornBytes } = read(journal());
  expect(lines.map(({ seq, tool }) => [seq, tool])).toEqual(
    [1, 2, 3, 4].map((seq) => [seq, `wörk ${seq}`]),
  );
  expect([broken, tornBytes]).toEqual([undefined, 0]);
  expect(readChain(new Uint8Array())).toEqual({
    lines: [],
    hash: CHAIN_START,
    broken: undefined,
    tornBytes: 0,
  });
});

test('a changed, removed, repeated, moved, inserted or foreign line is found', () => {
  const [one = '', two = '', three = '', four = ''] = journal();
  const order = 'a line before it was changed, moved or taken out';
  expect(brokenAt([one, two.replace('wörk 2', 'wörk 9'), three, four])).toEqual([
    2,
    'its text was changed',
    1,
  ]);
  expect(brokenAt([one, three, four])).toEqual([2, order, 1]);
  expect(brokenAt([two, three, four])).toEqual([1, order, 0]);
  expect(brokenAt([one, one, two])).toEqual([2, order, 1]);
  expect(brokenAt([one, three, two, four])).toEqual([2, order, 1]);
  expect(brokenAt([one, sealLine({ seq: 2 }, CHAIN_START).text, three])).toEqual([2, order, 1]);
  expect(brokenAt([one, '{"seq":2}', three])).toEqual([2, 'it is no journal line', 1]);
  expect(brokenAt([one, '', two])).toEqual([2, 'it is no journal line', 1]);
});

test('every change of one byte is found, unless it only tears the end', () => {
  const bytes = new TextEncoder().encode(`${journal().join('\n')}\n`);
  for (let at = 0; at < bytes.length - 1; at += 7) {
    const changed = bytes.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect([at, readChain(changed).broken === undefined]).toEqual([at, false]);
  }
});

test('cut anywhere, the lines before the cut are whole and the rest counts as torn', () => {
  const bytes = new TextEncoder().encode(`${journal().join('\n')}\n`);
  for (let length = 0; length <= bytes.length; length += 1) {
    const cut = bytes.subarray(0, length);
    const whole = cut.filter((byte) => byte === 10).length;
    const { lines, broken, tornBytes } = readChain(cut);
    expect([lines.length, broken, tornBytes]).toEqual([
      whole,
      undefined,
      length - (cut.lastIndexOf(10) + 1),
    ]);
  }
});
