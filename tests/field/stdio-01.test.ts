import { expect, test } from 'bun:test';
import { tool } from '../fixtures/servers/script.ts';
import { stdioServer } from '../helpers/config.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const ESC = String.fromCharCode(27);
const STRAY = [
  'INFO: starting v1.2\n',
  '\n',
  '[db] connected\n',
  '{"level":"info","msg":"hello"}\n',
  `${ESC}[31mred alert${ESC}[0m\n`,
  '[1,2]\n',
  '"text"\n',
  'null\n',
].join('');
const any = { type: 'object', properties: {} };

test.each([
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
])('log lines among the messages are skipped, with one hint, %s', async (_name, lineEnd) => {
  const stray = STRAY.replaceAll('\n', lineEnd);
  const run = await runScripted({
    servers: [
      stdioServer('s1', {
        strayAtStart: stray,
        strayAfterEach: stray,
        lineEnd,
        tools: [tool('echo', 'Echoes.', any, { does: { strayBefore: ['DEBUG: in a call'] } })],
      }),
    ],
    steps: [
      ...callThenAnswer(['s1_echo', { n: 1 }]).slice(0, 1),
      ...callThenAnswer(['s1_echo', { n: 2 }]),
    ],
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"n":2}']);
  expect(run.stderr).not.toContain(ESC);
  const hints = run.stderr.split('\n').filter((line) => /stdout/i.test(line));
  expect(hints.length).toBeLessThanOrEqual(1);
  expect(run.stderr).not.toContain('DEBUG: in a call');
});
