// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { failure, load } from './try-load.ts';

const heads = async (text: string, env = {}) =>
  (await failure(text, env)).split('\n').filter((line) => !line.startsWith('  '));

describe('logins', () => {
  test('are read by name, with every text expanded and files beside the file', async () => {
    const cwd = writeFiles(newFolder(), {
      'conf/c.yaml': `logins:
  work:
    issuer: https://\${HOST}/realm
    clientId: me
    scope: openid
    resource: https://api.example
  by-url: {authServerMetadataUrl: "http://127.0.0.1:9/x", allowPrivate: true}
  key: {issuer: "https://l.example", grant: client_credentials, clientId: k, privateKeyFile: k.pem}
`,
    });
    const env = { HOST: 'login.example' };
    const { logins, warnings } = await loadConfig({ configFlag: 'conf/c.yaml', env, cwd });
    expect([logins, warnings]).toEqual([
      {
        work: {
          issuer: 'https://login.example/realm',
          clientId: 'me',
          scope: 'openid',
          resource: 'https://api.example',
          allowPrivate: false,
        },
        'by-url': { authServerMetadataUrl: 'http://127.0.0.1:9/x', allowPrivate: true },
        key: {
          issuer: 'https://l.example',
          grant: 'client_credentials',
          clientId: 'k',
          privateKeyFile: join(cwd, 'conf/k.pem'),
          allowPrivate: false,
        },
      },
      [],
    ]);
  });

  test('an empty block is none', async () => {
    expect((await load('logins:\n')).logins).toBeUndefined();
  });

  test.each([
    ['logins: x', ['1:9 logins: expected a mapping (key: value), got "x"']],
    ['logins: [a]', ['1:9 logins: expected a mapping (key: value), got a list']],
    ['logins:\n  a:', ['2:3 logins.a: expected a mapping (key: value), got nothing']],
    ['logins:\n  a: {}', ['2:6 logins.a: one of issuer, authServerMetadataUrl is missing']],
    [
      'logins:\n  "a b": {issuer: "https://l.example"}',
      ['2:3 logins."a b": expected a name of 1 to 64 letters, digits, _ or -, got "a b"'],
    ],
    [
      'logins:\n  a: {issuer: "https://l.example", clientID: x, clientSecret: canary, type: oauth}',
      [
        '2:36 logins.a.clientID: unknown key; did you mean clientId?',
        '2:49 logins.a.clientSecret: a secret never stands in the file; put it into a variable and write clientSecretEnv: NAME_OF_VARIABLE',
        '2:71 logins.a.type: unknown key',
      ],
    ],
    [
      'logins:\n  a: {issuer: "http://l.example", resource: "x#y"}',
      [
        '2:15 logins.a.issuer: plain http is only for this machine; write https, or allowPrivate: true for a private network',
        '2:45 logins.a.resource: expected an absolute URI such as https://api.example.com',
      ],
    ],
    [
      'logins:\n  a: {issuer: "https://10.0.0.1", grant: enterprise, clientId: b}',
      ['2:42 logins.a.grant: enterprise needs idpFile'],
    ],
    [
      'logins:\n  a: {issuer: "https://${NOPE}"}',
      ['2:15 logins.a.issuer: $NOPE is not set; set it, or write a default: ${NOPE:-…}'],
    ],
  ])('%s: every problem has its place', async (text, expected) => {
    expect(await heads(text)).toEqual(expected.map((line) => `config.yaml:${line}`));
  });

  test('that cannot be used are no unknown names for the servers that use them', async () => {
    const text =
      'logins: {work: {}}\nservers: [{name: x, url: "https://a.example/", auth: {type: provider, provider: work}}]';
    expect(await heads(text)).toEqual([
      'config.yaml:1:16 logins.work: one of issuer, authServerMetadataUrl is missing',
    ]);
  });

  test('of a higher own file replace those of the same name, each with files of its own folder', async () => {
    const home = writeFiles(newFolder(), {
      '.config/usher/config.yaml': `logins:
  a: {issuer: "https://user.example", privateKeyFile: a.pem, clientId: a}
  b: {issuer: "https://user.example", grant: jwt-bearer, clientId: ci, assertionFile: b.jwt}
`,
    });
    const cwd = writeFiles(newFolder(), {
      '.git/HEAD': '',
      '.usher/local.yaml': 'logins: {a: {issuer: "https://local.example"}}\n',
    });
    const { logins } = await loadConfig({ env: { HOME: home }, cwd });
    expect(logins).toEqual({
      a: { issuer: 'https://local.example', allowPrivate: false },
      b: {
        issuer: 'https://user.example',
        grant: 'jwt-bearer',
        clientId: 'ci',
        assertionFile: join(home, '.config/usher/b.jwt'),
        allowPrivate: false,
      },
    });
  });
});

describe('a project file', () => {
  const open = async (files: Readonly<Record<string, string>>, approve: readonly string[] = []) => {
    const home = writeFiles(newFolder(), {
      '.config/usher/config.yaml': 'logins: {work: {issuer: "https://l.example"}}\n',
    });
    const cwd = writeFiles(newFolder(), { '.git/HEAD': '', ...files });
    return loadConfig({ env: { HOME: home }, cwd, approve });
  };

  test('has no logins: they are told and not read', async () => {
    const { logins, warnings } = await open({
      'usher.yaml': 'logins: {work: {issuer: "https://evil.example"}, more: {}}\nservers: []\n',
    });
    expect([logins, warnings.map(({ message }) => message)]).toEqual([
      { work: { issuer: 'https://l.example', allowPrivate: false } },
      ['usher.yaml: logins is not read from a project file; only servers is'],
    ]);
  });

  test.each(['provider, provider: work', 'command, command: [./t]'])(
    'has no server with auth of type %s, approved or not',
    async (auth) => {
      const files = {
        'usher.yaml': `servers: [{name: x, url: "https://a.example/", auth: {type: ${auth}}}]\n`,
      };
      const { servers, warnings } = await open(files, ['x']);
      const [type] = auth.split(',');
      expect([servers, warnings.map(({ message }) => message.split('\n')[0])]).toEqual([
        [],
        [
          `usher.yaml:1:61 servers.x.auth.type: auth of type ${type} does not go into a project file`,
        ],
      ]);
    },
  );

  test('may have a sign-in: it waits for approval, is shown, and every key of it is part of what was approved', async () => {
    const file = (more: string) => ({
      'usher.yaml': `servers: [{name: x, url: "https://a.example/", auth: {type: oauth, clientId: me${more}}}]\n`,
    });
    const pending = async (more: string) => (await open(file(more))).pending?.[0];
    const plain = await pending('');
    expect(plain?.facts).toContainEqual(['auth', '{"type":"oauth","clientId":"me"}']);
    const changes = [', scope: a', ', clientSecretEnv: A', ', callbackPort: 1', ', dpop: true'];
    const signatures = await Promise.all(
      ['', ...changes].map(async (more) => (await pending(more))?.signature),
    );
    expect(new Set(signatures).size).toBe(1 + changes.length);
    expect((await open(file(''), ['x'])).servers.map(({ name }) => name)).toEqual(['x']);
  });
});

describe('.mcp.json', () => {
  const auth = async (oauth: unknown, more: object = {}) => {
    const entry = { type: 'http', url: 'https://a.example/', oauth, ...more };
    const cwd = writeFiles(newFolder(), {
      '.git/HEAD': '',
      '.mcp.json': JSON.stringify({ mcpServers: { x: entry } }),
    });
    const { servers, warnings } = await loadConfig({ env: {}, cwd, approve: ['x'] });
    const found = servers.flatMap(({ endpoint }) => ('auth' in endpoint ? [endpoint.auth] : []));
    const told = warnings.map(({ message }) => message.split('\n')[0]?.replace(/^\S+ /, ''));
    return [...found, ...told];
  };

  test('says oauth as other hosts do', async () => {
    const oauth = {
      clientId: 'me',
      callbackPort: 8080,
      authServerMetadataUrl: 'https://l.example/x',
      clientSecretEnv: 'CS',
    };
    const given = { type: 'oauth' as const, ...oauth };
    expect(await auth(oauth)).toEqual([given]);
    expect(await auth({})).toEqual([{ type: 'oauth' }]);
    expect(await auth({ scopes: ['a', 'b'] })).toEqual([{ type: 'oauth', scope: 'a b' }]);
    expect(await auth({ scopes: 'a b' })).toEqual([{ type: 'oauth', scope: 'a b' }]);
  });

  test('a secret in it, and what is no sign-in, is refused', async () => {
    const path = 'mcpServers.x';
    expect(await auth({ clientId: 'me', clientSecret: 'canary' })).toEqual([
      `${path}.auth.clientSecret: a secret never stands in the file; put it into a variable and write clientSecretEnv: NAME_OF_VARIABLE`,
    ]);
    const foreign = `${path}.oauth: unknown key; write auth: { type: oauth }`;
    expect(await auth(true)).toEqual([foreign]);
    expect(await auth({}, { auth: { type: 'bearer', tokenEnv: 'T' } })).toEqual([foreign]);
  });
});
