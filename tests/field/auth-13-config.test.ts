import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { runUsher } from '../helpers/usher.ts';

/** Built at run time: a literal would itself be a finding for scanners. */
const canary = (what: string) => ['canary', what, '9f8e7d6c5b4a'].join('-');
const SECRETS = {
  header: canary('header'),
  env: canary('env'),
  arg: canary('arg'),
  query: canary('query'),
  userinfo: canary('userinfo'),
  shaped: ['gh', 'p_', 'Canary0123456789abcdefgh'].join(''),
  variable: canary('variable'),
};

function leaksIn(text: string): readonly string[] {
  return Object.entries(SECRETS).flatMap(([name, value]) => (text.includes(value) ? [name] : []));
}

function filesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

test('what a file holds in spite of the rules is shown by no command', async () => {
  const name = '.config/usher/config.yaml';
  const home = writeFiles(newFolder(), {
    [name]: `servers:
  - name: h
    url: https://mcp.example.com/mcp?api_key=${SECRETS.query}
    headers: { Authorization: "Bearer ${SECRETS.header}", X-Team: ${SECRETS.shaped} }
  - name: u
    url: https://user:${SECRETS.userinfo}@mcp.example.com/mcp
  - name: s
    command: /bin/false
    args: [--api-key, ${SECRETS.arg}, --token=${SECRETS.arg}, "\${FROM_OUTSIDE}"]
    env: { ANY_NAME: ${SECRETS.env}, TOKEN: "\${FROM_OUTSIDE}" }
`,
  });
  const cwd = newFolder();
  const env = { FROM_OUTSIDE: SECRETS.variable };
  const commands = [
    ['mcp', 'list'],
    ['mcp', 'list', '--json'],
    ['mcp', 'get', 'h'],
    ['mcp', 'get', 'u', '--json'],
    ['mcp', 'get', 's'],
    ['mcp', 'get', 's', '--json'],
    ['mcp', 'disable', 's'],
    ['mcp', 'enable', 's'],
    ['mcp', 'doctor', 's'],
    ['config', 'check'],
    ['tools', 'h'],
    ['tools', 'u'],
    ['tools', 's', '--verbose', '--verbose'],
  ];
  for (const words of commands) {
    const run = await runUsher(words, { home, cwd, env });
    expect([words, leaksIn(run.stdout + run.stderr)]).toEqual([words, []]);
  }
  const config = readFileSync(join(home, name), 'utf8');
  expect(leaksIn(filesBelow(home).replace(config, ''))).toEqual([]);
}, 20_000);

test('a waiting project server is shown without its values', async () => {
  const cwd = writeFiles(newFolder(), {
    '.mcp.json': JSON.stringify({
      mcpServers: {
        p: { command: 'x', args: ['--key', SECRETS.shaped], env: { ANY: SECRETS.env } },
        q: { url: 'https://a.example/', headers: { 'X-Any': SECRETS.header } },
      },
    }),
  });
  const home = newFolder();
  for (const words of [
    ['mcp', 'list'],
    ['mcp', 'list', '--json'],
    ['mcp', 'get', 'p'],
    ['mcp', 'get', 'q', '--json'],
    ['mcp', 'approve', 'p', 'q', '--json'],
    ['mcp', 'reject', 'p', 'q'],
    ['tools', 'p'],
  ]) {
    const run = await runUsher(words, { home, cwd });
    expect([words, leaksIn(run.stdout + run.stderr)]).toEqual([words, []]);
  }
  expect(leaksIn(filesBelow(home))).toEqual([]);
}, 20_000);

test('mcp add refuses literal secrets, shows none of them and writes nothing', async () => {
  const home = newFolder();
  const cwd = newFolder();
  const refused = [
    ['h', 'https://a.example/mcp', '--header', `Authorization: Bearer ${SECRETS.header}`],
    ['h', 'https://a.example/mcp', '--header', `X-Api-Key=${SECRETS.header}`],
    ['h', `https://a.example/mcp?token=${SECRETS.query}`],
    ['h', `https://me:${SECRETS.userinfo}@a.example/mcp`],
    ['h', 'https://a.example/mcp', '--bearer-env', SECRETS.shaped],
    ['h', 'https://a.example/mcp', '--description', SECRETS.shaped],
    ['s', '--env', `API_TOKEN=${SECRETS.env}`, '--', 'x'],
    ['s', '--env', SECRETS.shaped, '--', 'x'],
    ['s', '--command', 'x', '--args', `--api-key,${SECRETS.arg}`],
    ['s', '--', 'x', `--token=${SECRETS.arg}`],
  ];
  for (const words of refused) {
    const run = await runUsher(['mcp', 'add', ...words], { home, cwd });
    expect([words[0], run.code, leaksIn(run.stdout + run.stderr)]).toEqual([words[0], 2, []]);
  }
  const json = JSON.stringify({ command: 'x', env: { PASSWORD: SECRETS.env } });
  const added = await runUsher(['mcp', 'add-json', 's', json], { home, cwd });
  expect([added.code, leaksIn(added.stdout + added.stderr)]).toEqual([2, []]);
  expect(readdirSync(home)).toEqual(['tmp']);
}, 20_000);
