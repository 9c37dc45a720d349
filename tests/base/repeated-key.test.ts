import { expect, test } from 'bun:test';
import { repeatedKey } from '../../src/base/repeated-key.ts';

test.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}', undefined],
  ['{"a":1,"a":1}', 'a'],
  ['{"a" : {} , "a":[]}', 'a'],
  ['{"decision":"allow","d\\u0065cision":"deny"}', 'decision'],
  ['[1,{"x":[{"k":1,"k":2}]}]', 'k'],
  ['{"__proto__":1,"constructor":2,"__proto__":3}', '__proto__'],
  ['{"a":"{\\"a\\":1,\\"a\\":2}","b":"a\\\\","c":"b\\":"}', undefined],
  ['{"a":["a","a"],"b":"a"}', undefined],
  ['{"":1,"":2}', ''],
  ['{}', undefined],
  ['"a"', undefined],
])('%s repeats %p', (text, key) => {
  expect(JSON.parse(text)).toBeDefined();
  expect(repeatedKey(text)).toBe(key);
});

test('takes time in proportion to the text', () => {
  const fields = Array.from({ length: 50_000 }, (_, at) => `"k${at}":"${'\\"'.repeat(4)}"`);
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  expect(repeatedKey(`{${fields.join(',')}}`)).toBeUndefined();
  expect(repeatedKey(deep)).toBeUndefined();
});
