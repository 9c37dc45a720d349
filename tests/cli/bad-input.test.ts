/** The compiled binary with a bad configuration, bad servers and in bad surroundings. */
import { describe, expect, test } from 'bun:test';
import { startModelServer } from '../fixtures/models/server.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { scriptedModel, stdioServer } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { planRun, type RunningUsher, runUsher, startUsher } from '../helpers/usher.ts';

/** Runs a shell line; `$0` and `"$@"` in it are usher and its arguments. */
function inShell(line: string, args: readonly string[], options: Parameters<typeof planRun>[1]) {
  const plan = planRun(args, options);
  const run = Bun.spawnSync(['bash', '-c', line, ...plan.command], plan);
  return { code: run.exitCode, stdout: run.stdout.toString(), stderr: run.stderr.toString() };
}

const workspace = { servers: [{ name: 'w', builtin: 'workspace' }] };

describe('a required entry that cannot be used', () => {
  test.each([
    ['a run', ['-p', 'go']],
    ['tools', ['tools']],
  ])('ends %s with 4 before the model is asked, told once', async (_name, words) => {
    const model = await startModelServer({ format: 'openai', script: [{ text: 'never' }] });
    const run = await runUsher(words, {
      config: {
        model: scriptedModel(model),
        servers: [stdioServer('good'), { name: 'db', command: 1, required: true }],
      },
    });
    await model.close();
    expect([run.code, run.stdout, model.requests.length]).toEqual([4, '', 0]);
    expect(run.stderr.match(/servers\.db\.command/g)).toHaveLength(1);
    expect(run.stderr).toContain('error: ');
  });
});

test('--no-builtin-tools leaves out built-in servers, also the one without a config', async () => {
  const config = { servers: [stdioServer('good'), { name: 'w', builtin: 'workspace' }] };
  const [mixed, none] = await Promise.all([
    runUsher(['tools', '--json', '--no-builtin-tools'], { config }),
    runUsher(['tools', '--json', '--no-builtin-tools']),
  ]);
  const servers = JSON.parse(mixed.stdout).tools.map((one: { server: string }) => one.server);
  expect([mixed.code, [...new Set(servers)]]).toEqual([0, ['good']]);
  expect([none.code, JSON.parse(none.stdout)]).toEqual([0, { tools: [] }]);
});

describe('a file that is a pipe', () => {
  test('is waited for as the configuration and as an argument', () => {
    const args = ['call', 'w', 'read_file'];
    const line = '"$0" "$@" path=@<(sleep 0.2; printf note.txt)';
    const argument = inShell(line, args, { config: workspace, files: { 'note.txt': 'noted' } });
    const config = inShell('"$0" "$@" --config <(sleep 0.2; echo "servers: []")', ['tools'], {});
    expect([argument.code, argument.stdout.includes('noted'), config.code]).toEqual([0, true, 0]);
  });

  test('and stays silent does not keep a signal from ending the run', async () => {
    const home = newFolder();
    const line = 'mkfifo "$HOME/silent"; exec 3<>"$HOME/silent"; exec "$0" "$@"';
    const plan = planRun([], { home });
    const run = startUsher(['tools', '--config', `${home}/silent`, '--timeout', '300ms'], {
      home,
      command: ['sh', '-c', line, ...plan.command],
    });
    const { code, ms } = await run.done;
    expect([code, ms < 5000]).toEqual([7, true]);
  });
});

test('an empty prompt starts no server', async () => {
  const mark = `${newFolder()}/started`;
  const run = await runUsher(['-p', ' '], {
    config: { servers: [{ name: 's', command: 'touch', args: [mark] }] },
  });
  expect([run.code, run.stdout, await Bun.file(mark).exists()]).toEqual([2, '', false]);
  expect(run.stderr).toStartWith('error: the prompt is empty\n');
});

test('--version on a full disk says so', () => {
  const { code, stderr } = inShell('"$0" "$@" >/dev/full', ['--version'], {});
  expect([code, stderr]).toEqual([
    1,
    'error: stdout cannot be written: no space left on the device\n',
  ]);
});

test.each([
  ['stdout', 'yes; true', '60s', 'wrote more than 10,000 lines'],
  ['stderr', 'yes >&2; true', '300ms', 'within 300ms (timeout.connect)'],
])('a server that floods %s runs into its limit', async (_name, line, connect, text) => {
  const endless = { command: 'sh', args: ['-c', line], timeout: { connect } };
  const run = await runUsher(['tools'], { config: { servers: [{ name: 'endless', ...endless }] } });
  expect([run.code, run.stderr.includes(text)]).toEqual([4, true]);
});

describe('a server that does not want to end', () => {
  const slow = tool('slow', 'Takes long.', { type: 'object' }, { does: { never: true } });
  const stubborn = stdioServer('s1', { tools: [slow], ignoreEof: true, ignoreTerm: true });

  test('costs nobody the result line when a second Ctrl-C comes', async () => {
    const toolCalls = [{ name: 's1_slow', arguments: '{}' }];
    const model = await startModelServer({ format: 'openai', script: [{ toolCalls }] });
    const run = startUsher(['-p', 'go', '--json'], {
      config: {
        model: scriptedModel(model),
        mcp: { permissions: 'auto' },
        servers: [stubborn],
      },
    });
    await shows(run, 's1/slow');
    run.kill('SIGINT');
    await shows(run, 'interrupted');
    run.kill('SIGINT');
    const { stdout, code, ms } = await run.done;
    await model.close();
    expect([code, JSON.parse(stdout).exit, ms < 2500]).toEqual([130, 130, true]);
  });
});

test('variables of the runtime make no token visible', async () => {
  await using server = await startMcpServer();
  const run = await runUsher(['tools'], {
    env: { BUN_CONFIG_VERBOSE_FETCH: 'curl', TOKEN: 'canary-of-the-token' },
    config: {
      servers: [{ name: 's', url: server.url, auth: { type: 'bearer', tokenEnv: 'TOKEN' } }],
    },
  });
  expect([run.code, `${run.stdout}${run.stderr}`.includes('canary-of-the-token')]).toEqual([
    0,
    false,
  ]);
  expect(server.requests.length).toBeGreaterThan(0);
});

/** Waits until stderr holds the text; the run's own limit ends it otherwise. */
async function shows(run: RunningUsher, text: string): Promise<void> {
  const ended = run.done.then(() => 'ended');
  while (!run.stderrSoFar().includes(text)) {
    if ((await Promise.race([ended, Bun.sleep(5)])) === 'ended') throw new Error(`no ${text}`);
  }
}

test('the built-in that a config left out is named with the entry that brings it back', async () => {
  const config = { servers: [stdioServer('good')] };
  const run = await runUsher(['call', 'workspace', 'list_directory'], { config });
  expect([run.code, run.stderr]).toEqual([
    2,
    expect.stringContaining('add { name: workspace, builtin: workspace }'),
  ]);
});
