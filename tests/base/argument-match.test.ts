import { describe, expect, test } from 'bun:test';
import {
  type ArgumentTest,
  fitsArgument,
  parseArgumentPath,
} from '../../src/base/argument-match.ts';
import type { JsonObject } from '../../src/base/json.ts';

function fits(path: string, wanted: ArgumentTest['values'][number], args: JsonObject) {
  const steps = parseArgumentPath(path);
  if (steps === undefined) throw new Error(`no path: ${path}`);
  const about = { path: steps, values: [wanted], text: path };
  return [fitsArgument(about, args, 'exact'), fitsArgument(about, args, 'wide')];
}

describe('a path into arguments', () => {
  test('has keys, indices, quoted keys and stars', () => {
    expect(parseArgumentPath('$.a.b[0]["c.d"].*[*]')).toEqual([
      { kind: 'key', key: 'a' },
      { kind: 'key', key: 'b' },
      { kind: 'index', index: 0 },
      { kind: 'key', key: 'c.d' },
      { kind: 'any' },
      { kind: 'any' },
    ]);
  });

  test.each(['', '.', 'a..b', 'a[', 'a[-1]', 'a b', 'a.', '[]', "a['b']"])('%p is none', (path) => {
    expect(parseArgumentPath(path)).toBeUndefined();
  });

  test.each([
    ['a.b', { a: { b: 'x' } }],
    ['a[1].b', { a: [0, { b: 'x' }] }],
    ['a.b', { a: [{ b: 'x' }, { b: 'x' }] }],
    ['*.b', { a: { b: 'x' }, c: { b: 'x' } }],
    ['["a.b"]', { 'a.b': 'x' }],
    ['a', { a: ['x', ['x']] }],
  ] as const)('%p finds its value in both readings', (path, args) => {
    expect(fits(path, 'x', args)).toEqual([true, true]);
  });
});

describe('a rule that allows takes every doubt as a no, one that denies as a yes', () => {
  test.each([
    ['one of several items fits', 'a', 'x', { a: ['x', 'y'] }],
    ['dots lead into the pattern', 'path', 'secrets/*', { path: './secrets/k' }],
    ['dots lead out of the pattern', 'path', 'src/*', { path: 'src/../etc/passwd' }],
    ['dots are percent-encoded', 'path', 'src/*', { path: 'src/%2e%2e/etc' }],
    ['slashes are doubled', 'path', 'a/secrets/*', { path: 'a//secrets/k' }],
    ['slashes lean the other way', 'path', 'secrets/*', { path: 'secrets\\k' }],
    ['case differs', 'path', 'secrets/*', { path: 'Secrets/K' }],
    ['letters are full-width', 'path', 'secrets/*', { path: '\uff53ecrets/k' }],
    ['an invisible character stands inside', 'path', 'secrets/*', { path: 'sec\u200brets/k' }],
    ['it is only percent-encoded', 'path', 'secrets/*', { path: 'secr%65ts/k' }],
    ['a flag is text', 'force', true, { force: 'TRUE' }],
    ['a flag is a number', 'force', true, { force: 1 }],
    ['a flag is missing and false counts', 'dryRun', false, {}],
    ['a flag is null and false counts', 'dryRun', false, { dryRun: null }],
    ['a value is missing and null counts', 'id', null, {}],
    ['a value is missing and anything counts', 'id', '*', {}],
    ['a number is text', 'n', 5, { n: ' 5 ' }],
    ['a text is a number', 'n', '5*', { n: 55 }],
    ['it stands deeper', 'a', 'x', { a: { b: ['x'] } }],
    ['a list is empty and null counts', 'a[*]', null, { a: [] }],
  ] as const)('%s', (_, path, wanted, args) => {
    expect(fits(path, wanted, args)).toEqual([false, true]);
  });

  test.each([
    ['another value', 'repo', 'acme/*', { repo: 'other/x' }],
    ['a missing text', 'repo', 'acme/*', {}],
    ['a missing flag that has to be true', 'force', true, {}],
    ['a missing number', 'n', 0, {}],
    ['a key of the prototype', 'constructor', 'x*', {}],
    ['a mapping', 'a', 'x', { a: { b: 'y' } }],
    ['another number', 'n', 5, { n: 6 }],
  ] as const)('%s fits neither', (_, path, wanted, args) => {
    expect(fits(path, wanted, args)).toEqual([false, false]);
  });

  test.each([
    ['an address', 'url', 'https://example.com/*', { url: 'https://example.com/a/b' }],
    ['a path', 'path', 'src/*', { path: 'src/a/b.ts' }],
    ['a search text with dots', 'q', 'what *', { q: 'what ... is / this..' }],
    ['false', 'force', false, { force: false }],
    ['null', 'id', null, { id: null }],
    ['a number', 'n', 1.5, { n: 1.5 }],
  ] as const)('%s fits both', (_, path, wanted, args) => {
    expect(fits(path, wanted, args)).toEqual([true, true]);
  });
});
