import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ConfigError } from '../../src/base/errors.ts';
import { loadConfig } from '../../src/config/load.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

async function load(text: string, folder = newFolder()) {
  const cwd = writeFiles(folder, { 'c.yaml': text });
  return loadConfig({ configFlag: 'c.yaml', env: {}, cwd });
}

async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    await load(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').filter((line) => line.startsWith('c.yaml:'));
  }
}

describe('rules', () => {
  test('one or several patterns, arguments by path, values as YAML means them, each with its line', async () => {
    const { rules } = await load(`
rules:
  - deny: "*/delete_*"
  - ask: [files/write_file, "files/move_*"]
    when: { path: "secrets/*", "opts[0].n": [1, null, "1", true] }
`);
    expect(rules).toEqual([
      { effect: 'deny', tools: ['*/delete_*'], when: [], place: 'c.yaml:3' },
      {
        effect: 'ask',
        tools: ['files/write_file', 'files/move_*'],
        when: [
          {
            path: [{ kind: 'key', key: 'path' }],
            values: ['secrets/*'],
            text: 'path: "secrets/*"',
          },
          {
            path: [
              { kind: 'key', key: 'opts' },
              { kind: 'index', index: 0 },
              { kind: 'key', key: 'n' },
            ],
            values: [1, null, '1', true],
            text: 'opts[0].n: 1 or null or "1" or true',
          },
        ],
        place: 'c.yaml:4',
      },
    ]);
  });

  test('examples that hold are silent: a whole list of rules is tried', async () => {
    expect(
      await problemsOf(`
rules:
  - allow: gh/search
    when: { repo: "acme/*", opts.force: false }
    examples:
      - { call: gh/search, args: { repo: acme/x, opts: { force: false } }, expect: allow }
      - { call: gh/search, args: { repo: acme/x }, expect: none }
      - { call: gh/search, args: { repo: acme/x, opts: { force: false }, q: secret }, expect: deny }
  - deny: gh/*
    when: { q: "*secret*" }
`),
    ).toEqual([]);
  });

  test('an example that does not hold is an error at its place, with the rule that decides', async () => {
    expect(
      await problemsOf(`rules:
  - deny: gh/push
    when: { force: true }
    examples:
      - { call: gh/push, args: { force: "yes" }, expect: none }
      - { call: gh/push, expect: deny }
      - { call: gh/push, args: [1], expect: deny }
`),
    ).toEqual([
      'c.yaml:5:58 rules[0].examples[0]: this example gives deny, expected none (c.yaml:2 deny "gh/push" when force: true)',
      'c.yaml:6:34 rules[0].examples[1]: this example gives none, expected deny (no rule holds)',
      'c.yaml:7:32 rules[0].examples[2].args: expected a mapping (key: value) of arguments',
    ]);
  });

  test('every mistake is named where it stands', async () => {
    expect(
      await problemsOf(`rules:
  - { when: { a: 1 } }
  - { deny: "a/*", allow: "a/b" }
`),
    ).toEqual([
      'c.yaml:2:5 rules[0]: expected one of deny, ask, allow, got none',
      'c.yaml:3:5 rules[1]: expected one of deny, ask, allow, got deny and allow',
    ]);
    expect(
      await problemsOf(`rules:
  - deny: delete_repo
  - allow: []
  - deny: "a/*"
    when: { "a..b": x }
  - deny: "a/*"
    when: { b: { c: 1 } }
  - deni: "a/*"
  - deny: "a/*"
    examples: [{ call: a/b, expect: no }]
`),
    ).toEqual([
      'c.yaml:2:11 rules[0].deny: expected server/tool, with * and ?, got "delete_repo"',
      'c.yaml:3:12 rules[1].allow: expected server/tool, with * and ?, got a list',
      'c.yaml:5:13 rules[2].when."a..b": expected a path into the arguments, such as repo or files[*].path, got "a..b"',
      'c.yaml:7:16 rules[3].when.b: expected text (with * and ?), a number, true, false, null, or a list of them, got a mapping',
      'c.yaml:8:5 rules[4].deni: unknown key; did you mean deny?',
      'c.yaml:10:37 rules[5].examples[0].expect: expected allow, ask, deny or none, got "no"',
    ]);
  });
});

describe('hooks', () => {
  test('a command with a slash is against the file, a name is looked up in PATH', async () => {
    const folder = newFolder();
    const { hooks } = await load(
      'hooks:\n  tool_call:\n    - [./gate, --x]\n    - [gate]\n  tool_result: [[/bin/filter]]\n',
      folder,
    );
    expect(hooks).toEqual({
      toolCall: [
        { command: join(folder, 'gate'), args: ['--x'], place: 'c.yaml:3' },
        { command: 'gate', args: [], place: 'c.yaml:4' },
      ],
      toolResult: [{ command: '/bin/filter', args: [], place: 'c.yaml:5' }],
    });
  });

  test('a shell line is refused', async () => {
    expect(await problemsOf('hooks: { tool_call: [gate --x], tool_results: [] }')).toEqual([
      'c.yaml:1:22 hooks.tool_call[0]: expected a list, got "gate --x"',
      'c.yaml:1:33 hooks.tool_results: unknown key; did you mean tool_result?',
    ]);
  });
});

test('a rule for a server that is not there is a warning with the nearest name', async () => {
  const { warnings } = await load(
    'servers: [{ name: github, command: c }]\nrules:\n  - deny: [githb/x, "*/y", github/z]\n',
  );
  expect(warnings).toEqual([
    {
      message:
        'c.yaml:3: no server "githb" is configured for the rule deny "githb/x", "*/y", "github/z"',
      hint: 'did you mean github?',
      skipped: undefined,
    },
  ]);
});

test('rules and hooks of all own files hold, each with the place where it stands', async () => {
  const home = writeFiles(newFolder(), {
    '.config/usher/config.yaml': 'rules:\n  - deny: a/*\nhooks: { tool_call: [[./gate]] }\n',
  });
  const cwd = writeFiles(newFolder(), {
    '.usher/local.yaml': 'hooks: { tool_call: [[./own]] }\nrules: [{ allow: a/* }]\n',
    'usher.yaml': 'rules: [{ allow: "*/*" }]\nhooks: { tool_call: [[./evil]] }\n',
  });
  const { rules, hooks } = await loadConfig({ env: { HOME: home }, cwd });
  expect(rules?.map(({ effect, place }) => [effect, place.replace(home, '~')])).toEqual([
    ['deny', '~/.config/usher/config.yaml:2'],
    ['allow', '.usher/local.yaml:2'],
  ]);
  expect(hooks?.toolCall.map(({ command }) => command)).toEqual([
    join(home, '.config/usher/gate'),
    join(cwd, '.usher/own'),
  ]);
});

test('the lines that decide on permission are known, of the file whose word holds', async () => {
  const home = writeFiles(newFolder(), {
    '.config/usher/config.yaml':
      'servers:\n  - name: gh\n    command: c\n    permissions: ask\n    toolPermissions:\n      "get.*": auto\n',
  });
  const cwd = writeFiles(newFolder(), {
    '.usher/local.yaml': 'servers:\n  - name: gh\n    permissions: auto\n',
  });
  const { permissionPlaces } = await loadConfig({ env: { HOME: home }, cwd });
  expect(
    [...(permissionPlaces ?? [])].map(([key, place]) => [key, place.replace(home, '~')]),
  ).toEqual([
    ['gh.permissions', '.usher/local.yaml:3'],
    ['gh.toolPermissions.get.*', '~/.config/usher/config.yaml:6'],
  ]);
});

test('brackets and braces in patterns are told, for they are no wildcards', async () => {
  const text = `rules:
  - deny: "gh/{delete,drop}_*"
  - ask: [gh/a, "gh/[ab]*"]
    when: { path: ["{a,b}/*", '{"a":1}', "select [a] from b", x], "files[*].path": y }
servers:
  - name: gh
    command: x
    tools: ["get_[a-z]*", plain, "!{a}"]
    toolPermissions: { "write[12]": ask, "*": auto }
    toolExposure: { "{a,b}": hidden }
defaultTools: [+codemode, "-gh/[ab]*"]
`;
  const { warnings } = await load(text);
  const at = (place: string, path: string) =>
    `c.yaml:${place} ${path}: only * and ? are special here; brackets and braces stand for themselves`;
  expect(warnings.map(({ message }) => message.split('\n')[0])).toEqual([
    at('2:11', 'rules[0].deny'),
    at('3:17', 'rules[1].ask[1]'),
    at('4:20', 'rules[1].when.path[0]'),
    at('8:13', 'servers.gh.tools[0]'),
    at('8:34', 'servers.gh.tools[2]'),
    at('9:24', 'servers.gh.toolPermissions."write[12]"'),
    at('10:21', 'servers.gh.toolExposure."{a,b}"'),
    at('11:27', 'defaultTools[1]'),
  ]);
  expect(warnings[0]?.message).toContain('\n    - deny: "gh/{delete,drop}_*"\n            ^');
});
