import { describe, expect, test } from 'bun:test';
import { failure, load, problems } from './try-load.ts';

describe('syntax problems', () => {
  const cases: Readonly<Record<string, readonly [text: string, message: string]>> = {
    'a repeated key, with BOM and CRLF': [
      '\ufeffservers:\r\n  - name: x\r\n    command: y\r\n    command: z\r\n    env: {A: 1, A: 2}\r\n',
      [
        'config.yaml:4:5 servers.x.command: this key stands here a second time',
        '      command: z',
        '      ^',
        'config.yaml:5:17 servers.x.env.A: this key stands here a second time',
        '      env: {A: 1, A: 2}',
        '                  ^',
      ].join('\n'),
    ],
    'a tab as indentation': [
      'servers:\n\t- name: x\n',
      'config.yaml:2:1 a tab indents this line; YAML wants spaces\n   - name: x\n  ^',
    ],
    'a second document': [
      'servers: []\n---\nservers: []\n',
      'config.yaml:2:1 a second document starts here; remove the line ---\n  ---\n  ^',
    ],
    'an unclosed bracket': [
      'servers: [\nmodel: {}\n',
      'config.yaml:2:1 wrong indentation, or a bracket or quote above is not closed\n  model: {}\n  ^',
    ],
    'a colon in plain text': [
      'model: a: b\n',
      'config.yaml:1:8 a mapping cannot start here; quote a value that contains ": ", or check the indentation\n  model: a: b\n         ^',
    ],
    'an alias without anchor': [
      'servers: *nobody\n',
      'config.yaml:1:10 servers: the anchor &nobody does not exist above this line\n  servers: *nobody\n           ^',
    ],
    'an anchor that contains itself': [
      'servers: &a [*a]\n',
      'config.yaml:1:14 servers[0]: the anchor &a contains itself\n  servers: &a [*a]\n               ^',
    ],
    'a tag': [
      'servers: !env X\n',
      'config.yaml:1:10 tags such as !name are not supported\n  servers: !env X\n           ^',
    ],
    'a binary value': [
      'servers: !!binary aGk=\n',
      'config.yaml:1:19 servers: the tag tag:yaml.org,2002:binary is not supported here\n  servers: !!binary aGk=\n                    ^',
    ],
    'a key of the prototype': [
      '"__proto__": 1\n',
      'config.yaml:1:1 __proto__: this key is not allowed\n  "__proto__": 1\n  ^',
    ],
    'a list as key': [
      '? [a]\n: b\n',
      'config.yaml:1:3 expected a plain word as key\n  ? [a]\n    ^',
    ],
    'a NUL character': [
      'a: b\0c\n',
      'config.yaml:1:5 a NUL character is not allowed\n  a: b\ufffdc\n      ^',
    ],
    'a merge of something else': [
      'servers: [{<<: 1}]\n',
      'config.yaml:1:16 servers[0]."<<": expected a mapping, or a list of them, to merge\n  servers: [{<<: 1}]\n                 ^',
    ],
  };
  for (const [name, [text, message]] of Object.entries(cases)) {
    test(name, async () => expect(await failure(text)).toBe(message));
  }

  test('deep nesting ends in one sentence', async () => {
    const closed = `servers: ${'['.repeat(300)}${']'.repeat(300)}`;
    expect((await failure(closed)).split('\n')[0]).toBe('config.yaml:1:110 nested too deeply');
    expect((await failure(`servers: ${'['.repeat(100_000)}`)).split('\n')[0]).toEndWith(
      'nested too deeply',
    );
  });

  test('aliases that multiply values are bounded', async () => {
    const row = (name: string, of: string) => `${name}: &${name} [${`${of}, `.repeat(10)}]`;
    const text = [
      'a: &a x',
      row('b', '*a'),
      row('c', '*b'),
      row('d', '*c'),
      row('e', '*d'),
      row('f', '*e'),
    ];
    expect((await failure(text.join('\n'))).split('\n')[0]).toBe(
      'config.yaml:5:20 e[3]: aliases add more than 10000 values to this file',
    );
  });

  test('a far column shows the part of the line around it', async () => {
    const message = await failure(
      `model: {name: ${'x'.repeat(300)}, nmae: 1, provider: offline}\n`,
    );
    expect(message).toBe(
      `config.yaml:1:317 model.nmae: unknown key; did you mean name?\n  …${'x'.repeat(47)}, nmae: 1, provider: offline}\n  ${' '.repeat(50)}^`,
    );
  });
});

describe('values', () => {
  test('plain scalars stay as written where text is asked for', async () => {
    const words =
      '0123, no, on, yes, True, 1e3, 0x1F, 0o17, 1.10, 2024-01-01, 1_000, 12:30:45, .inf, 123456789012345678901, -0, null, ~';
    const { servers } = await load(
      `servers: [{name: 007, command: x, args: [${words.replace(', null, ~', '')}], env: {A: 0755, B: no, C: ~, D: null, E: "~", 1: one}}]`,
    );
    expect(servers.map(({ name, endpoint }) => [name, endpoint])).toEqual([
      [
        '007',
        {
          kind: 'stdio',
          command: 'x',
          args: words.replace(', null, ~', '').split(', '),
          env: { A: '0755', B: 'no', E: '~', '1': 'one' },
          envPass: [],
          cwd: expect.any(String),
        },
      ],
    ]);
  });

  test('an empty value where text is asked for wants quotes', async () => {
    expect(await problems('servers: [{name: x, command: y, args: [~]}]')).toEqual([
      'config.yaml:1:40 servers.x.args[0]: expected text, got nothing. Write "" for empty text, or quote it: "~"\n  servers: [{name: x, command: y, args: [~]}]\n                                         ^',
    ]);
  });

  test('anchors, aliases and merge keys work, and a problem points to where the value stands', async () => {
    const text = [
      'servers:',
      '  - &one {name: one, command: a, timeout: &t {idle: 5s}}',
      '  - <<: *one',
      '    name: two',
      '  - {name: three, command: c, timeout: *t, env: &e {A: [1]}}',
      '  - {name: four, command: d, env: *e}',
    ].join('\n');
    const config = await load(text);
    expect(config.servers.map(({ name, timeout }) => [name, timeout.idleMs])).toEqual([
      ['one', 5000],
      ['two', 5000],
    ]);
    const shown =
      '\n    - {name: three, command: c, timeout: *t, env: &e {A: [1]}}\n                                                         ^';
    expect(config.warnings.map(({ message }) => message)).toEqual([
      'config.yaml:3: two is the same server as one (config.yaml:2)',
      `config.yaml:5:56 servers.three.env.A: expected text, got a list${shown}`,
      `config.yaml:5:56 servers.four.env.A: expected text, got a list${shown}`,
    ]);
  });

  test('JSON with tabs is YAML', async () => {
    const { servers } = await load('{\n\t"servers": [\n\t\t{"name": "j", "command": "x"}\n\t]\n}');
    expect(servers.map(({ name }) => name)).toEqual(['j']);
  });

  test('many keys are read in linear time', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `      K${index}: v`);
    const { servers } = await load(
      `servers:\n  - name: x\n    command: y\n    env:\n${keys.join('\n')}\n`,
    );
    const [server] = servers;
    expect(server?.endpoint.kind === 'stdio' && Object.keys(server.endpoint.env).length).toBe(
      20_000,
    );
  });
});
