// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import { load, problems, serverProblems } from './try-load.ts';

describe('a good entry', () => {
  test('gets every default', async () => {
    const { servers, warnings, skipped } = await load(
      'servers:\n  - {name: web, url: "https://a.example/mcp?x=1"}\n  - {name: local, command: npx}\n  - {name: ws, builtin: workspace}\n',
    );
    const common = {
      enabled: true,
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
    } as const;
    const timeout = { connectMs: 15_000, idleMs: 60_000, maxMs: 900_000, tools: {} };
    expect({ servers, warnings, skipped }).toEqual({
      servers: [
        {
          ...common,
          name: 'web',
          endpoint: {
            kind: 'http',
            url: 'https://a.example/mcp?x=1',
            headers: {},
            auth: undefined,
            allowPrivate: false,
          },
          timeout,
        },
        {
          ...common,
          name: 'local',
          endpoint: {
            kind: 'stdio',
            command: 'npx',
            args: [],
            env: {},
            envPass: [],
            cwd: expect.stringMatching(/^\//),
          },
          timeout: { ...timeout, connectMs: 60_000 },
        },
        { ...common, name: 'ws', endpoint: { kind: 'builtin', builtin: 'workspace' }, timeout },
      ],
      warnings: [],
      skipped: [],
    });
  });

  test('speaks to a url by the transport it names', async () => {
    const { servers, warnings } = await load(`
servers:
  - {name: a, url: "https://a.example/sse", transport: sse}
  - {name: b, url: "wss://b.example/", transport: ws, auth: {type: bearer, tokenEnv: B}}
`);
    const common = { headers: {}, auth: undefined, allowPrivate: false };
    expect([servers.map(({ endpoint }) => endpoint), warnings]).toEqual([
      [
        { ...common, kind: 'sse', url: 'https://a.example/sse' },
        {
          ...common,
          kind: 'ws',
          url: 'wss://b.example/',
          auth: { type: 'bearer', tokenEnv: 'B' },
        },
      ],
      [],
    ]);
  });

  test('keeps what it says, durations in milliseconds, mcp.exposure as default', async () => {
    const { servers } = await load(`
mcp: {exposure: hidden}
servers:
  - name: all
    url: https://a.example/mcp
    transport: http
    headers: {X-Team: 7}
    auth: {type: apiKey, header: X-API-Key, tokenEnv: ALL_KEY}
    allowPrivate: true
    tools: [a, "!b*"]
    permissions: auto
    toolPermissions: {a: deny, "*": ask}
    trustAnnotations: true
    enabled: false
    required: true
    description: all keys
    exposure: direct
    binary: keep
    instructions: off
    protocol: legacy
    timeout: {connect: 250ms, idle: 1.5s, max: 1h, tools: {a: {max: 2m}, b: {}}}
  - {name: hidden, builtin: workspace}
`);
    expect(servers[0]).toEqual({
      name: 'all',
      endpoint: {
        kind: 'http',
        url: 'https://a.example/mcp',
        headers: { 'X-Team': '7' },
        auth: { type: 'apiKey', header: 'X-API-Key', tokenEnv: 'ALL_KEY' },
        allowPrivate: true,
      },
      enabled: false,
      required: true,
      description: 'all keys',
      tools: ['a', '!b*'],
      permissions: 'auto',
      toolPermissions: { a: 'deny', '*': 'ask' },
      trustAnnotations: true,
      exposure: 'direct',
      binary: 'keep',
      instructions: 'off',
      protocol: 'legacy',
      restartOnTimeout: true,
      timeout: {
        connectMs: 250,
        idleMs: 1500,
        maxMs: 3_600_000,
        tools: { a: { maxMs: 120_000 }, b: {} },
      },
    });
    expect(servers[1]?.exposure).toBe('hidden');
  });

  test('empty blocks count as absent, an empty tools list as none', async () => {
    const { servers } = await load(
      'servers: [{name: x, command: y, args: , env: , envPass: , timeout: , toolPermissions: , tools: []}]',
    );
    expect(servers.map(({ tools, endpoint }) => [tools, endpoint.kind])).toEqual([[[], 'stdio']]);
  });

  test('expands url, headers, env, args and cwd; cwd is absolute', async () => {
    const env = { HOST: 'h.example', TOK: ' secret-of-test\n', EMPTY: '', DIR: '/srv' };
    const { servers } = await load(
      [
        'servers:',
        '  - name: web',
        '    url: https://${HOST}/${PATH_:-mcp}',
        '    headers: {Authorization: "Bearer ${TOK}", X-A: "$HOST $${HOST} ${NO:-d}"}',
        '  - name: local',
        '    command: x',
        '    args: ["--dir=${DIR}", "${EMPTY}", "$DIR"]',
        '    env: {A: "${DIR}", B: "${EMPTY}", C: "${EMPTY:-c}"}',
        '    cwd: ${DIR}/sub',
      ].join('\n'),
      env,
    );
    expect(servers.map(({ endpoint }) => endpoint)).toEqual([
      {
        kind: 'http',
        url: 'https://h.example/mcp',
        headers: { Authorization: 'Bearer secret-of-test', 'X-A': '$HOST ${HOST} d' },
        auth: undefined,
        allowPrivate: false,
      },
      {
        kind: 'stdio',
        command: 'x',
        args: ['--dir=/srv', '', '$DIR'],
        env: { A: '/srv', B: '', C: 'c' },
        envPass: [],
        cwd: '/srv/sub',
      },
    ]);
  });
});

describe('a bad entry', () => {
  test('is required only where it is not switched off', async () => {
    const entries = ['required: true', 'required: true, enabled: false', 'required: false'];
    const list = entries.map((more, index) => `  - {name: s${index}, ${more}}`);
    const config = await load(['servers:', ...list].join('\n'));
    expect(config.warnings.map(({ required }) => required)).toEqual([true, undefined, undefined]);
  });

  test('is skipped with one warning, the others work', async () => {
    const config = await load(
      [
        'servers:',
        '  - {name: good, command: a}',
        '  - {name: num, command: 1, required: true}',
        '  - {name: neither}',
        '  - {name: htp, url: "htp:/x"}',
      ].join('\n'),
    );
    expect({
      servers: config.servers.map(({ name }) => name),
      skipped: config.skipped,
      warnings: config.warnings,
    }).toEqual({
      servers: ['good'],
      skipped: ['num', 'neither', 'htp'],
      warnings: [
        {
          message:
            'config.yaml:3:26 servers.num.command: expected an executable, got 1. Quote it if that is its name\n    - {name: num, command: 1, required: true}\n                           ^',
          hint: 'server num is skipped until this is mended',
          skipped: 'num',
          required: true,
        },
        {
          message:
            'config.yaml:4:5 servers.neither: one of url, command, builtin is missing\n    - {name: neither}\n      ^',
          hint: 'server neither is skipped until this is mended',
          skipped: 'neither',
        },
        {
          message:
            'config.yaml:5:22 servers.htp.url: expected a URL such as https://host/mcp, got "htp:/x"\n    - {name: htp, url: "htp:/x"}\n                       ^',
          hint: 'server htp is skipped until this is mended',
          skipped: 'htp',
        },
      ],
    });
  });

  const at = (line: number, column: number, rest: string) =>
    `config.yaml:${line}:${column} servers.x${rest}`;
  const cases: Readonly<Record<string, readonly [lines: string, ...messages: string[]]>> = {
    'wrong types': [
      'command: [npx, -y]\nargs: -y\nenv: [A=b]\ntimeout: 30s\nenabled: yes\ntools: a\ncwd: {}',
      at(
        3,
        14,
        '.command: expected an executable, got a list. Example: command: npx, args: [-y, package]',
      ),
      at(4, 11, '.args: expected a list, got "-y". Example: [-y, package]'),
      at(5, 10, '.env: expected a mapping (key: value), got a list. Example: { LOG_LEVEL: warn }'),
      at(6, 14, '.timeout: expected a mapping (key: value), got "30s". Example: { idle: 30s }'),
      at(7, 14, '.enabled: expected true or false, got "yes". Write true'),
      at(8, 12, '.tools: expected a list, got "a". [] stands for none, no tools: line for all'),
      at(9, 10, '.cwd: expected text, got a mapping'),
    ],
    'an empty tools key is no list of none': [
      'command: y\ntools:',
      at(4, 5, '.tools: expected a list, got nothing. [] stands for none, no tools: line for all'),
    ],
    durations: [
      'command: y\ntimeout: {idle: soon, max: -1, connect: 0s, tools: {a: {idle: 30}, b: {max: 999h}}}',
      at(4, 21, '.timeout.idle: expected a duration, got "soon". Example: 30s'),
      at(4, 32, '.timeout.max: expected a duration, got -1. Example: 30s'),
      at(
        4,
        45,
        '.timeout.connect: expected a duration above zero and up to 168h, got "0s". Example: 30s',
      ),
      at(4, 67, '.timeout.tools.a.idle: expected a duration, got 30. Example: 30s'),
      at(
        4,
        81,
        '.timeout.tools.b.max: expected a duration above zero and up to 168h, got "999h". Example: 30s',
      ),
    ],
    'unknown keys, all of them, with the nearest': [
      'comand: y\ntimeout: {idel: 1s, foo: 2}\nzzz: 1',
      at(2, 5, ': one of url, command, builtin is missing'),
      at(3, 5, '.comand: unknown key; did you mean command?'),
      at(4, 15, '.timeout.idel: unknown key; did you mean idle?'),
      at(4, 25, '.timeout.foo: unknown key; known here: connect, idle, max, tools'),
      at(5, 5, '.zzz: unknown key'),
    ],
    'spellings of other hosts': [
      'command: y\ntype: stdio\ndisabled: true\nalwaysAllow: [a]\nheadersHelper: x',
      at(4, 5, '.type: unknown key; url or command decides it, remove this line'),
      at(5, 5, '.disabled: unknown key; write enabled: false'),
      at(6, 5, '.alwaysAllow: unknown key; write toolPermissions: { TOOL: auto }'),
      at(7, 5, '.headersHelper: unknown key; write headersCommand: [PROGRAM, ARGUMENT]'),
    ],
    'exposures there are not': [
      'url: https://a.example/\nexposure: deferrd\ntoolExposure: {x: no}\nmaxToolTokens: 0',
      at(4, 15, '.exposure: expected direct, deferred, codemode, hidden or auto, got "deferrd"'),
      at(5, 23, '.toolExposure.x: expected direct, deferred, codemode, hidden or auto, got "no"'),
      at(6, 20, '.maxToolTokens: expected a whole number of at least 1, got 0'),
    ],
    'an unknown transport': [
      'url: https://a.example/\ntransport: stdio',
      at(4, 16, '.transport: expected http, sse or ws, got "stdio"'),
    ],
    'a web address for a WebSocket': [
      'url: https://a.example/\ntransport: ws',
      at(3, 10, '.url: expected a URL such as wss://host/mcp, got "https://a.example/"'),
    ],
    'a WebSocket address without its transport': [
      'url: wss://a.example/',
      at(3, 10, '.url: "wss://a.example/" is a WebSocket address; it goes with transport: ws'),
    ],
    'auth shapes': [
      'url: https://a.example/\nauth: {type: bearr, tokenEnv: A}',
      at(4, 18, '.auth.type: expected bearer, apiKey, oauth, command or provider, got "bearr"'),
    ],
    'auth as text': [
      'url: https://a.example/\nauth: bearer',
      at(
        4,
        11,
        '.auth: expected a mapping with type: bearer, apiKey, oauth, command or provider, got a value that is not shown',
      ),
    ],
    'auth without its variable': [
      'url: https://a.example/\nauth: {type: bearer}',
      at(4, 11, '.auth.tokenEnv: is missing'),
    ],
    'two endpoints': [
      'url: https://a.example/\ncommand: y',
      at(4, 5, ': only one of url, command, builtin may be there, got url and command').replace(
        ': only',
        '.command: only',
      ),
    ],
    'keys of the other kind': [
      'command: y\nheaders: {}\nauth: {type: bearer, tokenEnv: T}\nallowPrivate: true',
      at(4, 5, '.headers: only goes with url, this server has command'),
      at(5, 5, '.auth: only goes with url, this server has command'),
      at(6, 5, '.allowPrivate: only goes with url, this server has command'),
    ],
    'keys of a command at a built-in': [
      'builtin: workspace\nargs: []\ncwd: .',
      at(4, 5, '.args: only goes with command, this server has builtin'),
      at(5, 5, '.cwd: only goes with command, this server has builtin'),
    ],
    'a shell line': [
      'command: npx -y "@scope/pkg"',
      at(
        3,
        14,
        '.command: expected an executable, not a shell line. Write command: npx, args: […]',
      ),
    ],
    'a reference in command': [
      'command: ${BIN}/x',
      at(3, 14, '.command: ${VAR} is not expanded here; write the executable itself'),
    ],
    'a home sign': ['command: y\ncwd: ~/x', at(4, 10, '.cwd: ~ is not expanded; write ${HOME}')],
    'a bad variable name': [
      'command: y\nenv: {"A=B": 1}\nenvPass: [a-b]',
      at(4, 11, '.env."A=B": this is not the name of a variable'),
      at(
        5,
        15,
        '.envPass[0]: expected the NAME of an environment variable, not a value. Example: GITHUB_TOKEN',
      ),
    ],
    'bad headers': [
      'url: https://a.example/\nheaders: {"X A": 1, Host: b, X-B: 1, x-b: 2, X-Null: ~}',
      at(4, 15, '.headers."X A": this is not a header name'),
      at(4, 25, '.headers.Host: this header is set by usher itself'),
      at(4, 42, '.headers.x-b: this header stands here a second time'),
      at(
        4,
        58,
        '.headers.X-Null: expected text, got nothing. Write "" for empty text, or quote it: "~"',
      ),
    ],
  };
  for (const [name, [lines, ...messages]] of Object.entries(cases)) {
    test(`names the problem: ${name}`, async () => {
      expect(await serverProblems(lines)).toEqual(messages);
    });
  }

  test('missing variables are named with server and key', async () => {
    const text =
      'url: https://a.example/${A}\nheaders: {Authorization: "Bearer ${TOK}", X-E: "${EMPTY}"}';
    expect(await serverProblems(text, { EMPTY: '' })).toEqual([
      'config.yaml:3:10 servers.x.url: $A is not set; set it, or write a default: ${A:-…}',
      'config.yaml:4:30 servers.x.headers.Authorization: $TOK is not set; set it, or write a default: ${TOK:-…}',
      'config.yaml:4:52 servers.x.headers.X-E: $EMPTY is empty; set it, or write a default: ${EMPTY:-…}',
    ]);
  });

  test('references of other spellings are errors with their place', async () => {
    const text = 'command: y\nenv: {A: "${env:TOK}", B: "${TOK", C: "$TOK"}';
    expect(await serverProblems(text)).toEqual([
      'config.yaml:4:14 servers.x.env.A: ${env:TOK} is not known here; write ${TOK}',
      'config.yaml:4:31 servers.x.env.B: a ${ is never closed; write ${VAR}, or $${ for the characters ${',
    ]);
  });

  test('missing variables of a disabled server are no problem', async () => {
    const config = await load(
      'servers: [{name: x, enabled: false, command: y, env: {A: "${NOPE}"}}]',
    );
    expect({
      warnings: config.warnings,
      enabled: config.servers.map(({ enabled }) => enabled),
    }).toEqual({
      warnings: [],
      enabled: [false],
    });
  });

  test('credentials that expand to nothing are not sent', async () => {
    const text =
      'url: https://a.example/\nheaders: {Authorization: "Bearer ${NO:-}", X-Api-Key: "${SPACE}", X-Line: "${LINE}"}';
    expect(await serverProblems(text, { SPACE: ' ', LINE: 'a\nb' })).toEqual([
      'config.yaml:4:30 servers.x.headers.Authorization: the credential is empty',
      'config.yaml:4:59 servers.x.headers.X-Api-Key: $SPACE is empty; set it, or write a default: ${SPACE:-…}',
      'config.yaml:4:79 servers.x.headers.X-Line: the value has a line break or control character in it',
    ]);
  });
});

describe('names', () => {
  const heads = async (text: string) =>
    (await problems(text)).map((message) => message.split('\n')[0]);

  test('names that are one in tool names skip both servers', async () => {
    const config = await load(
      'servers: [{name: a-b, command: x}, {name: A_B, command: x}, {name: c, command: x}]',
    );
    expect([config.skipped, config.servers.map(({ name }) => name)]).toEqual([
      ['a-b', 'A_B'],
      ['c'],
    ]);
    expect(config.warnings.map(({ message }) => message.split('\n')[0])).toEqual([
      'config.yaml:1:18 servers.a-b.name: a-b and A_B are the same name in tool names; rename one',
      'config.yaml:1:43 servers.A_B.name: A_B and a-b are the same name in tool names; rename one',
    ]);
  });

  test('a name that stands twice skips both', async () => {
    expect(await heads('servers: [{name: a, command: x}, {name: a, command: y}]')).toEqual([
      'config.yaml:1:18 servers.a.name: 2 servers are called a; every name may stand once',
      'config.yaml:1:41 servers.a.name: 2 servers are called a; every name may stand once',
    ]);
  });

  test('a missing or impossible name is told by its index', async () => {
    expect(await heads('servers: [{command: x}, {name: "a b", command: x}, text, ~]')).toEqual([
      'config.yaml:1:11 servers[0].name: is missing',
      'config.yaml:1:32 servers[1].name: expected a name of 1 to 64 letters, digits, _ or -, got "a b"',
      'config.yaml:1:52 servers[2]: expected a mapping with name and url, command or builtin, got "text"',
      'config.yaml:1:58 servers[3]: expected a mapping with name and url, command or builtin, got nothing',
    ]);
  });
});
