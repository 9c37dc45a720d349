/** A run against a fake host: what goes to stdout, what to stderr, and the exit code. */
import { describe, expect, test } from 'bun:test';
import {
  AuthError,
  ConfigError,
  ConnectError,
  InterruptedError,
  ProviderError,
} from '../../src/base/errors.ts';
import type { HostEvent } from '../../src/host/types.ts';
import {
  type CliRun,
  cli,
  emptyConfig,
  goodRun,
  reportOf,
  snapshotOf,
  statusOf,
  stdinOf,
  toolOf,
} from './fakes.ts';

const down = statusOf('down', {
  state: 'failed',
  error: new ConnectError('server down: connection refused', { hint: 'start it' }),
});
const twoServers = {
  report: reportOf([statusOf('good', { tools: [toolOf('good', 'look').definition] }), down]),
  snapshot: snapshotOf([toolOf('good', 'look')]),
};
/** The lines of stream-json, without the time. */
const events = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ at: _at, ...rest }) => rest);
const emits = (...sent: HostEvent[]): CliRun['host'] => ({
  ...twoServers,
  prompt: (_text, options) => {
    for (const event of sent) options.onEvent(event);
    return Promise.resolve(goodRun);
  },
});

describe('text', () => {
  test('the answer alone is on stdout, the banner on stderr', async () => {
    const run = await cli(['-p', 'how is it?'], { host: twoServers });
    expect({ ...run, options: undefined }).toEqual({
      exit: 0,
      stdout: 'All is well.\n',
      stderr: [
        '✓ good  http     legacy 2025-11-25  1 of 1 tools, about 15 tokens',
        '    look',
        '✗ down  http     failed',
        'warning: server down: connection refused',
        '  start it',
        '1 tool ready in 12 ms, permissions ask, model scripted/one',
        '',
      ].join('\n'),
      options: undefined,
      steps: ['config', 'create', 'start', 'prompt how is it?', 'close'],
    });
  });

  test('a pipe gets the answer once, with one newline at its end', async () => {
    const host = emits({ type: 'text', turn: 1, delta: 'All is' });
    expect((await cli(['-p', 'x'], { host })).stdout).toBe('All is well.\n');
    const answer = { ...goodRun, answer: 'a\n\n\n' };
    const many = await cli(['-p', 'x'], { host: { prompt: () => Promise.resolve(answer) } });
    expect(many.stdout).toBe('a\n');
  });

  test('a terminal gets text as it comes, escaped, and no answer twice', async () => {
    const host = emits(
      { type: 'text', turn: 1, delta: 'Let me look\u001b[2J' },
      { type: 'text', turn: 2, delta: 'All is ' },
      { type: 'text', turn: 2, delta: 'well.' },
    );
    const run = await cli(['-p', 'x'], { host, stdoutIsTerminal: true });
    expect(run.stdout).toBe('Let me look\\u{1b}[2J\nAll is well.\n');
  });

  test('after a reset the answer at a terminal starts on a new line, and stderr says why', async () => {
    const host = emits(
      { type: 'text', turn: 1, delta: 'All is not' },
      { type: 'text_reset', turn: 1, reason: 'the stream broke' },
      { type: 'text', turn: 1, delta: 'All is well.' },
    );
    const run = await cli(['-p', 'x'], { host, stdoutIsTerminal: true });
    expect(run.stdout).toBe('All is not\nAll is well.\n');
    expect(run.stderr).toContain('the answer starts again: the stream broke\n');
  });

  test('a failure that a warning told already is told once', async () => {
    const message = 'the answer was cut off by the output limit';
    const host: CliRun['host'] = {
      prompt: (_text, options) => {
        options.onEvent({ type: 'warning', message, hint: 'raise model.maxTokens' });
        const error = { code: 'limit', message, hint: 'raise model.maxTokens' } as const;
        return Promise.resolve({ ...goodRun, exit: 7, error, warnings: [message] });
      },
    };
    const run = await cli(['-p', 'x', '--quiet'], { host });
    expect([run.exit, run.stdout, run.stderr]).toEqual([
      7,
      'All is well.\n',
      `warning: ${message}\n  raise model.maxTokens\n`,
    ]);
  });

  test('--quiet leaves warnings only', async () => {
    const run = await cli(['-p', 'x', '--quiet'], { host: twoServers });
    expect(run.stderr).toBe('warning: server down: connection refused\n  start it\n');
  });
});

describe('prompt', () => {
  test('piped text is the prompt', async () => {
    const run = await cli([], { stdin: stdinOf(['from the pipe']) });
    expect(run.steps).toContain('prompt from the pipe');
  });

  test('an empty pipe without a prompt starts nothing and exits 2', async () => {
    const run = await cli([]);
    expect(run).toEqual({
      exit: 2,
      stdout: '',
      stderr:
        'error: no prompt: stdin is empty\n  usher --prompt "your question", or pipe it in\n  usage: usher --prompt TEXT, or: usher --help\n',
      options: undefined,
      steps: [],
    });
  });

  test('words that are no command are refused beside a prompt', async () => {
    const run = await cli(['-p', 'two', 'words']);
    expect([run.exit, run.steps]).toEqual([2, []]);
  });

  test('a terminal on stdin without a prompt, stdout a pipe: usage', async () => {
    const run = await cli([], { stdin: stdinOf([], true) });
    expect([run.exit, run.stderr.split('\n')[0]]).toEqual([
      2,
      'error: an interactive session needs a terminal',
    ]);
  });
});

describe('a server that was still connecting in the banner', () => {
  const slow = statusOf('slow', { state: 'connecting' });
  const late = (...states: Partial<ReturnType<typeof statusOf>>[]): CliRun['host'] => ({
    report: reportOf([slow]),
    snapshot: snapshotOf([toolOf('slow', 'look')]),
    prompt: (_text, options) => {
      for (const state of states) {
        options.onEvent({ type: 'server', status: statusOf('slow', state) });
      }
      return Promise.resolve(goodRun);
    },
  });
  const listed = [toolOf('slow', 'look').definition];
  const afterBanner = ({ stderr }: { readonly stderr: string }) => stderr.split('\n').slice(3);

  test('is announced once when it is ready', async () => {
    const host = late({ state: 'discovering' }, { tools: listed }, { tools: listed });
    expect(afterBanner(await cli(['-p', 'x'], { host }))).toEqual([
      '✓ slow  http     legacy 2025-11-25  1 of 1 tools, about 15 tokens',
      '    look',
      '',
    ]);
    expect((await cli(['-p', 'x', '--quiet'], { host })).stderr).toBe('');
  });

  test('is not told of when the run is ended', async () => {
    const controller = new AbortController();
    const run = await cli(['-p', 'x', '--quiet'], {
      interrupt: controller.signal,
      host: {
        report: reportOf([slow]),
        prompt: (_text, options) => {
          controller.abort(new InterruptedError('SIGINT'));
          const error = new ConnectError('connecting to server slow was cancelled');
          options.onEvent({ type: 'server', status: statusOf('slow', { state: 'failed', error }) });
          return Promise.resolve({ ...goodRun, answer: '', exit: 1 });
        },
      },
    });
    expect([run.exit, run.stderr]).toEqual([130, '']);
  });

  test('is a warning when it fails, also in the result', async () => {
    const host = late({ state: 'failed', error: new ConnectError('server slow: no') });
    const run = await cli(['-p', 'x', '--quiet', '--json'], { host });
    expect([run.stderr, JSON.parse(run.stdout).warnings]).toEqual([
      'warning: server slow: no\n  usher mcp doctor slow finds out more\n',
      ['server slow: no'],
    ]);
  });
});

describe('exit code', () => {
  const fatal = (exit: 4 | 6) =>
    reportOf([down], { fatal: { server: 'down', message: 'server down: no', exit } });
  const result = (changes: object): CliRun['host'] => ({
    prompt: () => Promise.resolve({ ...goodRun, ...changes }),
  });

  test.each([
    ['a denied call', [], { exit: 5 }, 5],
    ['a provider that failed', [], { exit: 8, answer: '' }, 8],
    ['an unknown outcome', ['--strict'], { exit: 9 }, 9],
  ] as const)('%s', async (_name, flags, changes, exit) => {
    expect((await cli(['-p', 'x', ...flags], { host: result(changes) })).exit).toBe(exit);
  });

  test.each([
    ['some servers down', [], twoServers.report, [], 0],
    ['some servers down with --strict', ['--strict'], twoServers.report, [], 4],
    ['every server down', [], reportOf([down]), [], 4],
    ['a server that ended after it was ready', [], reportOf([{ ...down, readyMs: 5 }]), [], 0],
    ['an entry skipped beside a good server', [], reportOf([statusOf('good')]), ['bad'], 0],
    ['an entry skipped, with --strict', ['--strict'], reportOf([statusOf('good')]), ['bad'], 4],
    ['every entry skipped', [], reportOf([]), ['bad'], 4],
    ['no server at all', [], reportOf([]), [], 0],
  ] as const)('%s', async (_name, flags, report, skipped, exit) => {
    const run = await cli(['-p', 'x', ...flags], {
      host: { report },
      config: { ...emptyConfig, skipped },
    });
    expect([run.exit, run.stdout]).toEqual([exit, 'All is well.\n']);
  });

  test.each([4, 6] as const)(
    'a required server that is down: %d, no model request',
    async (exit) => {
      const run = await cli(['-p', 'x'], { host: { report: fatal(exit) } });
      expect([run.exit, run.stdout, run.steps]).toEqual([
        exit,
        '',
        ['config', 'create', 'start', 'close'],
      ]);
      expect(run.stderr).toEndWith('error: server down: no\n  start it\n');
    },
  );

  test.each([
    [new ConfigError('f.yaml:1:1 servers: expected a list'), 3],
    [new AuthError('no token'), 6],
    [new Error('a fault'), 70],
  ])('%s before the start', async (config, exit) => {
    const run = await cli(['-p', 'x'], { config });
    expect([run.exit, run.stdout, run.stderr.includes(' at ')]).toEqual([exit, '', false]);
  });

  test('a server name that is not configured: 2, with the nearest', async () => {
    const config = { ...emptyConfig, skipped: ['bad'] };
    const run = await cli(['-p', 'x', '--server', 'files'], { config });
    expect([run.exit, run.steps]).toEqual([2, ['config']]);
  });

  test('an interrupt: 130, and the host is closed', async () => {
    const reason = new InterruptedError('SIGINT');
    const controller = new AbortController();
    const host: CliRun['host'] = {
      prompt: () => {
        controller.abort(reason);
        return Promise.resolve({ ...goodRun, answer: '', exit: 1 });
      },
    };
    const run = await cli(['-p', 'x'], { interrupt: controller.signal, host });
    const early = await cli(['-p', 'x'], { interrupt: AbortSignal.abort(reason) });
    expect([run.exit, run.steps.at(-1)]).toEqual([130, 'close']);
    expect([early.exit, early.steps]).toEqual([130, ['config']]);
  });
});

describe('json', () => {
  test('is one document', async () => {
    const run = await cli(['-p', 'x', '--json'], { host: twoServers });
    expect(JSON.parse(run.stdout)).toEqual({
      answer: 'All is well.',
      exit: 0,
      turns: 1,
      usage: { inputTokens: 10, outputTokens: 3 },
      toolCalls: [],
      denied: [],
      unknownOutcome: [],
      warnings: ['server down: connection refused'],
    });
  });

  test('is also printed after a failure before the start', async () => {
    const config = new ConfigError('f.yaml: no', { hint: 'mend it' });
    const run = await cli(['-p', 'x', '--json'], { config });
    expect([run.exit, JSON.parse(run.stdout)]).toEqual([
      3,
      {
        answer: '',
        exit: 3,
        error: { code: 'config', message: 'f.yaml: no', hint: 'mend it' },
        turns: 0,
        usage: { inputTokens: 0, outputTokens: 0 },
        toolCalls: [],
        denied: [],
        unknownOutcome: [],
        warnings: [],
      },
    ]);
  });
});

describe('stream-json', () => {
  test('shows each event with its type and ends with the result', async () => {
    const tool = toolOf('good', 'look');
    const host = emits(
      { type: 'text', turn: 1, delta: 'Look' },
      { type: 'text_reset', turn: 1, reason: 'broke' },
      {
        type: 'call_permission',
        id: 'c1',
        server: 'good',
        tool: 'look',
        decision: { effect: 'allow', why: '--yes good/look' },
        answer: undefined,
      },
      { type: 'call_sent', id: 'c1', server: 'good', tool: 'look', arguments: { at: 'sky' } },
      {
        type: 'call_done',
        id: 'c1',
        name: 'good_look',
        outcome: {
          kind: 'denied',
          tool,
          by: 'person',
          text: 'no',
          remedy: undefined,
        },
        durationMs: 4.6,
      },
      { type: 'turn_done', turn: 1, usage: { inputTokens: 5, outputTokens: 2 } },
    );
    const run = await cli(['-p', 'x', '--output', 'stream-json'], { host });
    expect(events(run.stdout)).toEqual([
      {
        type: 'init',
        cwd: '/srv/here',
        config: ['/home/me/config.yaml'],
        model: 'offline',
        permissions: 'ask',
      },
      {
        type: 'servers',
        servers: [
          {
            name: 'good',
            state: 'ready',
            transport: 'http',
            era: 'legacy',
            protocolVersion: '2025-11-25',
            tools: 1,
            offered: 1,
          },
          {
            name: 'down',
            state: 'failed',
            transport: 'http',
            era: 'legacy',
            protocolVersion: '2025-11-25',
            tools: 0,
            offered: 0,
            error: 'server down: connection refused',
          },
        ],
        tools: 1,
        readyMs: 12,
      },
      { type: 'warning', message: 'server down: connection refused' },
      { type: 'text', turn: 1, delta: 'Look' },
      { type: 'text_reset', turn: 1, reason: 'broke' },
      {
        type: 'permission',
        id: 'c1',
        server: 'good',
        tool: 'look',
        effect: 'allow',
        why: '--yes good/look',
      },
      { type: 'tool_call', id: 'c1', server: 'good', tool: 'look', arguments: { at: 'sky' } },
      {
        type: 'tool_result',
        id: 'c1',
        name: 'good_look',
        server: 'good',
        tool: 'look',
        outcome: 'declined',
        text: 'no',
        durationMs: 5,
      },
      { type: 'usage', turn: 1, inputTokens: 5, outputTokens: 2 },
      {
        type: 'result',
        answer: 'All is well.',
        exit: 0,
        turns: 1,
        usage: { inputTokens: 10, outputTokens: 3 },
        toolCalls: [],
        denied: [],
        unknownOutcome: [],
        warnings: ['server down: connection refused'],
      },
    ]);
    expect(JSON.parse(run.stdout.split('\n')[0] ?? '').at).toBe('2026-01-01T00:00:00.000Z');
  });

  test('ends with the result also when the model failed or the config is bad', async () => {
    const failed = {
      ...goodRun,
      answer: '',
      exit: 8 as const,
      error: { code: 'provider', message: 'HTTP 401', hint: undefined },
    };
    const model = await cli(['-p', 'x', '--output', 'stream-json'], {
      host: { prompt: () => Promise.resolve(failed) },
    });
    const config = await cli(['-p', 'x', '--output', 'stream-json'], {
      config: new ConfigError('bad'),
    });
    const last = [model, config].map(({ stdout }) => events(stdout).at(-1));
    expect(last.map(({ type, exit }) => [type, exit])).toEqual([
      ['result', 8],
      ['result', 3],
    ]);
    expect(model.stderr).toEndWith('error: HTTP 401\n');
  });
});

test('flags reach the host', async () => {
  const config = { ...emptyConfig, servers: [] };
  const words = '-p x --tool a/b --no-tool c --permissions auto --yes a/b --max-turns 2';
  const more = '--max-tokens 7 --on-denied continue --artifacts off --patience 3s';
  const run = await cli([...words.split(' '), ...more.split(' ')], { config });
  const { onEvent: _onEvent, ...options } = run.options ?? { onEvent: undefined };
  expect(options).toEqual({
    config,
    cwd: '/srv/here',
    askUser: undefined,
    servers: undefined,
    toolPatterns: { only: ['a/b'], without: ['c'] },
    permissions: 'auto',
    yes: ['a/b'],
    limits: { maxTurns: 2, maxTokens: 7, onDenied: 'continue' },
    artifacts: 'off',
    preloadModel: true,
    promptIsTyped: true,
    patienceMs: 3000,
    talk: undefined,
    elicit: undefined,
    serverLogLevel: undefined,
    usesKeptTools: false,
    saving: undefined,
    surface: 'run',
    signInBy: undefined,
  });
});

test('a failing model request that hangs ends with the interrupt', async () => {
  const controller = new AbortController();
  const host: CliRun['host'] = {
    prompt: (_text, _options, signal) => {
      controller.abort(new InterruptedError('SIGTERM'));
      const error = {
        code: 'interrupted',
        message: String(signal.reason.message),
        hint: undefined,
      };
      return Promise.resolve({ ...goodRun, answer: '', exit: 1, error });
    },
  };
  const run = await cli(['-p', 'x'], { host, interrupt: controller.signal });
  expect([run.exit, run.stdout]).toEqual([143, '']);
});

test('a context that cannot be read to its end fails the run and closes the host', async () => {
  const broken = Promise.reject(new ProviderError('EIO'));
  broken.catch(() => undefined);
  const run = await cli(['-p', 'x'], { stdin: stdinOf(['part', broken]) });
  expect([run.exit, run.stdout, run.steps]).toEqual([
    1,
    '',
    ['config', 'create', 'start', 'close'],
  ]);
});
