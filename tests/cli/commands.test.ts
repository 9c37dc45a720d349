/** `tools`, `call`, `config` and `help` against a fake host. */
import { describe, expect, test } from 'bun:test';
import {
  ConnectError,
  LimitError,
  ProtocolError,
  UnknownOutcomeError,
} from '../../src/base/errors.ts';
import type { JsonValue } from '../../src/base/json.ts';
import type { CallOutcome } from '../../src/calls/types.ts';
import type { Config, ServerConfig } from '../../src/config/types.ts';
import type { RegisteredTool } from '../../src/tools/types.ts';
import {
  type CliRun,
  cli,
  emptyConfig,
  reportOf,
  snapshotOf,
  statusOf,
  stdinOf,
  toolOf,
} from './fakes.ts';

function server(name: string, url = `https://${name}.test/mcp`, enabled = true): ServerConfig {
  return {
    name,
    endpoint: { kind: 'http', url, headers: {}, auth: undefined, allowPrivate: false },
    enabled,
    required: false,
    description: undefined,
    tools: undefined,
    permissions: undefined,
    toolPermissions: {},
    trustAnnotations: false,
    exposure: 'direct',
    binary: 'drop',
    instructions: 'full',
    protocol: 'auto',
    restartOnTimeout: true,
    timeout: { connectMs: 1, idleMs: 1, maxMs: 1, tools: {} },
  };
}
const config: Config = {
  ...emptyConfig,
  servers: [server('fs'), server('git-hub'), server('off', 'https://off.test/', false)],
};
const read = toolOf('fs', 'read_file', 'Reads a file.\nAll of it.');
const binary: RegisteredTool = {
  ...toolOf('fs', 'upload'),
  hidden: { kind: 'binary', schemaPath: '$.file' },
  exposure: 'hidden',
};
const host = { report: reportOf([statusOf('fs')]), snapshot: snapshotOf([read], [binary]) };

describe('tools', () => {
  test('a name with line ends stays on its line', async () => {
    const snapshot = snapshotOf([toolOf('s', 'a\nfake/tool  Safe.\u001b[2J')]);
    const run = await cli(['tools'], { host: { report: reportOf([statusOf('s')]), snapshot } });
    expect(run.stdout).toBe('s/a\\nfake/tool  Safe.\\u{1b}[2J  Does it.\n');
  });

  test('one line each, the hidden ones with their reason', async () => {
    const run = await cli(['tools'], { host, config });
    expect([run.exit, run.stdout, run.stderr]).toEqual([
      0,
      'fs/read_file  Reads a file.\nfs/upload     (hidden: needs binary data at $.file; binary: keep offers it)\n',
      '',
    ]);
  });

  test('--json is verbatim with names; --all adds the hidden ones', async () => {
    const few = JSON.parse((await cli(['tools', '--json'], { host, config })).stdout);
    const all = JSON.parse(
      (await cli(['tools', '--output=json', '--all'], { host, config })).stdout,
    );
    const shown = { ...read.definition.raw, server: 'fs', publicName: 'fs_read_file' };
    expect(few).toEqual({ tools: [shown] });
    expect(all).toEqual({
      tools: [
        { ...shown, exposed: true },
        {
          ...binary.definition.raw,
          server: 'fs',
          publicName: 'fs_upload',
          exposed: false,
          reason: 'needs binary data at $.file; binary: keep offers it',
        },
      ],
    });
  });

  test("--why tells what a model's call meets and what says so, in --json as well", async () => {
    const { stdout } = await cli(['tools', '--why'], { host, config });
    expect(stdout).toBe(
      [
        'fs/read_file  ask    mcp.permissions: ask',
        '              deny   c.yaml:2 deny "fs/*" when path: "secrets/*"',
        'fs/upload     hidden  needs binary data at $.file; binary: keep offers it',
        '',
      ].join('\n'),
    );
    const run = await cli(['tools', '--why', '--json'], { host, config });
    const [shown] = JSON.parse(run.stdout).tools;
    expect(shown.permission).toEqual({
      effect: 'ask',
      why: 'mcp.permissions: ask',
      sometimes: [{ effect: 'deny', why: 'c.yaml:2 deny "fs/*" when path: "secrets/*"' }],
    });
  });

  test('only the named server is started', async () => {
    expect((await cli(['tools', 'fs'], { host, config })).options?.servers).toEqual(['fs']);
  });

  test('a bare URL is a server of its own, and a configured URL is the configured one', async () => {
    const bare = await cli(['tools', 'http://127.0.0.1:7/mcp'], { config });
    const known = await cli(['tools', 'https://fs.test/mcp'], { host, config });
    const [one] = bare.options?.config.servers ?? [];
    expect([one?.name, one?.permissions, one?.endpoint]).toEqual([
      '127-0-0-1-7',
      'auto',
      {
        kind: 'http',
        url: 'http://127.0.0.1:7/mcp',
        headers: {},
        auth: { type: 'oauth' },
        allowPrivate: false,
      },
    ]);
    expect(known.options?.servers).toEqual(['fs']);
  });

  test.each([
    [['fss'], 2, 'unknown server "fss"'],
    [['off'], 2, 'server off is disabled'],
    [['fs', 'more'], 2, 'unexpected argument "more"'],
    [['https://u:p@h.test/'], 2, 'user name and password'],
    [['https://h.test/?api_key=abc'], 2, 'the parameter api_key is a secret'],
    [['https://h.test/', '--header', 'Authorization: Bearer abc'], 2, 'must not hold a secret'],
    [
      ['https://h.test/', '--header', `Authorization: Bearer \${NOT_SET}`],
      6,
      '$NOT_SET is not set',
    ],
    [['https://h.test/', '--bearer-env', 'NOT_SET'], 6, '$NOT_SET is not set'],
    [['https://h.test/', '--bearer-env', 'sk-abcdefghijklmnop'], 2, 'takes the NAME of a variable'],
    [['fs', '--bearer-env', 'X'], 2, 'go with a bare URL only'],
    [['--output', 'stream-json'], 2, 'does not go with usher tools'],
  ])('%p ends with %d', async (words, exit, said) => {
    const run = await cli(['tools', ...words], { host, config });
    expect([run.exit, run.stdout, run.options]).toEqual([exit, '', undefined]);
    expect(run.stderr).toContain(said);
    expect(run.stderr).not.toMatch(/Bearer abc|sk-abc|u:p|=abc/);
  });

  test('headers expand and the bearer goes by name', async () => {
    const words = [
      'tools',
      'https://h.test/',
      '--header',
      `X-Team=\${TEAM}`,
      '--bearer-env',
      'TOK',
    ];
    const run = await cli(words, { env: { TEAM: 'docs', TOK: 'value-of-tok' } });
    expect(run.options?.config.servers[0]?.endpoint).toEqual({
      kind: 'http',
      url: 'https://h.test/',
      headers: { 'X-Team': 'docs' },
      auth: { type: 'bearer', tokenEnv: 'TOK' },
      allowPrivate: false,
    });
  });

  test('all servers down: 4; one of two: 0, with --strict 4', async () => {
    const down = statusOf('x', { state: 'failed', error: new ConnectError('x is down') });
    const two = { ...host, report: reportOf([statusOf('fs'), down]) };
    const exits = [
      (await cli(['tools'], { config, host: { report: reportOf([down]) } })).exit,
      (await cli(['tools'], { config, host: two })).exit,
      (await cli(['tools', '--strict'], { config, host: two })).exit,
    ];
    expect(exits).toEqual([4, 0, 4]);
  });
});

function answer(content: readonly Record<string, JsonValue>[], more: object = {}): CallOutcome {
  const result = {
    content,
    structuredContent: undefined,
    isError: false,
    raw: { content: [...content] },
    ...more,
  };
  const rendered = {
    text: 'rendered',
    isError: result.isError,
    artifacts: [],
    omittedCharacters: 0,
  };
  return { kind: 'result', tool: read, result, rendered };
}

const calls = (outcome: CallOutcome): CliRun => ({
  config,
  host: { ...host, call: () => Promise.resolve(outcome) },
});

describe('call', () => {
  const text = answer([
    { type: 'text', text: 'a\u001b[1m' },
    { type: 'text', text: 'b' },
  ]);

  test.each([
    [['fs', 'read_file', 'path=x']],
    [['fs/read_file', 'path=x']],
    [['https://fs.test/mcp', 'read_file', 'path=x']],
    [['fs', 'read_file', '{"path":"x"}']],
  ])('%p calls the tool and starts its server alone', async (words) => {
    const run = await cli(['call', ...words], calls(text));
    expect([run.exit, run.stdout, run.options?.servers, run.steps]).toEqual([
      0,
      'a\u001b[1m\nb\n',
      ['fs'],
      ['config', 'create', 'start', 'call fs/read_file {"path":"x"}', 'close'],
    ]);
  });

  test('- reads one JSON object from stdin', async () => {
    const stdin = stdinOf(['{"path":', '"x"}']);
    const run = await cli(['call', 'fs', 'read_file', '-'], { ...calls(text), stdin });
    expect(run.steps).toContain('call fs/read_file {"path":"x"}');
    const bad = await cli(['call', 'fs', 'read_file', '-'], {
      ...calls(text),
      stdin: stdinOf(['[1]']),
    });
    expect([bad.exit, bad.steps]).toEqual([2, ['config']]);
  });

  test('--json prints the result as received', async () => {
    const run = await cli(['call', 'fs', 'read_file', '--json'], calls(text));
    expect(JSON.parse(run.stdout)).toEqual({
      content: [
        { type: 'text', text: 'a\u001b[1m' },
        { type: 'text', text: 'b' },
      ],
    });
  });

  test('text is whole where rendering cut it; other content is rendered', async () => {
    const long = answer([{ type: 'text', text: 'long' }, { type: 'image' }]);
    const cut =
      long.kind === 'result'
        ? { ...long, rendered: { ...long.rendered, omittedCharacters: 9 } }
        : long;
    const image = await cli(['call', 'fs', 'read_file'], calls(long));
    const whole = await cli(['call', 'fs', 'read_file'], calls(cut));
    expect([image.stdout, whole.stdout]).toEqual(['rendered\n', 'long\n']);
  });

  test('structured content that repeats the text is not rendered again', async () => {
    const same = answer([{ type: 'text', text: '{"b":1,"a":2}' }], {
      structuredContent: { a: 2, b: 1 },
    });
    const run = await cli(['call', 'fs', 'read_file'], calls(same));
    expect(run.stdout).toBe('{"b":1,"a":2}\n');
  });

  const limit = new LimitError('silent for 60s');
  test.each<[string, CallOutcome, number]>([
    ['isError', answer([{ type: 'text', text: 'no' }], { isError: true }), 1],
    ['arguments that nobody sent', { kind: 'invalid', tool: undefined, text: 'bad' }, 2],
    [
      'a deny rule',
      { kind: 'denied', tool: read, by: 'rule', text: 'denied', remedy: undefined },
      5,
    ],
    [
      'a connection that was refused',
      { kind: 'failed', tool: read, text: '', error: new ConnectError('down') },
      4,
    ],
    [
      'an error of the server',
      { kind: 'failed', tool: read, text: '', error: new ProtocolError('-32001') },
      1,
    ],
    [
      'no answer',
      { kind: 'unknown', tool: read, text: '', error: new UnknownOutcomeError('lost') },
      9,
    ],
    [
      'a clock',
      {
        kind: 'unknown',
        tool: read,
        text: '',
        error: new UnknownOutcomeError('lost', { cause: limit }),
      },
      7,
    ],
  ])('%s', async (_name, outcome, exit) => {
    const run = await cli(['call', 'fs', 'read_file'], calls(outcome));
    expect([run.exit, run.stdout]).toEqual([
      exit,
      exit === 1 && outcome.kind === 'result' ? 'no\n' : '',
    ]);
    expect(run.stderr).toStartWith('error: ');
  });

  test.each([
    [[], 'which tool?'],
    [['fs'], 'which tool of fs?'],
    [['fs', 'nope'], 'unknown tool "fs/nope"'],
    [['nope/read_file'], 'unknown server "nope"'],
    [['fs', 'read_file', '-', 'a=1'], '- stands alone'],
    [
      ['fs', 'read_file', 'bad=1', '--check'],
      'the arguments do not fit fs/read_file: bad: not known',
    ],
  ])('%p is a usage error', async (words, said) => {
    const run = await cli(['call', ...words], calls(text));
    expect([run.exit, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(said);
    expect(run.steps.filter((step) => step.startsWith('call'))).toEqual([]);
  });

  test.each(['fs.read_file', 'fs_read_file', 'mcp__fs__read_file'])(
    '%s starts fs alone',
    async (name) => {
      const run = await cli(['call', name], calls(text));
      expect(run.options?.servers).toEqual(['fs']);
    },
  );
});

describe('config and help', () => {
  test('check names problems and ends with 3 when an entry is skipped', async () => {
    const warnings = [{ message: 'f.yaml:3:1 bad', hint: undefined, skipped: 'bad' }];
    const bad = { ...config, skipped: ['bad'], warnings };
    const run = await cli(['config', 'check'], { config: bad });
    expect([run.exit, run.stdout, run.stderr]).toEqual([
      3,
      '/home/me/config.yaml: 3 servers, 1 skipped\n',
      'warning: f.yaml:3:1 bad\n',
    ]);
    expect((await cli(['config', 'check'], { config })).exit).toBe(0);
  });

  test('an unknown action and topic name the nearest', async () => {
    const action = await cli(['config', 'chek']);
    const topic = await cli(['help', 'exitcodes']);
    expect([action.exit, topic.exit]).toEqual([2, 2]);
    expect(action.stderr).toContain('did you mean check?');
    expect(topic.stderr).toContain('did you mean exit-codes?');
  });

  test('help goes to stdout, shows every flag of the command and no colour', async () => {
    const run = await cli(['call', '--help']);
    expect([run.exit, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toStartWith('call one tool; no model needed');
    expect(run.stdout.match(/--[a-z-]+/g)).toContain('--bearer-env');
    expect(run.stdout).not.toContain('\u001b');
    expect((await cli(['help', 'call'])).stdout).toBe(run.stdout);
  });
});

test('an interrupt while stdin is awaited ends at once', async () => {
  const interrupt = AbortSignal.abort(new LimitError('stop'));
  const silent = stdinOf([new Promise<never>(() => undefined)]);
  const [run, call] = await Promise.all([
    cli([], { stdin: silent, interrupt }),
    cli(['call', 'fs', 'read_file', '-'], { ...calls(answer([])), stdin: silent, interrupt }),
  ]);
  expect([run.exit, call.exit]).toEqual([7, 7]);
});
