import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type ScriptedTool, tool } from '../fixtures/servers/script.ts';
import type { StdioScript } from '../fixtures/servers/stdio.ts';
import { stdioCommand, stdioServer } from '../helpers/config.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
const MB = 1_000_000;
const LIMIT = /longer than 16 MiB/;

type Call = readonly [name: string, args: object];

/** A tool whose result has this many characters. */
function bigTool(length: number): ScriptedTool {
  return tool('big', 'Returns much.', any, { does: { big: { length, pattern: 'abcdefghi ' } } });
}

/** `s1` with a script that is too long for an argument. */
function serverFromFile(script: StdioScript): object {
  const { command, args } = stdioCommand();
  const preload = `process.argv[2] = ${JSON.stringify(JSON.stringify(script))};`;
  const file = join(writeFiles(newFolder(), { 'script.mjs': preload }), 'script.mjs');
  return { name: 's1', command, args: ['--preload', file, ...args.slice(0, 1)] };
}

/** `s1` as told, beside a plain `s2`; both may be called in one reply. */
function runBeside(s1: StdioScript, ...calls: readonly Call[]) {
  return runScripted({
    servers: [stdioServer('s1', s1), stdioServer('s2')],
    steps: callThenAnswer(...calls),
  });
}

describe('one message on one long line', () => {
  test('400 tools in three megabytes are all listed', async () => {
    const tools = Array.from({ length: 400 }, (_, at) =>
      tool(`tool_${at}`, `${at} ${'words '.repeat(1250)}`, any),
    );
    const run = await runUsher(['tools', 's1', '--json'], {
      config: { servers: [serverFromFile({ tools })] },
    });
    expect(run.code).toBe(0);
    const names = new Set(run.stdout.match(/\btool_\d+\b/g));
    expect(names.size).toBe(400);
    expect(run.ms).toBeLessThan(5000);
  });

  test('a result of twelve megabytes arrives', async () => {
    const run = await runBeside({ tools: [bigTool(12 * MB)] }, ['s1_big', {}]);
    expect(run.code).toBe(0);
    expect(run.stderr).not.toMatch(LIMIT);
    expect(toolTexts(run.requests).join()).toContain('abcdefghi abcdefghi');
    expect(run.ms).toBeLessThan(5000);
  });

  test('a result beyond the bound fails that call, named with the bound; the other works', async () => {
    const run = await runBeside(
      { tools: [bigTool(20 * MB)] },
      ['s1_big', {}],
      ['s2_echo', { text: 'still here' }],
    );
    const [big, echo] = toolTexts(run.requests);
    // The call may have happened.
    expect(run.code).toBe(9);
    expect(big).toMatch(LIMIT);
    expect(big).toContain('s1');
    expect(echo).toContain('still here');
    expect(run.ms).toBeLessThan(5000);
  });
});

describe('a line that never ends', () => {
  const endless = { endlessLine: 200 * MB };

  test('stops the server that sends it and no other', async () => {
    const run = await runBeside(endless, ['s2_echo', { text: 'still here' }]);
    expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"still here"}']);
    expect(run.stderr).toMatch(LIMIT);
    expect(run.stderr).toContain('s1');
    expect(run.stderr).not.toContain('xxxxxxxxxxxxxxxxxxxx'.repeat(50));
    expect(run.ms).toBeLessThan(5000);
  });

  test('is the error of a command that needs this server', async () => {
    const run = await runUsher(['tools', 's1'], {
      config: { servers: [stdioServer('s1', endless)] },
    });
    expect([run.code, run.stdout]).toEqual([4, '']);
    expect(run.stderr).toMatch(LIMIT);
    expect(run.ms).toBeLessThan(5000);
  });
});
