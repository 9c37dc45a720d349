import { expect, test } from 'bun:test';
import { createStderrTail } from '../../src/transport/stderr-tail.ts';

function tailOf(text: string): string {
  const tail = createStderrTail();
  tail.add(new TextEncoder().encode(text));
  return tail.text();
}

const lines = (from: number, to: number, text = '') =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}${text}`).join('\n');

test('the last 20 lines are shown', () => {
  expect(tailOf(`${lines(1, 50)}\n\n`)).toBe(lines(31, 50));
});

test('fewer where they are long, the first one whole', () => {
  const text = ` ${'x'.repeat(500)}`;
  expect(tailOf(lines(1, 10, text))).toBe(lines(8, 10, text));
});

test('lines that just fit are all shown', () => {
  const text = `${'a'.repeat(999)}\n${'b'.repeat(1000)}`;
  expect(tailOf(`before\n${text}`)).toBe(text);
});

test('of one long line the end is shown, with a mark', () => {
  expect(tailOf(`before\n${'x'.repeat(3000)}end`)).toBe(`…${'x'.repeat(1996)}end`);
});

test('a bar that returns its carriage counts as lines', () => {
  expect(tailOf(Array.from({ length: 30 }, (_, at) => `${at} %`).join('\r'))).toBe(
    Array.from({ length: 20 }, (_, at) => `${at + 10} %`).join('\n'),
  );
});
