import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { load, serverProblems } from './try-load.ts';

const PEM = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n';

test('tls files are looked for beside the config file, also from elsewhere', async () => {
  const folder = writeFiles(newFolder(), {
    'config.yaml': 'servers:\n  - { name: x, url: https://a.example/, tls: { ca: pem/ca.pem } }\n',
    'pem/ca.pem': PEM,
  });
  const configFlag = join(folder, 'config.yaml');
  const { servers, warnings } = await loadConfig({ configFlag, env: {}, cwd: newFolder() });
  expect([servers[0]?.endpoint, warnings]).toEqual([
    {
      kind: 'http',
      url: 'https://a.example/',
      headers: {},
      auth: undefined,
      allowPrivate: false,
      tls: { ca: join(folder, 'pem/ca.pem') },
    },
    [],
  ]);
});

test.each([
  ['tls: { ca: missing.pem }', 'servers.x.tls.ca: ', 'missing.pem does not exist'],
  ['tls: { ca: config.yaml }', 'servers.x.tls.ca: ', 'holds no certificate in PEM form'],
  ['tls: { cert: config.yaml }', 'tls.cert: ', 'cert and key go together; key is missing'],
  ['tls: { key: config.yaml }', 'tls.key: ', 'cert and key go together; cert is missing'],
  ['tls: { pem: a }', 'servers.x.tls.pem: ', 'unknown key'],
  ['proxy: socks5://p:1', 'servers.x.proxy: ', 'socks5:// is not supported'],
  ['proxy: http://u:canary-word@p:1', 'servers.x.proxy: ', 'a secret never stands in the file'],
  [`proxy: "http://u:\${PASS}@p:1"`, 'servers.x.proxy: ', '$PASS is not set'],
  ['redirects: all', 'servers.x.redirects: ', 'expected same-origin or refuse, got "all"'],
])('%s: %s%s', async (line, place, text) => {
  const problems = (await serverProblems(`url: https://a.example/\n${line}`)).join('\n');
  expect(problems).toContain(place);
  expect(problems).toContain(text);
  expect(problems).not.toContain('canary-word');
});

test('strictUrl refuses a query that comes from a variable, too', async () => {
  const lines = `url: "https://a.example/\${PATH_PART}"\nstrictUrl: true`;
  const problems = await serverProblems(lines, { PATH_PART: 'mcp?x=1' });
  expect(problems.join()).toContain('a query string is not allowed with strictUrl: true');
  expect(await serverProblems(lines, { PATH_PART: 'mcp' })).toEqual([]);
});

test('network keys go with url only', async () => {
  expect((await serverProblems('command: x\nproxy: none')).join()).toContain(
    '.proxy: only goes with url, this server has command',
  );
});

test('a disabled server needs no files, and a proxy may hold a variable', async () => {
  const text = `servers:
  - { name: x, url: https://a.example/, enabled: false, tls: { ca: missing.pem } }
  - { name: y, url: https://a.example/, proxy: "http://u:\${PASS}@p:1", redirects: refuse }
`;
  const { servers, warnings } = await load(text, { PASS: 'word-of-the-proxy' });
  expect([warnings, servers[1]?.endpoint]).toEqual([
    [],
    {
      kind: 'http',
      url: 'https://a.example/',
      headers: {},
      auth: undefined,
      allowPrivate: false,
      proxy: 'http://u:word-of-the-proxy@p:1',
      redirects: 'refuse',
    },
  ]);
});

test('headersCommand takes its folder from the file, references, and names of variables', async () => {
  const folder = writeFiles(newFolder(), {
    'config.yaml': `servers:
  - name: x
    url: https://a.example/
    headersCommand: [helper, --audience, "\${AUDIENCE}"]
    envPass: [VAULT_ADDR]
`,
  });
  const configFlag = join(folder, 'config.yaml');
  const env = { AUDIENCE: 'team' };
  const { servers, warnings } = await loadConfig({ configFlag, env, cwd: newFolder() });
  expect([servers[0]?.endpoint, warnings]).toEqual([
    {
      kind: 'http',
      url: 'https://a.example/',
      headers: {},
      auth: undefined,
      allowPrivate: false,
      headersCommand: {
        argv: ['helper', '--audience', 'team'],
        envPass: ['VAULT_ADDR'],
        cwd: folder,
      },
    },
    [],
  ]);
});

test.each([
  [
    'command: x\nheadersCommand: [a]',
    '.headersCommand: only goes with url, this server has command',
  ],
  [
    'url: wss://a.example/\ntransport: ws\nheadersCommand: [a]',
    '.headersCommand: only goes with http and sse, not with transport: ws',
  ],
  ['url: https://a.example/\nheadersCommand: []', 'expected a program and its arguments'],
  ['url: https://a.example/\nheadersCommand: helper', 'headersCommand'],
  ['url: https://a.example/\nheadersCommand: [get token]', 'not a shell line'],
  ['url: https://a.example/\nheadersCommand: [~/bin/a]', '~ is not expanded'],
  ['url: https://a.example/\nheadersHelper: a', 'write headersCommand: [PROGRAM, ARGUMENT]'],
  ['url: https://a.example/\nenvPass: [A]', '.envPass: only goes with command'],
])('%s is refused with its reason', async (lines, text) => {
  expect((await serverProblems(lines)).join('\n')).toContain(text);
});

test('expect names tools, their number and a version', async () => {
  const text = `servers:
  - { name: x, url: https://a.example/, expect: { tools: [a], minTools: 2, serverVersion: 1.2 } }
  - { name: y, command: z, expect: { minTools: 1 } }
`;
  const { servers, warnings } = await load(text);
  expect([servers.map((server) => server.expect), warnings]).toEqual([
    [{ tools: ['a'], minTools: 2, serverVersion: '1.2' }, { minTools: 1 }],
    [],
  ]);
  const problems = await serverProblems('url: https://a.example/\nexpect: { minTools: 0 }');
  expect(problems.join()).toContain('expected a whole number of at least 1');
});
