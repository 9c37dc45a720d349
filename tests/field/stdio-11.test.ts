import { expect, test } from 'bun:test';
import type { StdioScript } from '../fixtures/servers/stdio.ts';
import { stdioServer } from '../helpers/config.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const BOM = '\uFEFF';
const timeout = { connect: '3s', idle: '2s' };

const PLACES: readonly (readonly [string, StdioScript])[] = [
  ['before the first message', { strayAtStart: BOM }],
  ['before every message', { prefix: BOM }],
  ['before every message, lines ended the Windows way', { prefix: BOM, lineEnd: '\r\n' }],
  ['after every message, so before the next', { strayAfterEach: BOM }],
];

test.each(PLACES)('a byte order mark %s does not hide the message', async (_name, script) => {
  const run = await runScripted({
    servers: [stdioServer('s1', script, { timeout })],
    steps: callThenAnswer(['s1_echo', { text: 'heard' }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"heard"}']);
  expect(run.stderr).not.toMatch(/non-protocol|time/i);
  expect(run.ms).toBeLessThan(2000);
});

test('tools behind a byte order mark are listed', async () => {
  const run = await runUsher(['tools', 's1'], {
    config: { servers: [stdioServer('s1', { prefix: BOM }, { timeout })] },
  });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('echo');
  expect(run.stdout).not.toContain(BOM);
  expect(run.ms).toBeLessThan(2000);
});
