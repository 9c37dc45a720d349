/** Config files as people really write them wrong: a place, a reason, exit 3; never a stack trace. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stdioCommand } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { runUsher, type UsherOutcome } from '../helpers/usher.ts';

const good = stdioCommand();
const goodEntry = `  - name: good
    command: ${good.command}
    args: ${JSON.stringify(good.args)}
    tools: [echo]
`;

function expectNoTrace(run: UsherOutcome): void {
  expect(run.stderr).not.toMatch(/^\s+at .+\(?.*:\d+:\d+\)?$/m);
  expect(run.stderr).not.toMatch(/TypeError|ReferenceError|undefined is not|\[object Object\]/);
}

describe('a file that cannot be used ends with 3 and says where and why', () => {
  const FILES: readonly (readonly [string, string, RegExp])[] = [
    ['a tab as indentation', 'servers:\n\t- name: a\n', /config\.yaml:2:\d+.*tab/is],
    ['a key twice', `mcp: {}\nmcp: {}\nservers:\n${goodEntry}`, /config\.yaml:2:1.*mcp/s],
    ['an unclosed bracket', 'servers: [\n', /config\.yaml:\d+:\d+/],
    ['an unclosed quote', 'servers:\n  - name: "a\n', /config\.yaml:\d+:\d+/],
    ['a list at the top', '- name: a\n', /config\.yaml:1:1/],
    ['a word at the top', 'hello\n', /config\.yaml:1:1/],
    ['two documents', 'mcp: {}\n---\nmcp: {}\n', /config\.yaml:\d+:\d+/],
    ['an unknown block', `serverz:\n${goodEntry}`, /config\.yaml:1:1.*servers/s],
    ['an unknown provider', 'model: { provider: openia }\n', /config\.yaml:1:\d+.*openai/s],
    ['a wrong mode', 'mcp: { permissions: always }\n', /config\.yaml:1:\d+.*ask or auto/s],
    ['a literal key', 'model: { provider: openai, name: x, apiKey: sk-canary }\n', /apiKeyEnv/],
    ['servers as a word', 'servers: good\n', /config\.yaml:1:\d+.*list/s],
    ['bytes that are no text', 'servers: \u0000\u0001\n', /config\.yaml/],
  ];

  test.concurrent.each(FILES)('%s', async (_name, config, message) => {
    const run = await runUsher(['--prompt', 'list the files here'], { config });
    expect([run.code, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toContain('sk-canary');
    expectNoTrace(run);
  });

  test('a path that is missing, and one that is a folder', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'some.yaml'));
    for (const path of [join(folder, 'some.yaml'), join(folder, 'none.yaml')]) {
      const run = await runUsher(['--prompt', 'hi', '--config', path]);
      expect([run.code, run.stdout]).toEqual([3, '']);
      expect(run.stderr).toContain(path);
      expectNoTrace(run);
    }
  });

  test('several problems are told at once', async () => {
    const config = 'mcp:\n  permissions: always\n  naming: odd\nmodel:\n  provider: none\n';
    const run = await runUsher(['--prompt', 'hi'], { config });
    expect(run.code).toBe(3);
    for (const line of [2, 3, 5]) expect(run.stderr).toContain(`config.yaml:${line}:`);
  });
});

describe('what concerns one server costs that server alone', () => {
  const ENTRIES: readonly (readonly [string, string, RegExp])[] = [
    ['both url and command', 'url: https://x.example/mcp\n    command: npx', /url.*command/s],
    ['neither', 'enabled: true', /url.*command/s],
    ['an unknown key', 'command: npx\n    permision: auto', /permissions/],
    [
      'an unset variable',
      `command: npx\n    env: { A: "\${NOT_SET_ANYWHERE}" }`,
      /NOT_SET_ANYWHERE/,
    ],
    [
      'a literal bearer header',
      'url: https://x.example/mcp\n    headers: { Authorization: Bearer canary-secret }',
      /Env/,
    ],
    ['plain http to elsewhere', 'url: http://x.example/mcp', /https/],
    [
      'userinfo in the URL',
      'url: https://me:canary-secret@x.example/mcp',
      /user|password|credential/i,
    ],
    ['a fragment in the URL', 'url: https://x.example/mcp#part', /fragment|#/],
    ['a shell line', 'command: "npx -y thing"', /args|executable/],
    ['a wrong type', 'command: npx\n    tools: echo', /tools/],
    ['a duration without unit', 'command: npx\n    timeout: { idle: 30 }', /idle.*30s/s],
  ];

  test.concurrent.each(ENTRIES)('%s', async (_name, entry, message) => {
    const config = `servers:\n  - name: bad\n    ${entry}\n${goodEntry}`;
    const run = await runUsher(['tools', '--json'], { config });
    expect(run.code).toBe(0);
    const tools = JSON.parse(run.stdout).tools.map((tool: { server: string }) => tool.server);
    expect(tools).toEqual(['good']);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).toMatch(/\bbad\b/);
    expect(run.stdout + run.stderr).not.toContain('canary-secret');
    expectNoTrace(run);
  });

  test.each([
    ['twice', 'good'],
    ['also after cleaning', 'GO-od'],
  ])('a name that stands there %s', async (_name, name) => {
    const twin = name === 'good' ? 'good' : 'a_b';
    const first = goodEntry.replace('good', twin === 'good' ? 'good' : 'a-b');
    const config = `servers:\n${first}${goodEntry.replace('good', twin)}`;
    const run = await runUsher(['tools', '--json'], { config });
    expect(run.stderr).toMatch(/config\.yaml:\d+:\d+/);
    expect(run.stderr).toContain(twin);
    expectNoTrace(run);
  });
});

test('odd but lawful spellings work: BOM, CR LF, anchors, a long file', async () => {
  const plain = `servers:\n${goodEntry}`;
  const anchored = `servers:\n  - &one\n${goodEntry.replace('  - name', '    name')}  - { <<: *one, name: other }\n`;
  const long = `${'# a comment that fills the file\n'.repeat(170_000)}${plain}`;
  const cases = [`\uFEFF${plain}`, plain.replaceAll('\n', '\r\n'), `${plain}...\n`];
  for (const config of cases) {
    const run = await runUsher(['tools', '--json'], { config });
    expect([run.code, JSON.parse(run.stdout).tools.length]).toEqual([0, 1]);
  }
  for (const config of [anchored, long]) {
    const run = await runUsher(['tools', '--json'], { config });
    expect([0, 3]).toContain(run.code);
    expect(run.code === 0 || /config\.yaml/.test(run.stderr)).toBe(true);
    expect(run.ms).toBeLessThan(5000);
    expectNoTrace(run);
  }
}, 20_000);
