import { expect, test } from 'bun:test';
import { runForModel, runForPerson } from './codemode.ts';

const SECOND = '// @options: {"timeout_ms": 1000}\n';

test.each([
  ['while (true) {}'],
  ['/(x+x+)+y/.test("x".repeat(50))'],
  ['new Array(1e9) + ""'],
  ['Array.from({length: 3e6}, (_, i) => -i).sort().join()'],
])('a built-in that runs long ends with its worker: %s', async (code) => {
  const outcome = await runForPerson(`${SECOND}text("before"); ${code}; text("after")`);
  expect([outcome.stdout, outcome.code]).toEqual(['before\n', 7]);
  expect(outcome.ms).toBeLessThan(5_000);
});

test('a structure too deep for its stack ends the script: by the engine, or by the clock on a slow machine', async () => {
  const deep = 'let o = {}, p = o; for (let i = 0; i < 3e6; i++) { p.a = {}; p = p.a }';
  const outcome = await runForPerson(
    `${SECOND}text("before"); ${deep}; JSON.stringify(o); text("after")`,
  );
  expect(outcome.stdout).toBe('before\n');
  expect([1, 7]).toContain(outcome.code);
  expect(outcome.ms).toBeLessThan(5_000);
});

test('the host goes on serving after scripts that had to be ended', async () => {
  const outcome = await runForModel([
    `${SECOND}/(x+x+)+y/.test("x".repeat(50))`,
    `${SECOND}"x".repeat(2 ** 29)`,
    'return (await tools.s1_read()).content[0].text',
  ]);
  const { results, stdout, code } = outcome;
  expect([stdout, code, results.map((text) => text.split(' in ')[0])]).toEqual([
    'done\n',
    0,
    ['Script failed', 'Script failed', 'Script completed'],
  ]);
  expect(results[0]).toMatch(/more than 1000 ms|not done within 1000 ms/);
  expect(results[1]).toContain('out of memory: a script has 256 MiB');
  expect(results[2]).toContain('nothing to read');
}, 30_000);
