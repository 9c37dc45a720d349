import { describe, expect, test } from 'bun:test';
import { tool } from '../fixtures/servers/script.ts';
import { stdioServer } from '../helpers/config.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
const MEGABYTE = 1024 ** 2;

describe.each([
  ['lines', false],
  ['a bar that only returns the carriage', true],
])('a megabyte on stderr as %s', (_name, stderrAsBar) => {
  test('before the handshake and in each call stops nothing and is not shown', async () => {
    const run = await runScripted({
      servers: [
        stdioServer('s1', {
          stderrAtStart: MEGABYTE,
          stderrAsBar,
          tools: [tool('echo', 'Echoes.', any, { does: { stderrBytes: MEGABYTE } })],
        }),
      ],
      steps: [
        ...callThenAnswer(['s1_echo', { n: 1 }]).slice(0, 1),
        ...callThenAnswer(['s1_echo', { n: 2 }]),
      ],
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, '{"n":2}']);
    expect(run.stderr.length).toBeLessThan(5000);
    expect(run.ms).toBeLessThan(5000);
  });
});

test('when the server fails, the last lines are shown and no more', async () => {
  const run = await runUsher(['tools', 's1'], {
    config: { servers: [stdioServer('s1', { stderrAtStart: MEGABYTE, exitAtStart: 3 })] },
  });
  expect([run.code, run.stdout]).toEqual([4, '']);
  expect(run.stderr).toContain('giving up at the start');
  expect(run.stderr).toContain('3');
  expect(run.stderr.length).toBeLessThan(10_000);
});
