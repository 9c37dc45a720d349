import { expect, test } from 'bun:test';
import { shellWord } from '../../src/base/shell.ts';

test.each(['plain', 'a b', "it's", '', '$HOME', '`x`', 'a;b', "''", '*', '~', '-n', 'é'])(
  '%j stays one word of a shell',
  (word) => {
    const { stdout } = Bun.spawnSync(['sh', '-c', `printf '%s\\0' ${shellWord(word)}`]);
    expect(stdout.toString()).toBe(`${word}\0`);
  },
);

test('what a shell leaves alone is not quoted', () => {
  expect(shellWord('https://a.b:1/c?d=e')).toBe("'https://a.b:1/c?d=e'");
  expect(shellWord('https://a.b:1/c_d-e,f@g+h%20=')).toBe('https://a.b:1/c_d-e,f@g+h%20=');
});
