import { expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { runForModel, runForPerson } from './codemode.ts';

test('a huge value reaches the model as head and tail, the whole as a file', async () => {
  const { results } = await runForModel(['return "x".repeat(1e7) + "END"']);
  const [text = ''] = results;
  expect(text.length).toBeLessThan(41_000);
  expect(text).toContain('END');
  const [, count, path = ''] =
    /\[… ([\d,]+) characters left out; the whole output is saved as (\S+) …\]/.exec(text) ?? [];
  expect(count?.replaceAll(/\D/g, '')).toBe('9960003');
  expect([existsSync(path), statSync(path).mode & 0o777]).toEqual([true, 0o600]);
  expect(readFileSync(path, 'utf8').length).toBe(10_000_003);
}, 30_000);

test('more than a script may print is cut with a note', async () => {
  const outcome = await runForPerson('return "x".repeat(5e7)');
  expect([outcome.stdout.length, outcome.code]).toEqual([16_777_217, 0]);
}, 30_000);

test('a million console lines are cut with a note', async () => {
  const { results, code } = await runForModel([
    'for (let i = 0; i < 1e6; i++) console.log("line " + i); return "end"',
  ]);
  expect([code, results[0]?.split('\n')[1]]).toEqual([0, 'end']);
  expect(results[0]?.replaceAll(/(?<=\d)\D(?=\d{3})/g, '')).toContain(
    '900000 outputs were over the limit and are lost.',
  );
}, 60_000);

test('a memory bomb ends as an error while the host stays small', async () => {
  const { results, stdout, code } = await runForModel([
    'const a = []; for (;;) a.push(new Array(1e5).fill(1))',
  ]);
  expect([stdout, code]).toEqual(['done\n', 0]);
  expect(results[0]).toContain('out of memory: a script has 256 MiB');
}, 30_000);

test.each([
  ['const a = 1;\nconst b = ;', /SyntaxError: .*\(line 2\)/],
  ['const a: number = 1', /SyntaxError: .*\(line 1\)/],
  ['import fs from "node:fs"', /SyntaxError: .*\(line 1\)/],
  ['\nrequire("fs")', /'require' is not defined \(line 2\)/],
  ['await fetch("http://localhost")', /'fetch' is not defined/],
  ['process.exit(3)', /'process' is not defined/],
  ['eval("1")', /'eval' is not defined/],
])('what is not there is named with its line: %j', async (code, message) => {
  const outcome = await runForPerson(code);
  expect([outcome.stdout, outcome.code]).toEqual(['', 1]);
  expect(outcome.stderr).toMatch(message);
});

test('odd values are readable', async () => {
  const outcome = await runForPerson(`
    const cyclic = { n: 1 }; cyclic.self = cyclic;
    for (const value of [cyclic, 10n, undefined, Symbol('s'), function f() {}, new Map([['k', 1]]), 'a\\ud800'])
      text(value);
    return new Error('as a value')`);
  expect(outcome.stdout.split('\n')).toEqual([
    '{"n":1,"self":"[Circular]"}',
    '10n',
    'undefined',
    'Symbol(s)',
    '[Function f]',
    '{"[Map]":[["k",1]]}',
    'a\ufffd',
    'Error: as a value (line 5)',
    '',
  ]);
});
