import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { hostKind } from '../../src/base/address.ts';
import { createGuard, RefusedAddressError } from '../../src/base/guard.ts';
import type { Fetch, FetchInit } from '../../src/base/http.ts';
import { sendRequest } from '../../src/base/http.ts';
import { quickestAddress } from '../../src/base/quickest.ts';
import { routeFetch } from '../../src/base/route.ts';
import { createManualClock } from '../mcp/manual-clock.ts';

const PUBLIC = '93.184.215.14';
const PUBLIC_V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
const request = {
  method: 'GET',
  headers: { 'x-team': 'docs' },
  signal: new AbortController().signal,
} as const;

/** A `fetch` that records what it was asked; `fails` are addresses that refuse. */
function recorder(fails: readonly string[] = []) {
  const asked: { url: string; host: string | undefined; tls: FetchInit['tls'] }[] = [];
  const fetch: Fetch = async (url, init) => {
    asked.push({ url, host: init.headers['host'], tls: init.tls });
    if (fails.some((address) => url.includes(address))) {
      throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    }
    return new Response('fine');
  };
  return { asked, fetch };
}

function answering(table: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (host: string) => {
      const rounds = table[host];
      const round =
        rounds?.[Math.min(asked.filter((one) => one === host).length, rounds.length - 1)];
      asked.push(host);
      if (round === undefined) throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
      return round;
    },
  };
}

describe('R18: addresses that are not public', () => {
  test.each([
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '100.64.0.1',
    '169.254.169.254',
    '192.88.99.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::',
    '3fff::1',
  ])('%s is refused, alone or beside a public one', async (address) => {
    for (const addresses of [[address], [PUBLIC, address]]) {
      const { fetch, asked } = recorder();
      const { resolve } = answering({ 'mcp.test': [addresses] });
      const guarded = routeFetch(fetch, { env: {}, resolve });
      const outcome = await sendRequest(guarded, 'https://mcp.test/mcp', request).catch((e) => e);
      expect(outcome).toBeInstanceOf(RefusedAddressError);
      expect(outcome.message).toBe(
        `mcp.test leads to ${address}, which is not a public address; nothing was sent`,
      );
      expect(asked).toEqual([]);
    }
  });

  test('written as a number in the URL it is refused without a resolution, behind a proxy as well', async () => {
    const { fetch, asked } = recorder();
    const { resolve, asked: names } = answering({});
    for (const proxy of [undefined, 'http://proxy.test:3128']) {
      const guarded = routeFetch(fetch, { env: {}, resolve, proxy });
      const outcome = sendRequest(guarded, 'https://169.254.169.254/latest', request);
      expect(await outcome.catch((e) => e)).toBeInstanceOf(RefusedAddressError);
    }
    expect([asked, names]).toEqual([[], []]);
  });

  test('allowPrivate, loopback and a proxy leave resolving to the runtime', async () => {
    const { fetch, asked } = recorder();
    const { resolve, asked: names } = answering({});
    const ask = (url: string, more: object) =>
      sendRequest(routeFetch(fetch, { env: {}, resolve, ...more }), url, request);
    await ask('https://nas.test/', { allowPrivate: true });
    await ask('http://localhost:99/', {});
    await ask('http://127.0.0.1:99/', {});
    await ask('https://mcp.test/', { proxy: 'http://proxy.test:3128' });
    expect(names).toEqual([]);
    expect(asked.map(({ url }) => url)).toEqual([
      'https://nas.test/',
      'http://localhost:99/',
      'http://127.0.0.1:99/',
      'https://mcp.test/',
    ]);
  });

  test('every address of the tables above has a kind that is not public, and two do', () => {
    expect([hostKind(PUBLIC), hostKind(PUBLIC_V6)]).toEqual(['public', 'public']);
  });
});

describe('a checked name', () => {
  test('is connected to by address, with its name for the server and the certificate', async () => {
    const { fetch, asked } = recorder();
    const { resolve } = answering({ 'mcp.test': [[PUBLIC]], 'six.test': [[PUBLIC_V6]] });
    const guarded = routeFetch(fetch, { env: {}, resolve });
    const response = await guarded('https://mcp.test:8443/a?b=c', {
      ...request,
      redirect: 'manual',
      timeout: false,
      verbose: false,
    });
    await sendRequest(guarded, 'https://six.test/', request);
    expect(response.url).toBe('https://mcp.test:8443/a?b=c');
    expect(asked).toEqual([
      {
        url: `https://${PUBLIC}:8443/a?b=c`,
        host: 'mcp.test:8443',
        tls: { serverName: 'mcp.test' },
      },
      { url: `https://[${PUBLIC_V6}]/`, host: 'six.test', tls: { serverName: 'six.test' } },
    ]);
  });

  test('a second resolution that lies is never connected to, neither within the pin nor after it', async () => {
    let now = 0;
    const { fetch, asked } = recorder();
    const { resolve, asked: names } = answering({ 'mcp.test': [[PUBLIC], ['127.0.0.1']] });
    const guarded = routeFetch(fetch, { env: {}, resolve, now: () => now });
    await sendRequest(guarded, 'https://mcp.test/', request);
    await sendRequest(guarded, 'https://mcp.test/', request);
    expect(names).toEqual(['mcp.test']);
    now = 30_000;
    const late = await sendRequest(guarded, 'https://mcp.test/', request).catch((e) => e);
    expect(late).toBeInstanceOf(RefusedAddressError);
    expect(asked.map(({ url }) => url)).toEqual([`https://${PUBLIC}/`, `https://${PUBLIC}/`]);
  });

  test('its addresses are tried in turn, and the one that answered is tried first from then on', async () => {
    const second = '93.184.215.15';
    const { fetch, asked } = recorder([PUBLIC]);
    const { resolve } = answering({ 'mcp.test': [[PUBLIC, second]] });
    const guarded = routeFetch(fetch, { env: {}, resolve });
    await sendRequest(guarded, 'https://mcp.test/', request);
    await sendRequest(guarded, 'https://mcp.test/', request);
    expect(asked.map(({ url }) => url)).toEqual([
      `https://${PUBLIC}/`,
      `https://${second}/`,
      `https://${second}/`,
    ]);
  });

  test('is resolved anew after none of its addresses answered', async () => {
    const { fetch } = recorder([PUBLIC]);
    const { resolve, asked: names } = answering({ 'mcp.test': [[PUBLIC], ['93.184.215.15']] });
    const guarded = routeFetch(fetch, { env: {}, resolve });
    const failed = await sendRequest(guarded, 'https://mcp.test/', request).catch((e) => e);
    expect(failed.code).toBe('ECONNREFUSED');
    await sendRequest(guarded, 'https://mcp.test/', request);
    expect(names).toEqual(['mcp.test', 'mcp.test']);
  });

  test('a request that may have been read is not sent to the next address', async () => {
    const asked: string[] = [];
    const fetch: Fetch = async (url) => {
      asked.push(url);
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    };
    const { resolve } = answering({ 'mcp.test': [[PUBLIC, '93.184.215.15']] });
    const guarded = routeFetch(fetch, { env: {}, resolve });
    const failed = await sendRequest(guarded, 'https://mcp.test/', request).catch((e) => e);
    expect([failed.code, asked]).toEqual(['ECONNRESET', [`https://${PUBLIC}/`]]);
  });

  test('requests at once share one resolution', async () => {
    const { resolve, asked } = answering({ 'mcp.test': [[PUBLIC]] });
    const guard = createGuard({ resolve, now: () => 0 });
    const url = new URL('https://mcp.test/');
    await Promise.all([guard.addressesOf(url), guard.addressesOf(url)]);
    expect(asked).toEqual(['mcp.test']);
  });

  test('an unknown name fails as the runtime would', async () => {
    const { resolve } = answering({});
    const guarded = routeFetch(recorder().fetch, { env: {}, resolve });
    const failed = await sendRequest(guarded, 'https://gone.test/', request).catch((e) => e);
    expect(failed.code).toBe('ENOTFOUND');
  });

  test('giving up ends the wait for a resolution', async () => {
    const control = new AbortController();
    const guarded = routeFetch(recorder().fetch, {
      env: {},
      resolve: () => new Promise(() => undefined),
    });
    const waiting = sendRequest(guarded, 'https://slow.test/', {
      ...request,
      signal: control.signal,
    });
    control.abort(new Error('enough'));
    expect(await waiting.catch((e) => e.message)).toBe('enough');
  });
});

describe('the address to start with', () => {
  test('is the one that opens first where there are both families', async () => {
    const clock = createManualClock();
    const knocked: string[] = [];
    const knock = (address: string) => {
      knocked.push(address);
      return address === PUBLIC ? Promise.resolve() : new Promise<void>(() => undefined);
    };
    const waiting = quickestAddress([PUBLIC_V6, PUBLIC], 443, clock, knock);
    await clock.advance(250);
    expect([await waiting, knocked]).toEqual([PUBLIC, [PUBLIC_V6, PUBLIC]]);
  });

  test('nobody is asked where all are of one family', async () => {
    const never = () => Promise.reject(new Error('asked'));
    const clock = createManualClock();
    expect(await quickestAddress([PUBLIC, '93.184.215.15'], 443, clock, never)).toBeUndefined();
  });

  test('stays open when none opens', async () => {
    const clock = createManualClock();
    const waiting = quickestAddress([PUBLIC, PUBLIC_V6], 443, clock, () =>
      Promise.reject(new Error('no')),
    );
    await clock.advance(250);
    expect(await waiting).toBeUndefined();
  });
});

describe('a checked name over TLS', () => {
  const pem = (name: string) => join(import.meta.dir, '../fixtures/tls', name);
  /** Bun's own fetch, on a network where the public address is this machine. */
  const local: Fetch = (url, init) =>
    fetch(url.replace(PUBLIC, '127.0.0.1'), { ...init, proxy: false });

  async function startTls(name: string) {
    const ports = new Set<number>();
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: {
        cert: await Bun.file(pem(`${name}.pem`)).text(),
        key: await Bun.file(pem(`${name}.key`)).text(),
      },
      fetch(incoming, own) {
        ports.add(own.requestIP(incoming)?.port ?? 0);
        return new Response(incoming.headers.get('host'));
      },
    });
    const { resolve } = answering({ 'other.test': [[PUBLIC]] });
    return {
      ports,
      url: `https://other.test:${server.port}/`,
      guarded: routeFetch(local, { env: {}, resolve, tls: { ca: pem('ca.pem') } }),
      [Symbol.asyncDispose]: () => server.stop(true),
    };
  }

  test('is served under its name, and its connection used again', async () => {
    await using server = await startTls('other');
    for (let round = 0; round < 3; round += 1) {
      const response = await sendRequest(server.guarded, server.url, request);
      expect('kind' in response ? response : await response.text()).toBe(new URL(server.url).host);
    }
    expect(server.ports.size).toBe(1);
  });

  test('is refused with a certificate for another name', async () => {
    await using server = await startTls('good');
    const failed = await sendRequest(server.guarded, server.url, request).catch((e) => e);
    expect([failed.code, server.ports.size]).toEqual(['ERR_TLS_CERT_ALTNAME_INVALID', 0]);
  });
});
