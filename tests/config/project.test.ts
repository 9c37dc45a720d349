// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { decide, forgetProject, projectServers } from '../../src/config/decide.ts';
import { loadConfig } from '../../src/config/load.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const USER = '.config/usher/config.yaml';

interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A home with a user file and a workspace with files. */
function place(files: Readonly<Record<string, string>>, user?: string): Place {
  const home = writeFiles(newFolder(), user === undefined ? {} : { [USER]: user });
  const cwd = writeFiles(newFolder(), { '.git/HEAD': '', ...files });
  return { home, cwd, env: { HOME: home } };
}

async function approve({ env, cwd }: Place, name: string, choice: 'approved' | 'rejected') {
  const server = (await projectServers({ env, cwd })).find((one) => one.name === name);
  if (server === undefined) throw new Error(`no project server ${name}`);
  return decide({ env, cwd }, server, choice);
}

/** What a load comes to: servers with what they run, pending ones with their state, warnings' first lines. */
async function outcome({ env, cwd }: Place, approved?: readonly string[]) {
  const config = await loadConfig({ env, cwd, approve: approved });
  return {
    servers: config.servers.map(({ name, endpoint }) =>
      endpoint.kind === 'stdio' ? `${name}=${endpoint.command}` : `${name}:${endpoint.kind}`,
    ),
    pending: (config.pending ?? []).map(({ name, state }) => `${name} ${state}`),
    warnings: config.warnings.map(({ message }) => message.split('\n')[0]),
    skipped: config.skipped,
  };
}

const json = (servers: object) => JSON.stringify({ mcpServers: servers });

describe('sources', () => {
  test('merge lowest first: user, project from the root down, local; files say where each came from', async () => {
    const here = place(
      {
        '.mcp.json': json({ a: { command: 'root-json' }, b: { command: 'root-json' } }),
        'usher.yaml': 'servers: [{name: b, command: root-yaml}, {name: c, command: root-yaml}]',
        'sub/.mcp.json': json({ c: { command: 'sub-json' }, d: { command: 'sub-json' } }),
        '.usher/local.yaml': 'servers: [{name: d, command: local}]',
      },
      'servers: [{name: a, command: user}, {name: e, command: user}]',
    );
    const sub = { ...here, cwd: join(here.cwd, 'sub') };
    const config = await loadConfig({
      env: here.env,
      cwd: sub.cwd,
      approve: ['a', 'b', 'c', 'd'],
    });
    expect({
      servers: config.servers.map(({ name, endpoint }) => [
        name,
        'command' in endpoint && endpoint.command,
        config.origins?.[name]?.scope,
      ]),
      files: config.files,
    }).toEqual({
      servers: [
        ['a', 'root-json', 'project'],
        ['e', 'user', 'user'],
        ['b', 'root-yaml', 'project'],
        ['c', 'sub-json', 'project'],
        ['d', 'local', 'local'],
      ],
      files: [
        join(here.home, USER),
        join(here.cwd, '.mcp.json'),
        join(here.cwd, 'usher.yaml'),
        join(sub.cwd, '.mcp.json'),
        join(here.cwd, '.usher/local.yaml'),
      ],
    });
  });

  test('model, mcp and defaultTools of the local file go over those of the user file', async () => {
    const here = place(
      { '.usher/local.yaml': 'mcp: {naming: mcp}\nmodel: {provider: offline}' },
      'mcp: {permissions: auto}\nmodel: {provider: openai, name: m}\ndefaultTools: ["+mcp_meta"]',
    );
    const { mcp, model, defaultTools } = await loadConfig(here);
    expect([mcp.permissions, mcp.naming, model?.provider, defaultTools.hasMeta]).toEqual([
      'auto',
      'mcp',
      'offline',
      true,
    ]);
  });

  test('of a project file nothing but servers is read, and a warning says so', async () => {
    const here = place(
      {
        'usher.yaml':
          'model: {provider: openai, name: evil, headers: {X: "${SECRET}"}}\nmcp: {permissions: auto}\ndefaultTools: ["+mcp_meta"]\nservers: []',
      },
      'servers: []',
    );
    const config = await loadConfig(here);
    expect([config.model, config.mcp.permissions, config.defaultTools.hasMeta]).toEqual([
      undefined,
      'ask',
      false,
    ]);
    expect(config.warnings.map(({ message }) => message)).toEqual([
      'usher.yaml: model, mcp, defaultTools is not read from a project file; only servers is',
    ]);
  });

  test('a local file that git has under version control is a project file', async () => {
    const here = place(
      { '.usher/local.yaml': 'servers: [{name: x, command: evil}]' },
      'servers: []',
    );
    expect((await outcome(here)).servers).toEqual(['x=evil']);
    const index = Buffer.concat([
      Buffer.from('DIRC'),
      Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]),
      Buffer.from('….usher/local.yaml\0\0'),
    ]);
    writeFileSync(join(here.cwd, '.git/index'), index);
    expect(await outcome(here)).toMatchObject({ servers: [], pending: ['x pending'] });
  });

  test.each([
    ['in another case', '.Usher/Local.yaml'],
    ['as a submodule', '.usher'],
  ])('a local file that git has %s is a project file', async (_, tracked) => {
    const here = place(
      {
        '.usher/local.yaml': 'servers: [{name: x, command: evil}]',
        '.git/index': `DIRC\0\0\0\u0002\0\0\0\u0001….${tracked.slice(1)}\0\0`,
      },
      'servers: []',
    );
    expect(await outcome(here)).toMatchObject({ servers: [], pending: ['x pending'] });
  });

  test.each([
    ['.usher', 'shared'],
    ['.usher/local.yaml', '../shared/local.yaml'],
  ])('a local file behind the link %s is a project file', async (link, target) => {
    const here = place(
      {
        'shared/local.yaml': 'servers: [{name: x, command: evil}]',
        '.git/index': 'DIRC\0\0\0\u0002\0\0\0\u0001…shared/local.yaml\0\0',
      },
      'servers: []',
    );
    mkdirSync(dirname(join(here.cwd, link)), { recursive: true });
    symlinkSync(target, join(here.cwd, link));
    expect(await outcome(here)).toMatchObject({ servers: [], pending: ['x pending'] });
  });

  test('a project file that cannot be used costs itself alone, an own one ends in exit 3', async () => {
    const here = place(
      { '.mcp.json': '{"mcpServers": {"a": }', 'usher.yaml': 'servers: {a: b}' },
      'servers: [{name: mine, command: x}]',
    );
    const { servers, warnings } = await outcome(here);
    expect([servers, warnings.map((line) => line?.split(' ')[0])]).toEqual([
      ['mine=x'],
      ['.mcp.json:1:23', 'usher.yaml:1:10'],
    ]);
    writeFiles(here.cwd, { '.usher/local.yaml': 'servers: {' });
    expect(loadConfig(here)).rejects.toThrow(/\.usher\/local\.yaml:1/);
  });

  test('a project file that is no regular file is not waited for', async () => {
    const here = place({}, 'servers: []');
    expect(Bun.spawnSync(['mkfifo', join(here.cwd, '.mcp.json')]).exitCode).toBe(0);
    expect((await outcome(here)).warnings).toEqual(['.mcp.json is not a regular file']);
  });

  test('the well-known map is read with type, url, command, args, env and headers', async () => {
    const here = place(
      {
        '.mcp.json': json({
          s: { type: 'stdio', command: 'npx', args: ['-y', 'p'], env: { A: '${B}' } },
          h: { type: 'http', url: 'https://a.example/mcp', headers: { 'X-A': 'b' } },
          e: { type: 'sse', url: 'https://b.example/sse' },
          w: { type: 'ws', url: 'wss://c.example/' },
          off: { command: 'x', disabled: true },
          odd: { type: 'carrier-pigeon', url: 'https://d.example/', name: 's' },
        }),
      },
      'servers: []',
    );
    const config = await loadConfig({
      env: { ...here.env, B: 'value' },
      cwd: here.cwd,
      approve: ['s', 'h', 'e', 'w', 'off', 'odd'],
    });
    expect(
      config.servers.map(({ name, endpoint, enabled }) => [name, endpoint.kind, enabled]),
    ).toEqual([
      ['s', 'stdio', true],
      ['h', 'http', true],
      ['e', 'sse', true],
      ['w', 'ws', true],
      ['off', 'stdio', false],
    ]);
    expect(config.servers[0]?.endpoint).toMatchObject({ args: ['-y', 'p'], env: { A: 'value' } });
    expect(config.warnings.map(({ message }) => message.split('\n')[0])).toEqual([
      '.mcp.json:1:299 mcpServers.odd.type: unknown key; url or command decides it, remove this line',
    ]);
  });

  test('a named .mcp.json is the own word of the person, and stands alone', async () => {
    const here = place(
      { '.mcp.json': json({ a: { command: 'x' } }) },
      'servers: [{name: b, command: y}]',
    );
    const { servers, pending } = await loadConfig({ ...here, configFlag: '.mcp.json' });
    expect([servers.map(({ name }) => name), pending]).toEqual([['a'], undefined]);
  });

  test('without an own file the workspace built-in stays beside approved servers', async () => {
    const here = place({ '.mcp.json': json({ a: { command: 'x' } }) });
    expect((await outcome(here, ['a'])).servers).toEqual(['workspace:builtin', 'a=x']);
  });
});

describe('one name in several files', () => {
  test('a pending project server leaves the lower one in its place', async () => {
    const here = place(
      { 'usher.yaml': 'servers: [{name: a, command: project}]' },
      'servers: [{name: a, command: mine}]',
    );
    expect(await outcome(here)).toMatchObject({ servers: ['a=mine'], pending: ['a pending'] });
    expect((await projectServers(here))[0]?.facts).toEqual([
      ['command', 'project'],
      ['in place of', `your own server of that name, ${join(here.home, USER)}:1`],
    ]);
    await approve(here, 'a', 'approved');
    expect(await outcome(here)).toMatchObject({ servers: ['a=project'], pending: [] });
  });

  test('a local file overrides a project server that waits', async () => {
    const here = place(
      {
        'usher.yaml': 'servers: [{name: a, command: project}]',
        '.usher/local.yaml': 'servers: [{name: a, command: local}]',
      },
      'servers: []',
    );
    expect(await outcome(here)).toEqual({
      servers: ['a=local'],
      pending: [],
      warnings: [],
      skipped: [],
    });
  });

  test('an entry without an endpoint changes the lower one; a mistake in it leaves the server out', async () => {
    const user = 'servers: [{name: a, command: x, permissions: auto, tools: [p, q]}]';
    const local = (lines: string) =>
      place({ '.usher/local.yaml': `servers: [{name: a, ${lines}}]` }, user);
    const good = await loadConfig(local('permissions: ask, tools: [z], enabled: false'));
    expect(
      good.servers.map(({ permissions, tools, enabled }) => [permissions, tools, enabled]),
    ).toEqual([['ask', ['z'], false]]);
    expect(await outcome(local('permissions: sometimes'))).toMatchObject({
      servers: [],
      skipped: ['a'],
    });
    expect(await outcome(local('timeout: {idle: 5s}'))).toMatchObject({
      servers: [],
      warnings: [
        '.usher/local.yaml:1:21 servers.a.timeout: an entry without url, command and builtin changes enabled, exposure, permissions and tools of a server in another file, nothing else',
      ],
    });
    const alone = place({ '.usher/local.yaml': 'servers: [{name: b, enabled: true}]' }, user);
    expect((await outcome(alone)).skipped).toEqual(['b']);
  });

  test('a project file may only narrow so, without approval', async () => {
    const user =
      'servers: [{name: a, command: x, permissions: ask, tools: ["r*", "!rm"], exposure: hidden}, {name: off, command: y, enabled: false}]';
    const change = async (line: string): Promise<readonly unknown[]> => {
      const here = place({ 'usher.yaml': `servers: [{name: ${line}}]` }, user);
      const { servers, warnings } = await loadConfig(here);
      return [
        servers.map(({ name, permissions, tools, exposure, enabled }) => ({
          name,
          permissions,
          tools,
          exposure,
          enabled,
        })),
        warnings.length,
      ];
    };
    const a = {
      name: 'a',
      permissions: 'ask',
      tools: ['r*', '!rm'],
      exposure: 'hidden',
      enabled: true,
    };
    const off = {
      name: 'off',
      permissions: undefined,
      tools: undefined,
      exposure: 'direct',
      enabled: false,
    };
    expect([
      await change('a, tools: [read]'),
      await change('a, tools: []'),
      await change('a, enabled: false'),
      await change('off, permissions: ask'),
      await change('off, exposure: hidden'),
      await change('a, tools: [rm]'),
      await change('a, tools: [write]'),
      await change('a, tools: ["r*"]'),
      await change('a, tools: ["!rm"]'),
      await change('a, permissions: auto'),
      await change('a, exposure: direct'),
      await change('off, enabled: true'),
    ]).toEqual([
      [[{ ...a, tools: ['read'] }, off], 0],
      [[{ ...a, tools: [] }, off], 0],
      [[{ ...a, enabled: false }, off], 0],
      [[a, { ...off, permissions: 'ask' }], 0],
      [[a, { ...off, exposure: 'hidden' }], 0],
      ...Array.from({ length: 7 }, () => [[a, off], 1]),
    ]);
  });

  test('a project file cannot show a single tool that is hidden', async () => {
    const user = 'servers: [{name: a, command: x, toolExposure: {rm: hidden, ls: direct}}]';
    const change = async (map: string) => {
      const here = place({ 'usher.yaml': `servers: [{name: a, toolExposure: ${map}}]` }, user);
      return (await loadConfig(here)).warnings.length;
    };
    expect([
      await change('{rm: hidden, ls: direct, mv: hidden}'),
      await change('{rm: hidden, ls: hidden}'),
      await change('{ls: hidden}'),
      await change('{rm: direct, ls: direct}'),
      await change('{}'),
    ]).toEqual([0, 0, 1, 1, 1]);
  });

  test('rules of all own files hold together', async () => {
    const here = place(
      { '.usher/local.yaml': 'rules: [{allow: "b/*"}]', 'usher.yaml': 'rules: [{allow: "c/*"}]' },
      'rules: [{deny: "a/*"}]\nservers: []',
    );
    expect((await loadConfig(here)).rules?.length).toBe(2);
  });

  test('names that are one in tool names: the own file wins, the project entry is left out', async () => {
    const here = place(
      { 'usher.yaml': 'servers: [{name: A_B, command: evil}]' },
      'servers: [{name: a-b, command: mine}]',
    );
    expect(await outcome(here, ['A_B'])).toMatchObject({ servers: ['a-b=mine'], skipped: ['A_B'] });
    expect(await outcome(here)).toMatchObject({ servers: ['a-b=mine'], pending: [] });
  });

  test('the same server under two names is warned of', async () => {
    const here = place(
      { '.usher/local.yaml': 'servers: [{name: b, command: x, args: [y], description: other}]' },
      'servers: [{name: a, command: x, args: [y]}, {name: c, command: x, args: [z]}]',
    );
    const { warnings, servers } = await outcome(here);
    expect([servers.length, warnings]).toEqual([
      3,
      [`.usher/local.yaml:1: b is the same server as a (${join(here.home, USER)}:1)`],
    ]);
  });
});

describe('approval', () => {
  const entry = { command: 'npx', args: ['-y', 'p'], env: { TOKEN: '${T}', MODE: 'a' } };
  const files = (server: object) => ({ '.mcp.json': json({ a: server }) });

  test('what is asked shows variables and where references go, and masks what is written as a secret', async () => {
    const here = place(
      {
        'usher.yaml': `servers:
  - {name: a, command: node, env: {API_KEY: abcdefgh1, NODE_OPTIONS: --require ./evil.js}}
  - {name: b, url: 'https://a.example/mcp', headers: {Authorization: 'Bearer \${T}', X-Team: plain}}`,
      },
      'servers: []',
    );
    expect((await projectServers(here)).map(({ facts }) => facts.slice(1))).toEqual([
      [['env', "API_KEY=*** NODE_OPTIONS='--require ./evil.js'"]],
      [['headers', 'Authorization: Bearer ${T}, X-Team']],
    ]);
  });

  test('no part of a command line hides behind a word for secrets', async () => {
    const here = place(
      {
        'usher.yaml':
          "servers: [{name: a, command: sh, args: [-c, 'token=1 a; key=$(b) //c@d ?e=;f', token=x, run, --api-key, abc, g]}]",
      },
      'servers: []',
    );
    expect((await projectServers(here))[0]?.facts).toEqual([
      ['command', "sh -c 'token=*** a; key=$(b) //***@d ?e=;f' token=*** run --api-key *** g"],
    ]);
  });

  test('nothing is started before it; the warning names the command and the flag', async () => {
    const here = place(files(entry), 'servers: []');
    const { servers, pending, warnings } = await loadConfig(here);
    expect(servers).toEqual([]);
    expect(pending?.map(({ signature: _hash, ...rest }) => rest)).toEqual([
      {
        name: 'a',
        file: join(here.cwd, '.mcp.json'),
        place: '.mcp.json:1',
        state: 'pending',
        enabled: true,
        facts: [
          ['command', 'npx -y p'],
          ['env', "TOKEN='${T}' MODE=a"],
        ],
      },
    ]);
    expect(warnings).toEqual([
      {
        message:
          '.mcp.json:1: server a is not started: a project file needs your approval (pending approval)',
        hint: 'usher mcp approve a, or --approve a for this run',
        skipped: undefined,
        pending: 'a',
      },
    ]);
  });

  test('is kept in a private file of the state directory, for that file and name alone', async () => {
    const here = place(files(entry), 'servers: []');
    await approve(here, 'a', 'approved');
    const path = join(here.home, '.local/state/usher/approvals.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await outcome({ ...here, env: { ...here.env, T: 't' } })).toMatchObject({
      servers: ['a=npx'],
      pending: [],
    });
    const other = { ...place(files(entry)), home: here.home, env: here.env };
    expect(await outcome(other)).toMatchObject({ pending: ['a pending'] });
    expect([forgetProject(here), (await outcome(here)).pending]).toEqual([1, ['a pending']]);
  });

  const url = { url: 'https://a.example/mcp' };
  const changes: Readonly<Record<string, readonly [before: object, after: object]>> = {
    command: [entry, { ...entry, command: 'bun' }],
    args: [entry, { ...entry, args: ['-y', 'q'] }],
    'the place where one argument ends': [entry, { ...entry, args: ['-y p'] }],
    'the value of a variable': [entry, { ...entry, env: { ...entry.env, MODE: 'b' } }],
    'a new variable': [entry, { ...entry, env: { ...entry.env, LD_PRELOAD: 'x' } }],
    envPass: [entry, { ...entry, envPass: ['HOME'] }],
    cwd: [entry, { ...entry, cwd: '..' }],
    url: [url, { url: 'https://b.example/mcp' }],
    transport: [url, { ...url, type: 'sse' }],
    headers: [url, { ...url, headers: { 'X-A': 'b' } }],
    auth: [url, { ...url, auth: { type: 'bearer', tokenEnv: 'T' } }],
    allowPrivate: [url, { ...url, allowPrivate: true }],
    proxy: [url, { ...url, proxy: 'http://p.example:1' }],
    permissions: [url, { ...url, permissions: 'auto' }],
    toolPermissions: [url, { ...url, toolPermissions: { x: 'auto' } }],
    trustAnnotations: [url, { ...url, trustAnnotations: true }],
    sampling: [url, { ...url, sampling: 'ask' }],
    required: [url, { ...url, required: true }],
    'a wider list of tools': [
      { ...url, tools: ['r*'] },
      { ...url, tools: ['r*', 'w'] },
    ],
    'no list of tools': [{ ...url, tools: ['r'] }, url],
  };
  for (const [what, [before, after]] of Object.entries(changes)) {
    test(`${what} changed: the server waits again`, async () => {
      const here = place(files(before), 'servers: []');
      const env = { ...here.env, T: 't' };
      await approve(here, 'a', 'approved');
      expect((await outcome({ ...here, env })).pending).toEqual([]);
      writeFiles(here.cwd, files(after));
      expect(await outcome({ ...here, env })).toMatchObject({
        servers: [],
        pending: ['a changed'],
      });
    });
  }

  test('description, timeout, exposure, enabled and fewer tools change without a question', async () => {
    const here = place(files({ ...url, tools: ['r*', 'w'] }), 'servers: []');
    await approve(here, 'a', 'approved');
    const after = {
      ...url,
      tools: ['read', 'w'],
      description: 'd',
      timeout: { idle: '5s' },
      exposure: 'hidden',
      enabled: true,
    };
    writeFiles(here.cwd, files(after));
    expect(await outcome(here)).toMatchObject({ servers: ['a:http'], pending: [] });
  });

  test('a rejected server is silent until it changes; a granted one runs this time only', async () => {
    const here = place(files(url), 'servers: []');
    await approve(here, 'a', 'rejected');
    expect(await outcome(here)).toEqual({
      servers: [],
      pending: ['a rejected'],
      warnings: [],
      skipped: [],
    });
    const allowed = { ...here, env: { ...here.env, USHER_MCP_ALLOWLIST: 'x, a' } };
    expect([(await outcome(allowed)).servers, (await outcome(here, ['a'])).servers]).toEqual([
      ['a:http'],
      ['a:http'],
    ]);
    expect((await outcome(here)).servers).toEqual([]);
    writeFiles(here.cwd, files({ ...url, proxy: 'none' }));
    expect((await outcome(here)).pending).toEqual(['a changed']);
  });

  test('a file of decisions that others may write, or that is a symlink, grants nothing and is not written to', async () => {
    const here = place(files(url), 'servers: []');
    await approve(here, 'a', 'approved');
    const path = join(here.home, '.local/state/usher/approvals.json');
    chmodSync(path, 0o666);
    expect(await outcome(here)).toMatchObject({
      servers: [],
      warnings: [`${path} is open to others; no approval counts`, expect.any(String)],
    });
    expect(await approve(here, 'a', 'approved')).toContain('open to others');
    const linked = place(files(url), 'servers: []');
    const target = join(newFolder(), 'target');
    writeFileSync(target, readFileSync(path), { mode: 0o600 });
    writeFiles(linked.home, { '.local/state/usher/x': '' });
    symlinkSync(target, join(linked.home, '.local/state/usher/approvals.json'));
    expect((await outcome(linked)).servers).toEqual([]);
  });

  test('damaged decisions count as none', async () => {
    const here = place(files(url), 'servers: []');
    await approve(here, 'a', 'approved');
    const path = join(here.home, '.local/state/usher/approvals.json');
    for (const text of ['', '{', '[]', '{"version": 1, "choices": [{"choice": "approved"}]}']) {
      writeFileSync(path, text);
      expect((await outcome(here)).pending).toEqual(['a pending']);
    }
    await approve(here, 'a', 'approved');
    expect((await outcome(here)).pending).toEqual([]);
  });

  test('a file that changed while the person was asked decides nothing', async () => {
    const here = place(files(url), 'servers: []');
    const [shown] = await projectServers(here);
    if (shown === undefined) throw new Error('nothing to decide');
    writeFiles(here.cwd, files({ url: 'https://evil.example/' }));
    expect(await decide(here, shown, 'approved')).toContain('changed while you were asked');
    expect(existsSync(join(here.home, '.local/state/usher/approvals.json'))).toBe(false);
  });

  test('a broken project entry is never asked about; a credential made by a program is refused', async () => {
    const here = place(
      {
        '.mcp.json': json({
          a: { command: 'x', url: 'https://a.example/' },
          b: { url: 'https://a.example/', auth: { type: 'command', command: ['x'] } },
          c: { url: 'https://a.example/', headers: { Authorization: 'Bearer literal-token-1' } },
        }),
      },
      'servers: []',
    );
    const { pending, skipped, warnings } = await outcome(here);
    expect([pending, skipped]).toEqual([[], ['a', 'b', 'c']]);
    expect(warnings[1]).toContain('auth of type command does not go into a project file');
    expect(warnings.join('\n')).not.toContain('literal-token');
  });

  test('a server that the local file switches off is not asked about', async () => {
    const here = place(
      { ...files(url), '.usher/local.yaml': 'servers: [{name: a, enabled: false}]' },
      'servers: []',
    );
    expect(await outcome(here)).toEqual({
      servers: [],
      pending: ['a pending'],
      warnings: [],
      skipped: [],
    });
  });
});
