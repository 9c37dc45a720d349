/** Surroundings that fail: no home, nothing writable, a full disk. A clear word, no hang, no lost answer. */
import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { planRun, runUsher } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };

test('without a HOME a run answers', async () => {
  await using server = await startMcpServer();
  for (const home of ['', '/nonexistent/home']) {
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: callThenAnswer(['s1_image', {}]),
      env: { HOME: home },
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('image/png');
    expect(run.stderr).not.toMatch(/TypeError|^\s+at /m);
  }
});

test('where nothing can be saved the answer is there all the same, and says what was not saved', async () => {
  const long = 'many words '.repeat(10_000);
  await using server = await startMcpServer({
    tools: [
      tool('long', 'Long.', any, { does: { result: { content: [{ type: 'text', text: long }] } } }),
      tool('picture', 'Picture.', any, {
        does: { result: { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] } },
      }),
    ],
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [
      {
        toolCalls: [
          { name: 's1_long', arguments: '{}' },
          { name: 's1_picture', arguments: '{}' },
        ],
      },
      { text: 'answered' },
    ],
    env: { XDG_STATE_HOME: '/proc/usher', XDG_CACHE_HOME: '/proc/usher', TMPDIR: '/proc/usher' },
  });
  expect([run.code, run.stdout]).toEqual([0, 'answered\n']);
  const [words = '', picture = ''] = toolTexts(run.requests);
  expect(words).toStartWith('many words');
  expect(words.length).toBeLessThan(60_000);
  expect(picture).toContain('image/png');
  expect(picture).toContain('not saved');
  expect(words).toContain('not saved');
});

test('a full disk behind stdout is an error with a word, not a silent 0', async () => {
  const model = { provider: 'offline' };
  const plan = planRun(['config', 'example'], { config: { model } });
  const line = 'exec "$0" "$@" >/dev/full';
  const child = Bun.spawn(['sh', '-c', line, ...plan.command], {
    cwd: plan.cwd,
    env: plan.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = await child.stderr.text();
  expect(await child.exited).toBe(1);
  expect(stderr).toMatch(/space|full|write/i);
});

test.each([
  ['stderr is closed', '2>&-'],
  ['stdout is closed', '>&-'],
])('when %s the run ends by itself', async (_name, redirection) => {
  const plan = planRun(['--prompt', 'list the files here'], {
    config: { servers: [{ name: 'w', builtin: 'workspace' }] },
  });
  const child = Bun.spawn(['sh', '-c', `exec "$0" "$@" ${redirection}`, ...plan.command], {
    cwd: plan.cwd,
    env: plan.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = await child.exited;
  expect([0, 1]).toContain(code);
});

test('a working directory that is gone is told', async () => {
  const run = await runUsher(['--version']);
  const line = `mkdir gone && cd gone && rmdir ../gone && exec "$0" --prompt "list the files here"`;
  const plan = planRun([], {});
  const child = Bun.spawn(['sh', '-c', line, ...plan.command], {
    cwd: plan.cwd,
    env: plan.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = await child.stderr.text();
  expect(await child.exited).toBeGreaterThan(0);
  expect(stderr).not.toMatch(/^\s+at .*\(/m);
  expect([run.code, stderr.trim() === '']).toEqual([0, false]);
});
