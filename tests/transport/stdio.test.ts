/** What only a child process can do wrong: its output, its input, its end, its relatives. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError, type UnknownOutcomeError } from '../../src/base/errors.ts';
import { StdioTransport } from '../../src/transport/stdio.ts';
import { tool } from '../fixtures/servers/script.ts';
import type { StdioScript } from '../fixtures/servers/stdio.ts';
import { stdioCommand } from '../helpers/config.ts';
import { cpuMs } from '../helpers/cpu.ts';
import { newFolder } from '../helpers/places.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import {
  callTool,
  failureOf,
  never,
  open,
  stdioEndpoint,
  stdioRig,
  testPorts,
  until,
} from '../mcp/rig.ts';

const object = { type: 'object', properties: {} };
const family = resolve(import.meta.dir, '../fixtures/servers/family.sh');

async function connected(script: StdioScript, config: Parameters<typeof open>[2] = {}) {
  const rig = await stdioRig(script);
  const told: string[] = [];
  const connection = open(
    rig.endpoint,
    { log: (_level, message) => void told.push(message) },
    config,
  );
  await connection.connect(never);
  return Object.assign(connection, { rig, told });
}

function shell(line: string, changes: Parameters<typeof stdioEndpoint>[2] = {}) {
  return stdioEndpoint('sh', ['-c', line], changes);
}

/** Answers initialize and tools/list, then runs `then`. */
function answeringShell(then: string): string {
  const answer = (id: number, result: object) =>
    `read -r l; echo '${JSON.stringify({ jsonrpc: '2.0', id, result })}'`;
  return [
    answer(1, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'sh' } }),
    'read -r l',
    answer(2, { tools: [{ name: 'echo' }] }),
    then,
  ].join('; ');
}

describe('stdout', () => {
  test('text beside the protocol is skipped and noticed once, made visible', async () => {
    await using connection = await connected({
      strayAtStart:
        '\u001b[31mINFO: starting v1.2\u001b[0m\n\n[db] connected\n{"level":"info"}\n[1,2]\n',
      strayAfterEach: 'done\n',
      lineEnd: '\r\n',
    });
    expect([connection.status().state, connection.status().notices]).toEqual([
      'ready',
      ['server "s1" writes non-protocol text to stdout: \\u{1b}[31mINFO: starting v1.2\\u{1b}[0m'],
    ]);
    expect((await callTool(connection, 'echo', { text: 'x' })).content).toHaveLength(1);
    expect(connection.status().notices).toHaveLength(1);
  });

  test('a byte order mark before a message is dropped', async () => {
    await using connection = await connected({ prefix: '\ufeff' });
    expect([connection.status().state, connection.status().notices]).toEqual(['ready', []]);
  });

  test('a list of 3 MB in one line costs well under a second', async () => {
    const program = `
      const tools = Array.from({ length: 400 }, (_, n) => ({ name: 't' + n, description: 'x'.repeat(7500) }));
      for await (const line of console) {
        const { id, method } = JSON.parse(line);
        const result = method === 'initialize' ? { protocolVersion: '2025-11-25' } : { tools };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }`;
    await using connection = open(stdioEndpoint(process.execPath, ['-e', program]));
    expect(await cpuMs(() => connection.connect(never))).toBeLessThan(1500);
    expect(connection.status().tools).toHaveLength(400);
  });

  test('a result of 12 MB in one line arrives whole', async () => {
    const does = { big: { length: 8_000_000, pattern: 'abcé🙂' } };
    await using connection = await connected({ tools: [tool('big', 'big', object, { does })] });
    const { content } = await callTool(connection, 'big');
    const text = String(content[0]?.['text']);
    expect([text.length, text.startsWith('abcé🙂abcé🙂'), text.includes('\ufffd')]).toEqual([
      8_000_000,
      true,
      false,
    ]);
  });

  test('a line without end stops that server by the name of the bound', async () => {
    await using connection = await connected({ endlessLine: 200_000_000 });
    const { state, error } = connection.status();
    expect([state, error?.message, error?.details['limit']]).toEqual([
      'failed',
      'server "s1" sent a line longer than 16 MiB and was stopped',
      'stdio_line',
    ]);
  });

  test.each([
    ['lines', 'yes'],
    ['empty lines', "yes ''"],
    ['lines without many ends', `yes ${'x'.repeat(100_000)}`],
  ])(
    'a program that prints %s and never speaks is stopped by the name of the bound',
    async (_name, program) => {
      await using connection = open(shell(program));
      await connection.connect(never);
      const { state, error } = connection.status();
      expect([state, error?.message, error?.details['limit']]).toEqual([
        'failed',
        'server "s1" wrote more than 10,000 lines or 16 MiB to stdout without a protocol message and was stopped',
        'stdio_stray',
      ]);
    },
  );

  test('text of any length beside the protocol is skipped once the server has spoken', async () => {
    await using connection = await connected({ strayAfterEach: 'x\n'.repeat(12_000) });
    await callTool(connection, 'echo', { text: 'x' });
    expect(connection.status().state).toBe('ready');
  });

  test.each([
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}',
    '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}',
    '{"jsonrpc":"2.0","result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  ])('an answer to nothing is ignored: %s', async (line) => {
    await using connection = await connected({ strayAfterEach: `${line}\n` });
    await callTool(connection, 'echo', { text: 'x' });
    expect([connection.status().state, connection.status().notices]).toEqual(['ready', []]);
  });
});

test('a ping in the middle of a call is answered with its id', async () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 'p-1', method: 'ping' });
  const result = '{"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":%s}}\\n';
  await using connection = open(
    shell(
      answeringShell(`read -r l; echo '${ping}'; read -r pong; printf '${result}' "$pong"; cat`),
    ),
  );
  await connection.connect(never);
  expect((await callTool(connection, 'echo')).structuredContent).toEqual({
    jsonrpc: '2.0',
    id: 'p-1',
    result: {},
  });
});

describe('stderr', () => {
  test.each([false, true])('never blocks the server, progress bar %p', async (stderrAsBar) => {
    const does = { stderrBytes: 1_000_000, echo: true };
    await using connection = await connected({
      stderrAtStart: 1_000_000,
      stderrAsBar,
      tools: [tool('loud', 'loud', object, { does })],
    });
    expect((await callTool(connection, 'loud', { a: 1 })).content).toEqual([
      { type: 'text', text: '{"a":1}' },
    ]);
  });

  test('its end is shown when the server ends, with the code', async () => {
    await using connection = await connected({ exitAtStart: 3 });
    expect([connection.status().state, connection.status().error?.message]).toEqual([
      'failed',
      'server "s1" ended with exit code 3; its stderr ends:\nfixture: giving up at the start',
    ]);
  });

  test('its end is shown when the server stays silent', async () => {
    await using connection = open(
      shell('echo waiting for the moon >&2; sleep 30'),
      {},
      { timeout: { connectMs: 300, idleMs: 0, maxMs: 0, tools: {} } },
    );
    await connection.connect(never);
    expect(connection.status().error?.message).toBe(
      'server "s1" did not answer initialize within 300ms (timeout.connect); its stderr ends:\nwaiting for the moon',
    );
  });
});

describe('starting', () => {
  const cases = [
    ['no-such-program', {}, 'server "s1": cannot start no-such-program: not found in PATH'],
    ['./no/such/program', {}, 'server "s1": cannot start ./no/such/program: no such file'],
    ['/etc/passwd', {}, 'server "s1": cannot start /etc/passwd: it is not an executable file'],
    [
      'sh',
      { cwd: '/no/such/folder' },
      'server "s1": cannot start sh: the working directory /no/such/folder does not exist',
    ],
  ] as const;
  test.each(cases)('%s with %j fails in plain words', async (command, changes, message) => {
    await using connection = open(stdioEndpoint(command, [], changes));
    await connection.connect(never);
    const { state, error } = connection.status();
    expect([state, error?.code, error?.message]).toEqual(['failed', 'connect', message]);
  });

  test('arguments arrive verbatim, no shell in between', async () => {
    const args = ['a b', '"q"', '%PATH%', '&', '^', '', '$HOME', '*'];
    const does = { argv: true };
    const { command, args: own } = stdioCommand({
      tools: [tool('argv', 'argv', object, { does })],
    });
    await using connection = open(stdioEndpoint(command, [...own, ...args]));
    await connection.connect(never);
    const { content } = await callTool(connection, 'argv');
    expect(JSON.parse(String(content[0]?.['text'])).slice(1)).toEqual(args);
  });

  test('the environment is the allowlist, env and envPass, nothing else', async () => {
    const does = { env: true };
    const { command, args } = stdioCommand({ tools: [tool('env', 'env', object, { does })] });
    await using connection = open(
      stdioEndpoint(command, args, {
        env: { OWN: 'yes', LANG: 'C' },
        envPass: ['WANTED', 'ALL_PROXY'],
      }),
      {
        env: {
          PATH: '/usr/bin:/bin',
          HOME: '/home/me',
          LANG: 'de_DE.UTF-8',
          LC_TIME: 'C',
          XDG_CACHE_HOME: '/c',
          SSL_CERT_FILE: '/ca',
          https_proxy: 'http://me:secret@proxy:3128/',
          HTTP_PROXY: 'me:secret@proxy:3128',
          ALL_PROXY: 'http://me:wanted@proxy',
          WANTED: 'w',
          OPENAI_API_KEY: 'canary',
          LD_PRELOAD: '/evil.so',
        },
      },
    );
    await connection.connect(never);
    const { content } = await callTool(connection, 'env');
    expect(JSON.parse(String(content[0]?.['text']))).toEqual({
      PATH: '/usr/bin:/bin',
      HOME: '/home/me',
      LANG: 'C',
      LC_TIME: 'C',
      XDG_CACHE_HOME: '/c',
      SSL_CERT_FILE: '/ca',
      https_proxy: 'http://proxy:3128/',
      HTTP_PROXY: 'proxy:3128',
      ALL_PROXY: 'http://me:wanted@proxy',
      WANTED: 'w',
      OWN: 'yes',
    });
  });
});

describe('a server that goes away', () => {
  test('in a call leaves the outcome unknown, and the next call starts it again', async () => {
    const folder = newFolder();
    const flag = join(folder, 'ran');
    const tools = [
      tool('dies', 'dies', object, { does: { writes: flag, exit: 7 } }),
      tool('lives', 'lives', object),
    ];
    await using connection = await connected({ tools });
    const error = await failureOf(callTool(connection, 'dies'));
    expect([error.name, error.message, (error as UnknownOutcomeError).details]).toEqual([
      'UnknownOutcomeError',
      'server "s1" ended with exit code 7; whether s1/dies ran is not known',
      { sent: true, exitCode: 7, signal: null },
    ]);
    expect([connection.status().state, connection.status().tools.length]).toEqual(['failed', 2]);
    expect((await callTool(connection, 'lives')).content).toHaveLength(1);
    expect(connection.status().state).toBe('ready');
  });

  test.each(['small', 'x'.repeat(200_000)])('by closing its input fails the call', async (text) => {
    const closed = join(newFolder(), 'closed');
    const line = answeringShell(`exec 0<&-; : > '${closed}'; sleep 30`);
    await using connection = open(shell(line));
    await connection.connect(never);
    expect(connection.status().state).toBe('ready');
    await until(() => existsSync(closed));
    const error = await failureOf(callTool(connection, 'echo', { text }));
    expect([error.name, error.message]).toEqual([
      'ConnectError',
      'server "s1" no longer reads its input',
    ]);
  });

  test('between two requests is still known by its end', async () => {
    const endpoint = shell('echo last words >&2; exit 4');
    const transport = new StdioTransport('s1', endpoint, testPorts());
    const closed = Promise.withResolvers<AppError>();
    transport.open({
      onMessage: () => undefined,
      onNotice: () => undefined,
      onClose: (error) => closed.resolve(error),
    });
    const text = 'server "s1" ended with exit code 4; its stderr ends:\nlast words';
    const error = await closed.promise;
    const refused = await failureOf(transport.send({ jsonrpc: '2.0' }, { signal: never }));
    expect([error.message, error.details, refused.message, (refused as AppError).details]).toEqual([
      text,
      { sent: true, exitCode: 4, signal: null },
      text,
      { sent: false },
    ]);
    await transport.close();
  });

  test('by a signal is said to be', async () => {
    await using connection = open(shell(answeringShell('read -r l; kill -9 $$')));
    await connection.connect(never);
    const error = await failureOf(callTool(connection, 'echo'));
    expect(error.message).toBe(
      'server "s1" was ended by SIGKILL; whether s1/echo ran is not known',
    );
  });

  test('by closing its output fails the call', async () => {
    await using connection = open(shell(answeringShell('read -r l; exec 1>&-; sleep 30')));
    await connection.connect(never);
    const error = await failureOf(callTool(connection, 'echo'));
    expect(error.message).toBe('server "s1" closed its output; whether s1/echo ran is not known');
  });
});

describe('a server that hangs', () => {
  const stuck = [
    tool('stuck', 'stuck', object, { does: { never: true } }),
    tool('echo', 'e', object),
  ];

  async function timedOut(config: Parameters<typeof open>[2]) {
    const clock = createManualClock();
    const rig = await stdioRig({ tools: stuck });
    const connection = open(rig.endpoint, { clock }, config);
    await connection.connect(never);
    const calls = () => rig.messages().filter((one) => one['method'] === 'tools/call').length;
    const callOnce = async () => {
      const before = calls();
      const failing = failureOf(callTool(connection, 'stuck'));
      await until(() => calls() > before);
      await clock.advance(1000);
      return failing;
    };
    return { clock, rig, connection, callOnce };
  }
  const timeout = { connectMs: 0, idleMs: 1000, maxMs: 0, tools: {} };

  test('is ended after 2 s of silence and started anew by the next call', async () => {
    const { clock, rig, connection, callOnce } = await timedOut({ timeout });
    await callOnce();
    await clock.advance(1999);
    expect(connection.status().state).toBe('ready');
    await clock.advance(1);
    expect(connection.status().state).toBe('idle');
    await callTool(connection, 'echo');
    expect(rig.messages().filter((one) => one['method'] === 'initialize')).toHaveLength(2);
    const closing = connection.close();
    await clock.advance(10_000);
    await closing;
  });

  test('is kept with restartOnTimeout false', async () => {
    const { clock, connection, callOnce } = await timedOut({ timeout, restartOnTimeout: false });
    await callOnce();
    await clock.advance(60_000);
    expect(connection.status().state).toBe('ready');
    const closing = connection.close();
    await clock.advance(10_000);
    await closing;
  });

  test('is given up after three in a row, until connected again', async () => {
    const { clock, connection, callOnce } = await timedOut({ timeout, restartOnTimeout: false });
    for (let n = 0; n < 3; n += 1) await callOnce();
    const { state, notices } = connection.status();
    expect([state, notices]).toEqual([
      'failed',
      ['server "s1": several calls in a row ran out of time; it is not called any more'],
    ]);
    const error = await failureOf(callTool(connection, 'echo'));
    expect(error instanceof AppError && [error.message, error.hint]).toEqual([
      'server "s1": several calls in a row ran out of time',
      '/mcp reconnect s1',
    ]);
    await connection.connect(never);
    expect((await callTool(connection, 'echo')).content).toHaveLength(1);
    const closing = connection.close();
    await clock.advance(10_000);
    await closing;
  });
});

describe('closing', () => {
  test('leaves nobody of a family that ignores everything but KILL, within 3 s', async () => {
    const folder = newFolder();
    const pidFile = join(folder, 'server.pid');
    const { command, args } = stdioCommand({ ignoreEof: true, ignoreTerm: true, pidFile });
    const connection = open(stdioEndpoint('sh', [family, folder, command, ...args]));
    await connection.connect(never);
    expect(connection.status().state).toBe('ready');
    const pids = ['shell', 'grandchild', 'server'].map((name) =>
      Number(readFileSync(join(folder, `${name}.pid`), 'utf8')),
    );
    const started = performance.now();
    await connection.close();
    expect([pids.filter(isAlive), performance.now() - started < 3500]).toEqual([[], true]);
  });

  test('gives a server that obeys its end of input no signal', async () => {
    const folder = newFolder();
    const line = `trap 'echo term >> ${folder}/signals' TERM; ${answeringShell('read -r l; echo eof > "$1/end"')}`;
    const connection = open(stdioEndpoint('sh', ['-c', line, 'sh', folder]));
    await connection.connect(never);
    await connection.close();
    expect(readFileSync(join(folder, 'end'), 'utf8')).toBe('eof\n');
    expect(() => readFileSync(join(folder, 'signals'))).toThrow();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A process that nobody reaped is dead all the same.
  return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}
