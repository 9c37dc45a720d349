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
