import { expect, test } from 'bun:test';
import type { JsonValue } from '../../src/base/json.ts';
import { saysTheSame } from '../../src/base/same-text.ts';

test.each<[string, JsonValue, boolean]>([
  ['{ "b": 1, "a": [2] }', { a: [2], b: 1 }, true],
  ['[1]', [1], true],
  ['42', 42, true],
  ['two lines\nof text', { content: 'two lines\nof text' }, true],
  ['two lines', { content: 'two lines', more: 1 }, false],
  ['two lines', { content: 'two' }, false],
  ['{"a":1}', { a: 2 }, false],
  ['prose', { a: 1 }, false],
  ['{broken', { a: 1 }, false],
])('%p beside %p', (text, value, same) => {
  expect(saysTheSame(text, value)).toBe(same);
});
