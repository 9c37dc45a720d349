import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted, type ScriptedRun } from '../helpers/scripted-run.ts';
import { closedPort } from '../helpers/tcp.ts';
import { runUsher } from '../helpers/usher.ts';

const down = () => ({ name: 'down', url: `http://127.0.0.1:${closedPort()}/mcp` });

describe('a failed run has its own code, its reason on stderr and nothing on stdout', () => {
  const echo = { toolCalls: [{ name: 's1_echo', arguments: '{"text":"x"}' }] };
  const RUNS: readonly (readonly [string, ScriptedRun, number, RegExp])[] = [
    ['the model refuses the key', { steps: [{ status: 401, message: 'bad key' }] }, 8, /bad key/],
    [
      'the model cannot be reached',
      { steps: [], model: { baseUrl: `http://127.0.0.1:${closedPort()}/v1` } },
      8,
      /refused|reach|connect/i,
    ],
    [
      'the model answers with a page',
      { steps: [{ body: '<html>portal</html>', contentType: 'text/html' }] },
      8,
      /html|portal|stream/i,
    ],
    [
      'turns run out',
      { steps: { steps: [echo], after: 'repeat' }, flags: ['--max-turns', '2'] },
      7,
      /turn/i,
    ],
    ['a named server is unknown', { steps: [], flags: ['--server', 'nope'] }, 2, /nope/],
    [
      'a required server is down',
      { steps: [{ text: 'never asked' }], servers: [{ ...down(), required: true }] },
      4,
      /down/,
    ],
  ];

  test.each(RUNS)(
    '%s',
    async (_name, run, code, reason) => {
      await using server = await startMcpServer();
      const outcome = await runScripted({
        servers: [{ name: 's1', url: server.url }],
        timeoutMs: 30_000,
        ...run,
      });
      expect([outcome.code, outcome.stdout]).toEqual([code, '']);
      expect(outcome.stderr).toMatch(reason);
    },
    35_000,
  );

  test('the config is missing', async () => {
    const run = await runUsher(['--prompt', 'hi', '--config', 'nowhere.yaml']);
    expect([run.code, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toContain('nowhere.yaml');
  });
});

describe('a direct call', () => {
  test.each([
    ['of an unknown server', ['nope', 'echo'], 2, ''],
    ['of an unknown tool', ['s1', 'nope'], 2, ''],
    ['of a server that is down', ['down', 'echo'], 4, ''],
    ['answered by a JSON-RPC error', ['s1', 'breaks'], 1, ''],
    ['with a result that is an error', ['s1', 'fails'], 1, 'the disk is full\n'],
    ['that works', ['s1', 'read'], 0, 'nothing to read\n'],
  ])('%s', async (_name, words, code, stdout) => {
    await using server = await startMcpServer();
    const run = await runUsher(['call', ...words], {
      config: { servers: [{ name: 's1', url: server.url }, down()] },
    });
    expect([run.code, run.stdout]).toEqual([code, stdout]);
    if (code !== 0)
      expect(run.stderr.trim() === '').toBe(stdout !== '' && run.stderr.trim() === '');
  });
});

describe('servers that are down beside a prompt that is answered', () => {
  test('one of two: 0 with a warning; with --strict 4', async () => {
    await using server = await startMcpServer();
    const servers = [{ name: 's1', url: server.url }, down()];
    const steps = callThenAnswer(['s1_read', {}]);
    const [plain, strict] = await Promise.all([
      runScripted({ servers, steps }),
      runScripted({ servers, steps, flags: ['--strict'] }),
    ]);
    expect([plain.code, plain.stdout, strict.code]).toEqual([0, 'nothing to read\n', 4]);
    expect(plain.stderr).toContain('down');
  });

  test('all: the answer is there, and 4', async () => {
    const run = await runScripted({ servers: [down()], steps: [{ text: 'answered' }] });
    expect([run.code, run.stdout]).toEqual([4, 'answered\n']);
    expect(run.stderr).toContain('down');
  });
});
