import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { stdioServer } from '../helpers/config.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { closedPort, startTcp } from '../helpers/tcp.ts';

test('dead and slow servers cost one start limit together, and one line each', async () => {
  await using good = await startMcpServer();
  await using halfway = await startMcpServer({ hangAt: ['tools/list'] });
  await using mute = startTcp();
  const timeout = { connect: '1500ms' };
  const url = (port: number) => `http://127.0.0.1:${port}/mcp`;
  const bad = ['hangs', 'halfway', 'refuses', 'mute', 'stuck'];
  const run = await runScripted({
    servers: [
      { name: 'good', url: good.url },
      stdioServer('hangs', { hangAt: ['initialize'] }, { timeout }),
      { name: 'halfway', url: halfway.url, timeout },
      { name: 'refuses', url: url(closedPort()), timeout },
      { name: 'mute', url: url(mute.port), timeout },
      { name: 'stuck', url: `${url(mute.port)}2`, timeout },
    ],
    steps: callThenAnswer(['good_echo', { text: 'hi' }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
  const lines = run.stderr.split('\n');
  const told = (name: string) => lines.filter((line) => new RegExp(`\\b${name}\\b`).test(line));
  expect(bad.filter((name) => told(name).length === 0)).toEqual([]);
  expect(run.ms).toBeLessThan(6000);
});
