import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type HttpRequest, readText, sendRequest } from '../../src/base/http.ts';
import { describeNetworkFailure } from '../../src/base/network-failure.ts';
import { type RouteOptions, routeFetch } from '../../src/base/route.ts';
import { tlsFileProblem } from '../../src/base/tls-files.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { closedPort, startTcp } from '../helpers/tcp.ts';

const pem = (name: string) => join(import.meta.dir, '../fixtures/tls', name);
const request: HttpRequest = {
  method: 'GET',
  headers: {},
  signal: new AbortController().signal,
};

/** The text of the answer, or what became of the request. */
async function ask(url: string, options: Partial<RouteOptions> = {}) {
  const fetch = routeFetch(globalThis.fetch, { env: {}, ...options });
  try {
    const response = await sendRequest(fetch, url, request);
    return 'kind' in response ? response : await response.text();
  } catch (error) {
    const { words, remedy, isUnsent } = describeNetworkFailure(error);
    return { words, remedy, isUnsent };
  }
}

async function startTls(name: string) {
  const text = (file: string) => Bun.file(pem(file)).text();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: await text(`${name}.pem`), key: await text(`${name}.key`) },
    fetch: () => new Response(`hello from ${name}`),
  });
  return {
    url: `https://localhost:${server.port}/`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

describe('certificates', () => {
  test.each([
    ['good', 'ca.pem'],
    ['self', 'self.pem'],
  ])('a %s one is accepted with its issuer in tls.ca', async (name, ca) => {
    await using server = await startTls(name);
    expect(await ask(server.url, { tls: { ca: pem(ca) } })).toBe(`hello from ${name}`);
  });

  const ca = { ca: pem('ca.pem') };
  test.each([
    ['good', undefined, 'its certificate is from an issuer not known here', 'tls: { ca: FILE }'],
    ['self', undefined, 'its certificate is self-signed', 'tls: { ca: FILE }'],
    ['expired', ca, 'its certificate has expired', 'its operator has to renew it'],
    ['other', ca, 'its certificate is for another host', 'write the host'],
  ])('%s with %j is refused in plain words', async (name, tls, words, remedy) => {
    await using server = await startTls(name);
    expect(await ask(server.url, { tls })).toEqual({
      words: expect.stringContaining(words),
      remedy: expect.stringContaining(remedy),
      isUnsent: true,
    });
  });

  test('a port without TLS is told apart', async () => {
    await using plain = startTcp('HTTP/1.1 400 Bad\r\n\r\n');
    expect(await ask(`https://localhost:${plain.port}/`)).toMatchObject({
      words: 'the TLS handshake failed; does the server speak TLS on this port?',
    });
  });
});

describe('certificate files', () => {
  const folder = writeFiles(newFolder(), { 'notes.txt': 'no PEM here\n' });
  test.each([
    ['ca', join(folder, 'missing.pem'), 'does not exist'],
    ['ca', folder, 'is a directory'],
    ['ca', join(folder, 'notes.txt'), 'holds no certificate in PEM form'],
    ['cert', pem('good.key'), 'holds no certificate in PEM form'],
    ['key', pem('good.pem'), 'holds no private key in PEM form'],
    ['key', pem('encrypted.key'), 'is encrypted; a key without a passphrase is needed'],
  ] as const)('%s %s: %s', (kind, path, problem) => {
    expect(tlsFileProblem(kind, path)).toStartWith(`${path} ${problem}`);
  });

  test('good ones have no problem', () => {
    expect(tlsFileProblem('ca', pem('ca.pem'))).toBeUndefined();
    expect(tlsFileProblem('key', pem('good.key'))).toBeUndefined();
  });

  test('damaged ones and a foreign key end the request before it is sent', async () => {
    const damaged = join(writeFiles(newFolder(), { 'ca.pem': DAMAGED }), 'ca.pem');
    const fetch = (tls: RouteOptions['tls']) =>
      sendRequest(routeFetch(globalThis.fetch, { env: {}, tls }), 'https://localhost:1/', request);
    await expect(fetch({ ca: damaged })).rejects.toThrow(`${damaged} is damaged PEM`);
    const pair = { cert: pem('good.pem'), key: pem('other.key') };
    await expect(fetch(pair)).rejects.toThrow(`${pair.key} is not the key of ${pair.cert}`);
  });
});

const DAMAGED = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

test('our own certificate is shown to a server that asks for one', async () => {
  const text = (file: string) => Bun.file(pem(file)).text();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: {
      cert: await text('good.pem'),
      key: await text('good.key'),
      ca: await text('ca.pem'),
      requestCert: true,
      rejectUnauthorized: true,
    },
    fetch: () => new Response('you are known'),
  });
  const url = `https://localhost:${server.port}/`;
  const ca = pem('ca.pem');
  const known = await ask(url, { tls: { ca, cert: pem('other.pem'), key: pem('other.key') } });
  const unknown = await ask(url, { tls: { ca } });
  await server.stop(true);
  expect([known, typeof unknown]).toEqual(['you are known', 'object']);
});

describe('proxies', () => {
  test('one that refuses the tunnel or the request is named, without its password', async () => {
    const reply = 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n';
    await using proxy = startTcp(reply);
    const address = `http://someone:canary-word@127.0.0.1:${proxy.port}`;
    const shown = `(through the proxy http://127.0.0.1:${proxy.port} of`;
    const remedy = 'NO_PROXY=a.example goes past the proxy';
    // The preloaded guard looks at the target, which is not where the connection goes.
    const fetch = routeFetch(Bun.fetch, {
      env: { HTTP_PROXY: address, HTTPS_PROXY: address },
    });
    const failure = async (url: string) =>
      describeNetworkFailure(await sendRequest(fetch, url, request).catch((error) => error));
    expect(await failure('https://a.example/')).toMatchObject({
      words: `Proxy refused to open a tunnel: 407 Proxy Authentication Required ${shown} HTTPS_PROXY)`,
      remedy,
      isUnsent: true,
    });
    expect(await failure('http://a.example/')).toMatchObject({
      words: `the proxy asks for a login (407) ${shown} HTTP_PROXY)`,
      remedy,
    });
  });

  test('one that is down is named as such', async () => {
    const port = closedPort();
    const proxy = `http://127.0.0.1:${port}`;
    expect(await ask('http://localhost:9/', { proxy })).toEqual({
      words: `connection refused (through the proxy ${proxy} of proxy:)`,
      remedy: 'proxy: none in its entry goes past the proxy',
      isUnsent: true,
    });
  });

  test("a server's proxy is used even for loopback", async () => {
    await using proxy = startTcp('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nvia');
    const url = 'http://localhost:9/x';
    expect(await ask(url, { proxy: `http://127.0.0.1:${proxy.port}` })).toBe('via');
    expect(proxy.received()[0]).toStartWith(`GET ${url} HTTP/1.1\r\n`);
  });
});

test('redirects: refuse follows none within the origin either', async () => {
  await using server = startTcp('HTTP/1.1 307 There\r\nlocation: /y\r\ncontent-length: 0\r\n\r\n');
  const url = `http://127.0.0.1:${server.port}/x`;
  expect(await ask(url, { redirects: 'refuse' })).toEqual({
    kind: 'redirect',
    status: 307,
    location: '/y',
  });
  expect(server.received()).toHaveLength(1);
});

test.each(['gzip', 'deflate', 'br'] as const)(
  'a %s body is bounded as it unfolds',
  async (coding) => {
    const zeros = new Uint8Array(17 * 1024 * 1024);
    const body = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[coding](zeros);
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(body, { headers: { 'content-encoding': coding } }),
    });
    const fetch = routeFetch(globalThis.fetch, { env: {} });
    const response = await sendRequest(fetch, `http://127.0.0.1:${server.port}/`, request);
    if ('kind' in response) throw new Error('a redirect');
    await expect(readText(response)).rejects.toThrow('the answer is larger than 16 MiB');
  },
);

test('requests in a row share one connection, over IPv6 as well', async () => {
  const ports = new Set<number>();
  using server = Bun.serve({
    port: 0,
    hostname: '::1',
    fetch(asked) {
      ports.add(server.requestIP(asked)?.port ?? 0);
      return new Response('six');
    },
  });
  const url = `http://[::1]:${server.port}/`;
  for (let turn = 0; turn < 4; turn += 1) expect(await ask(url)).toBe('six');
  expect(ports.size).toBe(1);
});
