import { expect, test } from 'bun:test';
import { runForModel, runForPerson } from './codemode.ts';

test('awaited calls one after the other, rejections inside and outside of try', async () => {
  const outcome = await runForModel([
    `const a = await tools.s1_read(); const b = await tools.s1_echo({ text: 'b' });
     const c = await tools.s1_structured();
     return [a.content[0].text, b.content[0].text, c.structuredContent]`,
    'try { await tools.s1_fails() } catch (error) { text(error.message) } await tools.s1_breaks()',
    'return (await tools.s1_read()).isError',
  ]);
  const [first = '', second = '', third = ''] = outcome.results;
  expect([outcome.stdout, outcome.code]).toEqual(['done\n', 0]);
  expect(first).toContain('["nothing to read","{\\"text\\":\\"b\\"}",{"answer":42}]');
  expect(second).toStartWith('Script failed');
  expect(second).toContain('the disk is full');
  expect(second).toContain('the backend is gone');
  expect(third).toContain('\nfalse');
});

test('a promise of the script that nobody handles fails this script and no other', async () => {
  const code =
    'Promise.reject(new Error("lost")); tools.s1_fails(); await tools.s1_read(); return 1';
  const outcome = await runForPerson(code);
  expect([outcome.stdout, outcome.code]).toEqual(['1\n', 1]);
  expect(outcome.stderr).toContain('unhandled rejection: Error: lost (line 1)');
  const { results } = await runForModel([code, 'return 2']);
  expect(results[0]).toStartWith('Script failed');
  expect(results[1]).toEndWith('\n2');
});
