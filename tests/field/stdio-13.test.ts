import { describe, expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from '../fixtures/servers/script.ts';
import { stdioCommand } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const any = { type: 'object', properties: {} };
const { command, args } = stdioCommand({
  tools: [tool('argv', 'Tells its arguments.', any, { does: { argv: true } })],
});

const AWKWARD = [
  '',
  'two words',
  '  spaces around  ',
  'double "quotes"',
  "single 'quotes'",
  '%PATH%',
  'a&b && c',
  'up ^ there',
  'semi; colon | pipe > file < in',
  '$HOME $(id) `id`',
  'C:\\Program Files\\x\\',
  '*.ts ?',
  '~/x',
  'tab\tand\nline',
  'größe 日本 😀',
  '--flag=a b',
  '--',
  '!history',
  '',
];

/** What the server says it was started with, after its script. */
async function seenArguments(program: string, extra: readonly string[], path?: string) {
  const run = await runScripted({
    servers: [{ name: 's1', command: program, args: [...args, ...extra] }],
    steps: callThenAnswer(['s1_argv', {}]),
    ...(path === undefined ? {} : { env: { PATH: path } }),
  });
  expect(run.code).toBe(0);
  const seen: unknown = JSON.parse(toolTexts(run.requests).join());
  return Array.isArray(seen) ? seen.slice(1) : seen;
}

describe('the arguments of a command', () => {
  test('arrive as they are in the config, with no shell between', async () => {
    expect(await seenArguments(command, AWKWARD)).toEqual(AWKWARD);
  });

  test('arrive the same where the program is found on PATH', async () => {
    const folder = newFolder();
    symlinkSync(command, join(folder, 'launcher'));
    const path = `${folder}:${String(Bun.env['PATH'])}`;
    expect(await seenArguments('launcher', AWKWARD, path)).toEqual(AWKWARD);
  });

  test('arrive the same where the path of the program has a space and a quote', async () => {
    const program = join(newFolder(), 'my "own" & program');
    symlinkSync(command, program);
    expect(await seenArguments(program, AWKWARD)).toEqual(AWKWARD);
  });
});
