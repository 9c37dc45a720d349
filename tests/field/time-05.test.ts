import { expect, test } from 'bun:test';
import type { StdioScript } from '../fixtures/servers/stdio.ts';
import { stdioServer } from '../helpers/config.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const CONNECT_MS = 1000;
const timeout = { connect: `${CONNECT_MS}ms` };
const HUNG: StdioScript = { hangAt: ['initialize'] };
const LATE: StdioScript = { delayMs: { initialize: 3 * CONNECT_MS } };
/** Start of the program, the model's answer and the end of the children. */
const REST_MS = 3500;

test.each([
  ['one that never answers', { hung: HUNG }],
  ['one that answers after the limit', { late: LATE }],
  ['both of them', { hung: HUNG, late: LATE }],
])('a prompt without tools is answered beside %s', async (_name, scripts) => {
  const run = await runScripted({
    servers: Object.entries(scripts).map(([name, script]) =>
      stdioServer(name, script, { timeout }),
    ),
    steps: [{ text: 'four' }],
    prompt: 'two and two?',
  });
  // Every server of the run is down, which the exit code tells; the answer is there all the same.
  expect([run.code, run.stdout]).toEqual([4, 'four\n']);
  for (const name of Object.keys(scripts)) {
    const told = run.stderr.split('\n').filter((line) => line.includes(`server "${name}"`));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('initialize within 1s (timeout.connect)');
  }
  expect(run.requests).toHaveLength(1);
  expect(run.ms).toBeLessThan(CONNECT_MS + REST_MS);
});

test('the tools of a healthy server work beside a hung and a late one', async () => {
  const run = await runScripted({
    servers: [
      stdioServer('hung', HUNG, { timeout }),
      stdioServer('late', LATE, { timeout }),
      stdioServer('good'),
    ],
    steps: callThenAnswer(['good_echo', { text: 'hi' }]),
  });
  expect([run.code, run.stdout]).toEqual([0, '{"text":"hi"}\n']);
  expect(run.stderr).toMatch(/\bhung\b/);
  expect(run.stderr).toMatch(/\blate\b/);
  expect(run.ms).toBeLessThan(CONNECT_MS + REST_MS);
});
