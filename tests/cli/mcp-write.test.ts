// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { runUsher } from '../helpers/usher.ts';

const USER = '.config/usher/config.yaml';

function place(files: Readonly<Record<string, string>> = {}, user?: string) {
  const home = writeFiles(newFolder(), user === undefined ? {} : { [USER]: user });
  const cwd = writeFiles(newFolder(), { '.git/HEAD': '', ...files });
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runUsher(words, { home, cwd });
    return { code, stdout, stderr };
  };
  return {
    home,
    cwd,
    run,
    user: () => readFileSync(join(home, USER), 'utf8'),
    file: (name: string) => readFileSync(join(cwd, name), 'utf8'),
  };
}

const REPLACED =
  'the built-in workspace is no longer there by itself: usher mcp add-json workspace \'{"builtin": "workspace"}\' adds it\n';

test('the first server takes the place of the built-in workspace and says so; the last one gives it back', async () => {
  const { run } = place();
  const list = async () => (await run('mcp', 'list')).stdout.split(/\s/)[0];
  const add = async (name: string) =>
    (await run('mcp', 'add', name, 'https://mcp.example.com/mcp')).stderr;
  const remove = async (name: string) => (await run('mcp', 'remove', name)).stderr;
  expect([await list(), await add('docs'), await list()]).toEqual(['workspace', REPLACED, 'docs']);
  expect([await add('more'), await remove('more')]).toEqual(['', '']);
  expect([await remove('docs'), await list()]).toEqual([
    'the built-in workspace is there by itself again\n',
    'workspace',
  ]);
  const [, name = '', json = ''] = /add-json (\S+) '(.*)'/.exec(await add('docs')) ?? [];
  expect((await run('mcp', 'add-json', name, json)).code).toBe(0);
  expect((await run('call', 'workspace', 'list_directory')).code).toBe(0);
});

test('a first server of the project, or the workspace itself, replaces nothing', async () => {
  const { run } = place();
  const shared = await run('mcp', 'add', '-l', 'docs', 'https://mcp.example.com/mcp');
  const own = await run('mcp', 'add-json', 'workspace', '{"builtin": "workspace"}');
  expect([shared.stderr, own.stderr]).toEqual(['', '']);
});

describe('mcp add', () => {
  test('writes every flag, says where, and what tests it; it connects to nothing', async () => {
    const { run, user, home } = place();
    expect(
      await run(
        ...['mcp', 'add', 'docs', 'https://mcp.example.com/mcp', '--bearer-env', 'DOCS_TOKEN'],
        ...['--header', 'X-Team: a', '--header', 'X-Zone=${ZONE}', '--transport', 'http'],
        ...['--exposure', 'hidden', '--description', 'the docs', '--allow-private'],
      ),
    ).toEqual({
      code: 0,
      stdout: `${home}/${USER}:2: server docs added (user)\ntest it: usher tools docs\n`,
      stderr: REPLACED,
    });
    await run(
      'mcp',
      'add',
      'a',
      '--env',
      'A=b,c=d',
      '--env',
      'T=${T}',
      '--cwd',
      '..',
      '--',
      'npx',
      '-y',
      'p',
      '--help',
    );
    await run('mcp', 'add', 'b', '--command', 'npx', '--arg', '-y', '--args', 'p,q r');
    expect(user()).toBe(`servers:
  - name: docs
    url: https://mcp.example.com/mcp
    transport: http
    headers:
      X-Team: a
      X-Zone: \${ZONE}
    auth:
      type: bearer
      tokenEnv: DOCS_TOKEN
    exposure: hidden
    description: the docs
    allowPrivate: true
  - name: a
    command: npx
    args: [-y, p, --help]
    env:
      A: b,c=d
      T: \${T}
    cwd: ..
  - name: b
    command: npx
    args: [-y, p, q r]
`);
  });

  test('writes what a sign-in is told; in .mcp.json as other hosts read it', async () => {
    const { run, user, file, cwd } = place({ '.mcp.json': '{\n  "mcpServers": {}\n}\n' });
    const url = 'https://a.example/mcp';
    await run(
      ...['mcp', 'add', 'a', url, '--client-id', 'me', '--client-secret-env', 'A_SECRET'],
      ...['--oauth-scope', 'read write', '--callback-port', '8080', '--dpop'],
      ...['--auth-server-metadata-url', 'https://l.example/x', '--client-name', 'docs team'],
    );
    await run(
      ...['mcp', 'add', 'b', url, '--grant', 'client_credentials', '--client-id', 'b'],
      ...['--private-key', 'keys/b.pem', '--alg', 'RS256'],
    );
    await run(
      ...['mcp', 'add', 'c', url, '--grant', 'jwt-bearer', '--assertion', '${DIR}/c.jwt'],
      ...['--client-metadata-url', 'https://c.example/c.json'],
    );
    await run('mcp', 'add-json', 'd', `{"url": "${url}", "oauth": {"clientId": "d"}}`);
    expect(user()).toBe(`servers:
  - name: a
    url: ${url}
    auth:
      type: oauth
      clientId: me
      clientSecretEnv: A_SECRET
      clientName: docs team
      dpop: true
      scope: read write
      callbackPort: 8080
      authServerMetadataUrl: https://l.example/x
  - name: b
    url: ${url}
    auth:
      type: oauth
      clientId: b
      grant: client_credentials
      algorithm: RS256
      privateKeyFile: ${join(cwd, 'keys/b.pem')}
  - name: c
    url: ${url}
    auth:
      type: oauth
      clientMetadataUrl: https://c.example/c.json
      grant: jwt-bearer
      assertionFile: \${DIR}/c.jwt
  - name: d
    url: ${url}
    auth:
      type: oauth
      clientId: d
`);
    await run('mcp', 'add', '-l', 'p', url, '--client-id', 'me', '--callback-port', '1');
    expect(JSON.parse(file('.mcp.json'))).toEqual({
      mcpServers: { p: { type: 'http', url, oauth: { clientId: 'me', callbackPort: 1 } } },
    });
    const { stdout } = await run('mcp', 'get', 'p', '--json');
    expect(JSON.parse(stdout).entries).toMatchObject([
      {
        approval: 'approved',
        keys: { 'auth.type': { value: 'oauth' }, 'auth.clientId': { value: 'me' } },
      },
    ]);
  });

  test('project and local files, a named file, and JSON', async () => {
    const { run, file, cwd } = place({
      '.mcp.json': '{\n  "mcpServers": {}\n}\n',
      'mine.yaml': '# mine\n',
    });
    await run('mcp', 'add', '-l', 'p', '--', 'x');
    await run('mcp', 'add', '--scope', 'local', 'l', '--', 'x');
    await run('mcp', 'add', 'named', '--config', 'mine.yaml', '--', 'x');
    await run(
      'mcp',
      'add-json',
      '--scope',
      'project',
      'j',
      '{"type":"sse","url":"https://a.example/"}',
    );
    expect([file('.mcp.json'), file('.usher/local.yaml'), file('mine.yaml')]).toEqual([
      `${JSON.stringify({ mcpServers: { p: { command: 'x' }, j: { type: 'sse', url: 'https://a.example/' } } }, undefined, 2)}\n`,
      'servers:\n  - name: l\n    command: x\n',
      '# mine\nservers:\n  - name: named\n    command: x\n',
    ]);
    const { stdout } = await run('mcp', 'get', 'p', '--json');
    expect(JSON.parse(stdout)).toEqual({
      name: 'p',
      entries: [
        {
          scope: 'project',
          file: join(cwd, '.mcp.json'),
          line: 3,
          place: '.mcp.json:3',
          approval: 'approved',
          enabled: true,
          keys: { command: { value: 'x', place: '.mcp.json:4' } },
          replaced: [],
        },
      ],
    });
  });

  const wrong: readonly (readonly [words: readonly string[], text: string])[] = [
    [['add'], 'which name?'],
    [['add', 'x'], 'what is the server?'],
    [['add', 'x', 'npx'], '"npx" is no URL'],
    [['add', 'x', 'https://a.example/', '--', 'npx'], 'one thing only'],
    [['add', 'x y', '--', 'npx'], 'a name of 1 to 64'],
    [['add', 'x', 'http://a.example/'], 'plain http'],
    [['add', 'x', 'https://a.example/', '--env', 'A=b'], 'only goes with command'],
    [['add', 'x', 'https://a.example/', '--exposure', 'loud'], 'exposure'],
    [['add', 'x', '--scope', 'team', '--', 'npx'], 'user, project, local'],
    [['add', 'x', '-l', '--scope', 'local', '--', 'npx'], 'exclude each other'],
    [['add', 'x', 'https://a.example/', '--oauth-client-id', 'c'], 'did you mean --client-id?'],
    [['add', 'x', '--client-id', 'c', '--', 'npx'], 'only goes with url'],
    [['add', 'x', 'https://a.example/', '--client-id', 'c', '--bearer-env', 'T'], 'exclude'],
    [['add', 'x', 'https://a.example/', '--client-secret-env', 'a-b'], 'the NAME of'],
    [['add', 'x', 'https://a.example/', '--client-secret-env', 'S'], 'only goes with clientId'],
    [['add', 'x', 'https://a.example/', '--grant', 'enterprise'], 'needs idpFile'],
    [['add', 'x', 'https://a.example/', '--alg', 'none', '--private-key', 'k'], 'one of ES256'],
    [['add', 'x', 'https://a.example/', '--client-metadata-url', 'http://a.b/c'], 'an https URL'],
    [['add', 'x', 'https://a.example/', '--client-id', `ghp_${'a'.repeat(36)}`], 'a secret never'],
    [['add-json', 'x', '{"url": "https://a.example/", "oauth": {"clientSecret": "c"}}'], 'secret'],
    [['add-json', 'x', '{"url": "https://a.example/", "apiKey": "c"}'], 'a secret never'],
    [['add-json', 'x', '{"url": "https://a.example/", "proxy": "http://u:c@p.example"}'], 'secret'],
    [['add-json', 'x', '{'], 'no JSON object'],
    [['add-json', 'x', '{"command": 1}'], 'command'],
    [['list', '--env', 'A=b'], 'it goes with usher mcp add'],
    [['get'], 'which server?'],
    [['remove', 'nope'], 'no server "nope"'],
    [['frobnicate'], 'unknown action'],
  ];
  test('what is wrong is told before anything is written', async () => {
    const { run, cwd } = place();
    for (const [words, text] of wrong) {
      const { code, stdout, stderr } = await run('mcp', ...words);
      expect([words, code, stdout, stderr]).toEqual([words, 2, '', expect.stringContaining(text)]);
    }
    expect(
      await Array.fromAsync(new Bun.Glob('**/*.{yaml,json}').scan({ cwd, dot: true })),
    ).toEqual([]);
  }, 20_000);

  test('a name that is there is refused; one that a higher file overrides is written with a warning', async () => {
    const { run } = place(
      { '.usher/local.yaml': 'servers: [{name: a-b, command: x}]' },
      'servers:\n  - {name: c, command: x}\n',
    );
    expect(await run('mcp', 'add', 'c', '--', 'y')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('usher mcp remove c'),
    });
    expect(await run('mcp', 'add', 'A_B', '--', 'y')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('same name in tool names'),
    });
    expect(await run('mcp', 'add', 'a-b', '--', 'y')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('.usher/local.yaml, which goes over this file'),
    });
  });
});

describe('mcp remove, enable, disable', () => {
  const user =
    '# mine\nservers:\n  - name: a   # first\n    command: "x"\n  - {name: b, command: y}\n';

  test('change one entry and keep everything else', async () => {
    const { run, user: text, home } = place({}, user);
    expect((await run('mcp', 'disable', 'a')).stdout).toBe(
      `${home}/${USER}:3: server a disabled (user)\n`,
    );
    expect(text()).toBe(user.replace('# first\n', '# first\n    enabled: false\n'));
    await run('mcp', 'enable', 'a');
    await run('mcp', 'remove', 'b');
    expect(text()).toBe(
      user
        .replace('# first\n', '# first\n    enabled: true\n')
        .replace('  - {name: b, command: y}\n', ''),
    );
  });

  test('a project server is switched in the local file, never in the shared one', async () => {
    const shared = '{"mcpServers": {"p": {"command": "x"}}}\n';
    const { run, file } = place({ '.mcp.json': shared }, user);
    await run('mcp', 'disable', 'p');
    expect([file('.mcp.json'), file('.usher/local.yaml')]).toEqual([
      shared,
      'servers:\n  - name: p\n    enabled: false\n',
    ]);
    expect((await run('tools')).stderr).not.toContain('server p');
    await run('mcp', 'enable', 'p');
    expect(file('.usher/local.yaml')).toBe('servers:\n  - name: p\n    enabled: true\n');
    expect((await run('mcp', 'list')).stdout).toContain('pending, not approved');
  });

  test('a switch in the local file goes with the last entry of its server', async () => {
    const { run, file } = place({ 'usher.yaml': 'servers:\n  - {name: q, command: x}\n' });
    await run('mcp', 'add', 'p', '--scope', 'project', '--command', 'x');
    await run('mcp', 'disable', 'p');
    await run('mcp', 'disable', 'q');
    const removed = await run('mcp', 'remove', 'p');
    expect([removed.code, removed.stdout]).toEqual([
      0,
      'usher.yaml:3: server p removed (project)\n',
    ]);
    expect(removed.stderr).toBe(
      '.usher/local.yaml:2: what was said about p there is removed as well\n',
    );
    expect(file('.usher/local.yaml')).toBe('servers:\n  - name: q\n    enabled: false\n');
    expect((await run('mcp', 'list')).stderr).toBe('');
  });

  test('a switch stays while another file has the server, and where more than that is said', async () => {
    const local = 'servers:\n  - name: a\n    enabled: false\n    permissions: ask\n';
    const files = {
      'usher.yaml': 'servers: [{name: a, command: z}]\n',
      '.usher/local.yaml': local,
    };
    const { run, file } = place(files, user);
    expect((await run('mcp', 'remove', 'a', '--scope', 'project')).code).toBe(0);
    expect(file('.usher/local.yaml')).toBe(local);
    expect(await run('mcp', 'remove', 'a')).toMatchObject({ code: 0, stderr: '' });
    expect(file('.usher/local.yaml')).toBe(local);
    expect((await run('mcp', 'remove', 'a')).code).toBe(0);
    expect(file('.usher/local.yaml')).toBe('servers:\n');
  });

  test('a name in two files wants the scope, and names the exact lines', async () => {
    const { run, file } = place({ 'usher.yaml': 'servers: [{name: a, command: z}]\n' }, user);
    for (const action of ['remove', 'disable']) {
      const { code, stderr } = await run('mcp', action, 'a');
      expect(code).toBe(2);
      expect(stderr).toContain(`usher mcp ${action} a --scope user\n`);
      expect(stderr).toContain(`usher mcp ${action} a --scope project\n`);
    }
    expect((await run('mcp', 'remove', 'a', '--scope', 'project')).code).toBe(0);
    expect(file('usher.yaml')).toBe('servers: []\n');
    expect((await run('mcp', 'remove', 'a')).code).toBe(0);
  });
});

test('mcp approve shows all that is decided on, each fact a line of its own, no secret', async () => {
  const server = {
    command: 'sh',
    args: ['-c', 'echo\nurl: fake'],
    env: { NODE_OPTIONS: '--require ./x.js', TOKEN: 'canary' },
    cwd: '/',
  };
  const web = {
    url: 'https://a.example/mcp',
    headers: { Authorization: 'Bearer ${T}', 'X-A': 'b' },
  };
  const { run } = place({ '.mcp.json': JSON.stringify({ mcpServers: { x: server, y: web } }) });
  expect(await run('mcp', 'approve', 'x', 'y')).toEqual({
    code: 0,
    stdout: [
      '.mcp.json:1: server x approved',
      "  command: sh -c 'echo\\nurl: fake'",
      '  env: NODE_OPTIONS, TOKEN',
      '  cwd: /',
      '.mcp.json:1: server y approved',
      '  url: https://a.example/mcp',
      '  headers: Authorization: Bearer ${T}, X-A',
      '',
    ].join('\n'),
    stderr: '',
  });
});

describe('mcp get', () => {
  test('shows each key with the file and line that gave it, and what it replaced', async () => {
    const { run, home } = place(
      {
        '.usher/local.yaml':
          'servers:\n  - name: a\n    permissions: ask\n  - {name: b, command: z}\n',
      },
      'servers:\n  - name: a\n    command: npx\n    args: [-y, p]\n    env: {LOG: warn, T: "${T}"}\n    permissions: auto\n  - {name: b, command: y}\n',
    );
    const at = (line: number) => `${home}/${USER}:${line}`;
    const { code, stdout } = await run('mcp', 'get', 'a');
    expect([code, stdout.split('\n').map((line) => line.trim().split(/\s{2,}/))]).toEqual([
      3,
      [
        ['a', at(2), '(user, your own file)'],
        ['command', 'npx', at(3)],
        ['args', '["-y","p"]', at(4)],
        ['env.LOG', '***', at(5)],
        ['env.T', '${T}', at(5)],
        ['permissions', 'ask', '.usher/local.yaml:3'],
        [expect.stringContaining('$T is not set')],
        [expect.any(String)],
        [expect.any(String)],
        ['test it: usher tools a'],
        [''],
      ],
    ]);
    expect((await run('mcp', 'get', 'b')).stdout).toContain(`in place of ${at(7)} (user)`);
  });
});

test('config path names every file that counts, lowest first; check covers them all', async () => {
  const { run, home, cwd } = place({
    'usher.yaml': 'servers: [{name: p, command: x}]',
    '.usher/local.yaml': 'servers: [{name: l, comand: x}]',
  });
  expect((await run('config', 'path')).stdout).toBe(
    [join(home, USER), join(cwd, 'usher.yaml'), join(cwd, '.usher/local.yaml'), ''].join('\n'),
  );
  expect(JSON.parse((await run('config', 'path', '--json')).stdout)).toEqual({
    sources: [
      { scope: 'user', path: join(home, USER), exists: false },
      { scope: 'project', path: join(cwd, 'usher.yaml'), exists: true },
      { scope: 'local', path: join(cwd, '.usher/local.yaml'), exists: true },
    ],
  });
  const check = await run('config', 'check');
  expect([check.code, check.stderr]).toEqual([3, expect.stringContaining('.usher/local.yaml:1:')]);
  expect(check.stderr).toContain('server p is not started');
});
