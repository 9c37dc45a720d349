/** The compiled binary where only a real process counts: terminals, pipes, signals, full disks. */
import { describe, expect, test } from 'bun:test';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../fixtures/models/server.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { standardTools, tool } from '../fixtures/servers/script.ts';
import { scriptedModel } from '../helpers/config.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import {
  planRun,
  type RunningUsher,
  runUsher,
  startUsher,
  type UsherOptions,
} from '../helpers/usher.ts';

/** Runs a shell line at a terminal; `$0` and `"$@"` in it are usher and its arguments. */
function atTerminal(line: string, args: readonly string[], options: UsherOptions) {
  const plan = planRun(args, options);
  const shown = { text: '' };
  const watchers = new Set<() => void>();
  const child = Bun.spawn(['sh', '-c', line, ...plan.command], {
    cwd: plan.cwd,
    env: { TERM: 'dumb', LANG: 'C', ...plan.env },
    terminal: {
      cols: 100,
      rows: 40,
      data(_terminal, bytes) {
        shown.text += new TextDecoder().decode(bytes);
        for (const notify of watchers) notify();
      },
    },
  });
  return {
    child,
    send: (keys: string) => child.terminal?.write(keys),
    text: () => shown.text.replaceAll('\r\n', '\n'),
    waitFor(wanted: string): Promise<void> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no "${wanted}":\n${shown.text}`)), 10_000);
        const look = () => {
          if (!shown.text.replaceAll('\r\n', '\n').includes(wanted)) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}

/** A model that calls s1/echo once and answers with its result. */
async function askingRun(work: (config: object, calls: () => number) => Promise<void>) {
  await using server = await startMcpServer();
  const step = { toolCalls: [{ name: 's1_echo', arguments: '{"text":"hi"}' }] };
  const model = await startModelServer({
    format: 'openai',
    script: [step, { text: '{{result}}' }],
  });
  try {
    const config = { model: scriptedModel(model), servers: [{ name: 's1', url: server.url }] };
    await work(config, () => server.calls().length);
  } finally {
    await model.close();
  }
}

describe('a question', () => {
  const line = 'echo y | "$0" "$@" | cat >answer; cat answer; echo "[end]"';

  test('comes to the terminal while stdin and stdout are pipes; yes calls', async () => {
    await askingRun(async (config, calls) => {
      const run = atTerminal(line, ['-p', 'go'], { config });
      await run.waitFor('[v] view all\n> ');
      expect(calls()).toBe(0);
      run.send('y\r');
      await run.waitFor('[end]');
      expect(calls()).toBe(1);
      expect(run.text()).toEndWith('-> s1/echo {"text":"hi"}\n{"text":"hi"}\n[end]\n');
    });
  });

  test.each([
    ['n', 'n\r'],
    ['Ctrl-D', '\x04'],
    ['Ctrl-C', '\x03'],
  ])('%s is a no, and the run goes on', async (_name, keys) => {
    await askingRun(async (config, calls) => {
      const run = atTerminal('trap : INT; "$0" "$@"; echo "[end $?]"', ['-p', 'go', '--quiet'], {
        config,
      });
      await run.waitFor('[v] view all\n> ');
      run.send(keys);
      await run.waitFor('[end 0]');
      expect(calls()).toBe(0);
    });
  });

  test.each([
    ['CI is set', [], { CI: '1' }],
    ['--no-input', ['--no-input'], {}],
  ] as const)('is not asked when %s', async (_name, flags, env) => {
    await askingRun(async (config, calls) => {
      const run = atTerminal('"$0" "$@"; echo "[end $?]"', ['-p', 'go', ...flags], { config, env });
      await run.waitFor('[end 5]');
      expect([calls(), run.text().includes('view all')]).toEqual([0, false]);
    });
  });
});

describe('stdout', () => {
  const full = (args: readonly string[], options: UsherOptions) => {
    const plan = planRun(args, options);
    const fd = openSync('/dev/full', 'w');
    const run = Bun.spawnSync(plan.command, {
      cwd: plan.cwd,
      env: plan.env,
      stdio: ['ignore', fd, 'pipe'],
    });
    closeSync(fd);
    return [run.exitCode, run.stderr.toString().trimEnd().split('\n').at(-1)];
  };

  test.skipIf(!existsSync('/dev/full'))('on a full disk is a clear word and 1', () => {
    const word = 'error: stdout cannot be written: no space left on the device';
    const offline = { config: { servers: [{ name: 'w', builtin: 'workspace' }] } };
    expect([
      full(['--help'], {}),
      full(['tools'], offline),
      full(['-p', 'w/list_directory'], offline),
    ]).toEqual([
      [1, word],
      [1, word],
      [1, word],
    ]);
  });
});

/** Waits until stderr holds the text; the run's own limit ends it otherwise. */
async function shows(run: RunningUsher, text: string): Promise<void> {
  const ended = run.done.then(() => 'ended');
  while (!run.stderrSoFar().includes(text)) {
    if ((await Promise.race([ended, Bun.sleep(5)])) === 'ended') throw new Error(`no ${text}`);
  }
}

describe('a signal', () => {
  const slow = tool('slow', 'Takes long.', { type: 'object' }, { does: { never: true } });

  test.each([
    ['SIGINT', 130],
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('%s during a call ends the run with %d and its result line', async (signal, code) => {
    await using server = await startMcpServer({ tools: [...standardTools, slow] });
    const step = { toolCalls: [{ name: 's1_slow', arguments: '{}' }] };
    const model = await startModelServer({ format: 'openai', script: [step] });
    const run = startUsher(['-p', 'go', '--output', 'stream-json'], {
      config: {
        model: scriptedModel(model),
        mcp: { permissions: 'auto' },
        servers: [{ name: 's1', url: server.url }],
      },
    });
    await shows(run, 's1/slow');
    run.kill(signal);
    const { stdout, code: ended, ms } = await run.done;
    await model.close();
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect([ended, last.type, last.exit, last.answer]).toEqual([code, 'result', code, '']);
    expect(ms).toBeLessThan(5000);
  });
});

describe('places', () => {
  test('a directory on stdin: left out beside a prompt, else a word and 1', () => {
    const config = { servers: [{ name: 'w', builtin: 'workspace' }] };
    const run = (args: readonly string[]) => {
      const plan = planRun(args, { config });
      const shell = Bun.spawnSync(['sh', '-c', 'exec "$0" "$@" </', ...plan.command], plan);
      return [shell.exitCode, shell.stderr.toString().includes('stdin cannot be read')];
    };
    expect([run(['-p', 'w/list_directory']), run([])]).toEqual([
      [0, true],
      [1, true],
    ]);
  });

  test.each([
    ['>&-', 1],
    ['>&- <&-', 1],
    ['>&- <>/dev/null', 1],
    ['>&- 2>&-', 1],
    ['>/dev/null', 0],
    ['1<>/dev/null', 0],
    ['>/dev/null <&- 2>&-', 0],
  ])('stdout as %s ends with %d', (redirection, code) => {
    const ends = (...args: readonly string[]) => {
      const plan = planRun(args, { config: { servers: [{ name: 'w', builtin: 'workspace' }] } });
      const script = `exec "$0" "$@" ${redirection}`;
      const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', script, ...plan.command], plan);
      const isTold = !redirection.includes('2>') && code !== 0;
      return [exitCode, stderr.toString().includes('stdout is closed') === isTold];
    };
    const plan = planRun(['--version'], {});
    const script = `exec "$0" "$@" ${redirection}`;
    expect(Bun.spawnSync(['sh', '-c', script, ...plan.command], plan).exitCode).toBe(code);
    expect(ends('-p', 'w/list_directory')).toEqual([code, true]);
  });

  test.each([
    [[], false],
    [['-v'], true],
  ] as const)('a fault nobody caught, with %p: its stack is told: %p', async (flags, isTold) => {
    const folder = writeFiles(newFolder(), {
      'fault.ts': "setTimeout(() => { throw new TypeError('boom'); }, 50);",
    });
    const run = await runUsher(['-p', '-', ...flags], {
      stdin: 'silent',
      env: { BUN_OPTIONS: `--preload ${join(folder, 'fault.ts')}` },
    });
    expect([run.code, /^ +at /m.test(run.stderr)]).toEqual([70, isTold]);
    expect(run.stderr).toContain('boom\n  please report it with the output of the same command');
    expect(run.stderr.includes('caused by TypeError: boom')).toBe(isTold);
  });

  test('no HOME: a run works, config path says what to do', async () => {
    const home = { HOME: '' };
    const config = { servers: [{ name: 'w', builtin: 'workspace' }] };
    const run = await runUsher(['-p', 'w/list_directory'], { env: home, config });
    const path = await runUsher(['config', 'path'], { env: home });
    expect([run.code, path.code, path.stdout]).toEqual([0, 3, '']);
    expect(path.stderr).toContain('HOME is not set');
  });
});
