// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { checkConfig } from '../../src/config/check.ts';
import { loadConfig } from '../../src/config/load.ts';
import { describeServers } from '../../src/config/provenance.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { load, serverProblems } from './try-load.ts';

const KEY = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;
const URL_LINE = 'url: https://a.example/mcp\n';
const said = (line: number, column: number, text: string) =>
  `config.yaml:${line}:${column} servers.x.${text}`;

describe('auth of a server', () => {
  test('of type oauth: texts expanded, files beside the configuration, nothing secret in it', async () => {
    const cwd = writeFiles(newFolder(), {
      'conf/usher.pem': KEY,
      'conf/c.yaml': `servers:
  - name: a
    url: https://a.example/mcp
    auth:
      type: oauth
      clientId: "\${ID}-1"
      clientMetadataUrl: https://a.example/\${ID}.json
      scope: read \${MORE:-write}
      callbackUrl: http://localhost:\${PORT}/a/../b?x=1
      authServerMetadataUrl: https://\${HOST}/.well-known/x
      privateKeyFile: usher.pem
      algorithm: RS256
      dpop: true
  - {name: b, url: "https://b.example/", transport: sse, auth: {type: oauth}}
  - {name: c, url: "https://c.example/", auth: {type: oauth, clientId: 7, clientSecretEnv: CS, callbackPort: 0, clientRegistration: auto, clientName: "n n"}}
  - {name: d, url: "https://d.example/", auth: {type: oauth, grant: jwt-bearer, clientId: ci, assertionFile: "\${DIR}/job.jwt"}}
  - {name: e, url: "https://e.example/", auth: {type: oauth, grant: enterprise, clientId: e, idpFile: ../idp.json}}
  - {name: f, url: "https://f.example/", auth: {type: oauth, grant: device_code, dpop: false}}
`,
    });
    const env = { ID: ' me ', PORT: '8080', HOST: 'login.example', DIR: '/srv' };
    const { servers, warnings } = await loadConfig({ configFlag: 'conf/c.yaml', env, cwd });
    const auth = servers.map(({ endpoint }) => 'auth' in endpoint && endpoint.auth);
    const type = 'oauth';
    expect([auth, warnings]).toEqual([
      [
        {
          type,
          clientId: 'me-1',
          clientMetadataUrl: 'https://a.example/me.json',
          scope: 'read write',
          callbackUrl: 'http://localhost:8080/a/../b?x=1',
          authServerMetadataUrl: 'https://login.example/.well-known/x',
          privateKeyFile: join(cwd, 'conf/usher.pem'),
          algorithm: 'RS256',
          dpop: true,
        },
        { type },
        {
          type,
          clientId: '7',
          clientSecretEnv: 'CS',
          callbackPort: 0,
          clientRegistration: 'auto',
          clientName: 'n n',
        },
        { type, grant: 'jwt-bearer', clientId: 'ci', assertionFile: '/srv/job.jwt' },
        { type, grant: 'enterprise', clientId: 'e', idpFile: join(cwd, 'idp.json') },
        { type, grant: 'device_code', dpop: false },
      ],
      [],
    ]);
  });

  test('of type command: its program, the variables it gets, the folder it runs in', async () => {
    const cwd = writeFiles(newFolder(), {
      'conf/c.yaml':
        'servers: [{name: a, url: "https://a.example/", auth: {type: command, command: [./t, "${WHO}"]}, envPass: [KRB]}]',
    });
    const options = { configFlag: 'conf/c.yaml', env: { WHO: 'me' }, cwd };
    const { servers, warnings } = await loadConfig(options);
    expect([servers.map(({ endpoint }) => 'auth' in endpoint && endpoint.auth), warnings]).toEqual([
      [{ type: 'command', command: ['./t', 'me'], envPass: ['KRB'], cwd: join(cwd, 'conf') }],
      [],
    ]);
  });

  test('of type provider: a login of the file, for https or this machine', async () => {
    const text = (url: string, name = 'work') =>
      `logins: {work: {issuer: "https://l.example"}}\nservers:\n  - name: x\n    url: ${url}\n    allowPrivate: true\n    auth: {type: provider, provider: ${name}}\n`;
    const heads = async (source: string) =>
      (await load(source)).warnings.map(({ message }) => message.split('\n')[0]);
    const found = await Promise.all(
      ['https://a.example/', 'http://localhost:1/', 'http://10.0.0.1/'].map((url) =>
        heads(text(url)),
      ),
    );
    const place = 'config.yaml:6:38 servers.x.auth.provider:';
    expect(found).toEqual([
      [],
      [],
      [`${place} the token of a login only goes to https, or to http on this machine`],
    ]);
    expect(await heads(text('https://a.example/', 'wrok'))).toEqual([
      `${place} no login "wrok" stands in logins:; did you mean work?`,
    ]);
    expect(await heads(text('https://a.example/').replace(/^.*\n/, ''))).toEqual([
      `${place.replace(':6:', ':5:')} no login "work" stands in logins:; there are none`,
    ]);
  });

  const cases: Readonly<Record<string, readonly [auth: string, ...messages: string[]]>> = {
    'unknown keys, with the nearest': [
      '{type: oauth, clientID: a, redirectUri: b, tokenEnv: T}',
      said(4, 25, 'auth.clientID: unknown key; did you mean clientId?'),
      said(4, 38, 'auth.redirectUri: unknown key'),
      said(4, 54, 'auth.tokenEnv: unknown key'),
    ],
    'literal secrets': [
      '{type: oauth, clientId: a, clientSecret: canary-1, privateKey: canary-2, clientSecretEnv: sk-canary-3}',
      said(
        4,
        38,
        'auth.clientSecret: a secret never stands in the file; put it into a variable and write clientSecretEnv: NAME_OF_VARIABLE',
      ),
      said(
        4,
        62,
        'auth.privateKey: a secret never stands in the file; keep the key in one of its own and write privateKeyFile: FILE',
      ),
      said(
        4,
        101,
        'auth.clientSecretEnv: expected the NAME of an environment variable, not a value. Example: GITHUB_TOKEN',
      ),
    ],
    'a callback that is elsewhere': [
      '{type: oauth, callbackUrl: "http://cb.example/cb"}',
      said(
        4,
        38,
        'auth.callbackUrl: cb.example is another host; expected this machine, such as http://127.0.0.1:8080/callback',
      ),
    ],
    'a callback over https': [
      '{type: oauth, callbackUrl: "https://localhost/cb"}',
      said(
        4,
        38,
        'auth.callbackUrl: expected an http URL on this machine such as http://127.0.0.1:8080/callback',
      ),
    ],
    'a callback with a fragment': [
      '{type: oauth, callbackUrl: "http://127.0.0.1:1/cb#x"}',
      said(4, 38, 'auth.callbackUrl: a fragment (#…) never comes back; remove it'),
    ],
    'two ports': [
      '{type: oauth, callbackPort: 99999, callbackUrl: "http://localhost:1/"}',
      said(4, 25, 'auth.callbackPort: callbackUrl names the port already; keep one of the two'),
      said(4, 39, 'auth.callbackPort: expected a port from 0 to 65535, got 99999'),
    ],
    'addresses without https': [
      '{type: oauth, authServerMetadataUrl: "http://as.example/x", clientMetadataUrl: "https://c.example"}',
      said(
        4,
        48,
        'auth.authServerMetadataUrl: plain http is only for this machine; write https, or allowPrivate: true for a private network',
      ),
      said(
        4,
        90,
        'auth.clientMetadataUrl: expected an https URL with a path, such as https://example.com/client.json',
      ),
    ],
    'client credentials without a client': [
      '{type: oauth, grant: client_credentials, callbackPort: 1}',
      said(4, 32, 'auth.grant: client_credentials needs clientId'),
      said(4, 32, 'auth.grant: client_credentials needs clientSecretEnv or privateKeyFile'),
      said(
        4,
        52,
        'auth.callbackPort: only goes with grant authorization_code, this is client_credentials',
      ),
    ],
    'keys of another grant': [
      '{type: oauth, grant: device_code, assertionFile: a, idpFile: b, callbackUrl: "http://localhost:1/"}',
      said(4, 45, 'auth.assertionFile: only goes with grant jwt-bearer, this is device_code'),
      said(4, 63, 'auth.idpFile: only goes with grant enterprise, this is device_code'),
      said(4, 75, 'auth.callbackUrl: only goes with grant authorization_code, this is device_code'),
    ],
    'jwt-bearer and enterprise without their files': [
      '{type: oauth, grant: jwt-bearer}',
      said(4, 32, 'auth.grant: jwt-bearer needs assertionFile'),
      said(4, 32, 'auth.grant: jwt-bearer needs clientId or clientMetadataUrl'),
    ],
    'enterprise without anything': [
      '{type: oauth, grant: enterprise, clientName: a}',
      said(4, 32, 'auth.grant: enterprise needs idpFile'),
      said(4, 32, 'auth.grant: enterprise needs clientId'),
      said(
        4,
        44,
        'auth.clientName: only goes with grant authorization_code or device_code, this is enterprise',
      ),
    ],
    'keys that say nothing alone': [
      '{type: oauth, clientSecretEnv: A, algorithm: ES256}',
      said(4, 25, 'auth.clientSecretEnv: only goes with clientId'),
      said(4, 45, 'auth.algorithm: only goes with privateKeyFile'),
    ],
    'two proofs of one client': [
      '{type: oauth, clientId: a, clientSecretEnv: A, privateKeyFile: b, clientMetadataUrl: "https://a.b/c", clientRegistration: dcr}',
      said(
        4,
        58,
        'auth.privateKeyFile: a client proves itself in one way; keep clientSecretEnv or privateKeyFile',
      ),
      said(
        4,
        77,
        'auth.clientMetadataUrl: clientRegistration: dcr never uses it; keep one of the two',
      ),
    ],
    'values that there are not': [
      '{type: oauth, grant: password, algorithm: none, clientRegistration: no}',
      said(
        4,
        32,
        'auth.grant: expected one of authorization_code, device_code, client_credentials, jwt-bearer, enterprise, got "password"',
      ),
      said(
        4,
        53,
        'auth.algorithm: expected one of ES256, ES384, ES512, RS256, RS384, RS512, PS256, PS384, PS512, EdDSA, Ed25519, got "none"',
      ),
      said(4, 79, 'auth.clientRegistration: expected auto, cimd or dcr, got "no"'),
    ],
    'a scope that cannot be sent, a home sign, a missing variable': [
      '{type: oauth, scope: "a  b", clientId: "${NOPE}", assertionFile: ~/x, grant: jwt-bearer}',
      said(4, 32, 'auth.scope: expected scopes with one blank between them, no quotes'),
      said(4, 50, 'auth.clientId: $NOPE is not set; set it, or write a default: ${NOPE:-…}'),
      said(4, 76, 'auth.assertionFile: ~ is not expanded; write ${HOME}'),
    ],
    'a shell line': [
      '{type: command, command: ["my-helper --json"]}',
      said(
        4,
        36,
        'auth.command: expected a program and its arguments, not a shell line: [PROGRAM, ARGUMENT]',
      ),
    ],
  };
  for (const [name, [auth, ...messages]] of Object.entries(cases)) {
    test(`names the problem: ${name}`, async () => {
      expect(await serverProblems(`${URL_LINE}auth: ${auth}`)).toEqual(messages);
    });
  }

  test('a key file that is missing or no key is named; not where the server is switched off', async () => {
    const auth = 'auth: {type: oauth, clientId: a, privateKeyFile: no.pem}';
    const found = await serverProblems(URL_LINE + auth);
    expect(found).toEqual([
      expect.stringMatching(
        /^config\.yaml:4:54 servers\.x\.auth\.privateKeyFile: \/.*\/no\.pem does not exist$/,
      ),
    ]);
    expect(await serverProblems(`${URL_LINE}${auth}\nenabled: false`)).toEqual([]);
  });

  test('beside another credential, or where it cannot be renewed, is refused', async () => {
    const twin = 'auth already sets this header; keep one of the two';
    for (const auth of [
      'type: oauth',
      'type: command, command: [t]',
      'type: provider, provider: p',
    ]) {
      const [type] = auth.slice(6).split(',');
      const lines = `${URL_LINE}headers: {authorization: "Bearer \${T}"}\nheadersCommand: [h]\nauth: {${auth}}`;
      expect(await serverProblems(lines, { T: 'canary' })).toEqual([
        said(4, 30, `headers.authorization: ${twin}`),
        said(
          5,
          5,
          'headersCommand: auth already sets the Authorization header; keep one of the two',
        ),
      ]);
      expect(await serverProblems(`url: wss://a.example/\ntransport: ws\nauth: {${auth}}`)).toEqual(
        [
          said(
            5,
            18,
            `auth.type: auth of type ${type} only goes with http and sse, not with transport: ws`,
          ),
        ],
      );
      expect(await serverProblems(`command: y\nauth: {${auth}}`)).toEqual([
        said(4, 5, 'auth: only goes with url, this server has command'),
      ]);
    }
  });

  test('as other hosts spell it is named with our spelling', async () => {
    expect(await serverProblems(`${URL_LINE}oauth: {clientId: a}\nclientSecret: canary`)).toEqual([
      said(4, 5, 'oauth: unknown key; write auth: { type: oauth }'),
      said(
        5,
        5,
        'clientSecret: a secret never stands in the file; put it into a variable and write auth: { type: oauth, clientId: …, clientSecretEnv: NAME_OF_VARIABLE }',
      ),
    ]);
  });
});

describe('what is told about it', () => {
  const text = `logins:
  work: {issuer: "https://l.example", clientId: a, clientSecretEnv: WORK, allowPrivate: true}
  robot: {issuer: "https://l.example", clientId: a, privateKeyFile: no.pem}
servers:
  - name: x
    url: https://a.example/mcp
    auth: {type: oauth, clientId: me, clientSecretEnv: CS}
  - name: y
    url: https://a.example/y
    auth: {type: command, command: [t, --token, canary-argument]}
`;

  test('check names variables that are not set and keys that are not there', async () => {
    const cwd = writeFiles(newFolder(), { 'c.yaml': text });
    expect(await checkConfig({ configFlag: 'c.yaml', env: {}, cwd })).toEqual({
      lines: [
        'warning: servers.x.auth.clientSecretEnv: $CS is not set or empty',
        'warning: logins.work.clientSecretEnv: $WORK is not set or empty',
        `warning: logins.robot.privateKeyFile: ${cwd}/no.pem does not exist`,
        expect.stringMatching(/c\.yaml: 2 servers, model offline$/),
      ],
      exit: 0,
    });
  });

  test('get shows the client, and no argument that is a secret', async () => {
    const cwd = writeFiles(newFolder(), { 'c.yaml': text });
    const { servers } = await describeServers({ configFlag: 'c.yaml', env: {}, cwd });
    const shown = servers.map(({ keys }) =>
      Object.fromEntries(keys.map(({ key, value, place }) => [key, [value, place]])),
    );
    expect(shown).toEqual([
      {
        url: ['https://a.example/mcp', 'c.yaml:6'],
        'auth.type': ['oauth', 'c.yaml:7'],
        'auth.clientId': ['me', 'c.yaml:7'],
        'auth.clientSecretEnv': ['CS', 'c.yaml:7'],
      },
      {
        url: ['https://a.example/y', 'c.yaml:9'],
        'auth.type': ['command', 'c.yaml:10'],
        'auth.command': [['t', '--token', '***'], 'c.yaml:10'],
      },
    ]);
  });
});
