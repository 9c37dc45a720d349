import { expect, test } from 'bun:test';
import { tool } from '../fixtures/servers/script.ts';
import { runForModel, runForPerson } from './codemode.ts';

const any = { type: 'object', properties: {} };
const answering = (text: string, afterMs: number, isError = false) => ({
  does: { afterMs, result: { content: [{ type: 'text', text }], isError } },
});
const tools = [
  tool('a', 'a', any, answering('A', 60)),
  tool('b', 'b', any, answering('no b today', 30, true)),
  tool('c', 'c', any, answering('C', 0)),
  tool('late', 'late', any, answering('late', 1_500)),
  tool('never', 'never', any, { does: { never: true } }),
];

test('results that come out of order are in their places, one rejection among them', async () => {
  const code = `
    const all = await Promise.allSettled([tools.s1_a(), tools.s1_b(), tools.s1_c()]);
    try { await Promise.all([tools.s1_a(), tools.s1_b()]) } catch (error) { text(error.message) }
    return all.map((one) => one.status === 'fulfilled' ? one.value.content[0].text : one.reason.message)`;
  const outcome = await runForPerson(code, { tools });
  expect([outcome.stdout, outcome.code]).toEqual(['no b today\n["A","no b today","C"]\n', 0]);
});

test('an answer after the deadline is dropped, and the next script works', async () => {
  const outcome = await runForModel(
    [
      '// @options: {"timeout_ms": 500}\ntext("kept"); await tools.s1_late()',
      'return (await tools.s1_a()).content[0].text',
      'await tools.s1_late(); return "end"',
    ],
    { tools },
  );
  const [first = '', second = '', third = ''] = outcome.results;
  expect([outcome.stdout, outcome.code]).toEqual(['done\n', 0]);
  expect(first).toStartWith('Script failed');
  expect(first).toContain('kept');
  expect(first).toContain('not done within 500 ms');
  expect([second, third].map((text) => text.split('\n')[1])).toEqual(['A', 'end']);
}, 30_000);

test('200 calls at once all come back', async () => {
  const code = `
    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => tools.s1_echo({ n })));
    return all.every((one, n) => JSON.parse(one.content[0].text).n === n) && all.length`;
  const outcome = await runForPerson(code, { tools: [tool('echo', 'echo', any)] });
  expect([outcome.stdout, outcome.code]).toEqual(['200\n', 0]);
}, 30_000);

test('a call that is not awaited is cancelled and named', async () => {
  const { results } = await runForModel(['tools.s1_never(); await tools.s1_c(); return 1'], {
    tools,
  });
  expect(results[0]).toContain('\n1\n');
  expect(results[0]).toContain(
    'Cancelled, because the script ended without awaiting them: s1_never.',
  );
});
