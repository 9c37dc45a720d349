import { describe, expect, test } from 'bun:test';
import { tool } from '../fixtures/servers/script.ts';
import { stdioCommand } from '../helpers/config.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';
import { runUsher, usherBinary } from '../helpers/usher.ts';

const ESC = String.fromCharCode(27);
const CHATTER = `INFO server listening\n${ESC}[2J${ESC}[HINFO cache warm\nINFO ready`;
const mergeStreams = ['sh', '-c', 'exec "$0" "$@" 2>&1', usherBinary];

/** The fixture behind a shell that first prints `CHATTER` on stderr. */
function chattyServer(script: Parameters<typeof stdioCommand>[0] = {}): object {
  const { command, args } = stdioCommand(script);
  const shell = 'printf "%s\\n" "$CHATTER" >&2; exec "$0" "$@"';
  return { name: 's1', command: 'sh', args: ['-c', shell, command, ...args], env: { CHATTER } };
}

const noisyTool = tool(
  'echo',
  'Echoes.',
  { type: 'object', properties: {} },
  { does: { stderrBytes: 4000 } },
);

function runChatty(command?: readonly string[], flags: readonly string[] = []) {
  return runScripted({
    servers: [chattyServer({ tools: [noisyTool] })],
    steps: callThenAnswer(['s1_echo', { n: 7 }]),
    command,
    flags,
  });
}

describe('what a server logs on stderr', () => {
  test('is in neither stream of a run that goes well', async () => {
    const run = await runChatty();
    expect([run.code, run.stdout]).toEqual([0, '{"n":7}\n']);
    expect(run.stderr).not.toMatch(/INFO|noise \./);
    expect(run.stderr).not.toContain(ESC);
  });

  test('does not reach a script that captures both streams as one', async () => {
    const run = await runChatty(mergeStreams);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toContain('{"n":7}\n');
    expect(run.stdout).not.toMatch(/INFO|noise \./);
    expect(run.stdout).not.toContain(ESC);
  });

  test('leaves the answer alone where both are one and the run is quiet', async () => {
    const run = await runChatty(mergeStreams, ['--quiet']);
    expect([run.code, run.stdout]).toEqual([0, '{"n":7}\n']);
  });

  test('is never shown raw, however verbose the run', async () => {
    const run = await runChatty(undefined, ['-vv']);
    expect([run.code, run.stdout]).toEqual([0, '{"n":7}\n']);
    expect(run.stderr).not.toContain(ESC);
    expect(run.stderr).not.toMatch(/^INFO/m);
  });

  test('is quoted beside the name of a server that fails, its control bytes harmless', async () => {
    const run = await runUsher(['tools', 's1'], {
      config: { servers: [chattyServer({ exitAtStart: 3 })] },
    });
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.stderr).toContain('s1');
    expect(run.stderr).toContain('INFO ready');
    expect(run.stderr).not.toContain(ESC);
    expect(run.stderr).not.toMatch(/^INFO/m);
  });
});
