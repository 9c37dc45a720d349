/** Requests to authorization servers: bounds, redirects, plain http, and what errors may say. */
import { describe, expect, test } from 'bun:test';
import { loginFetch } from '../../src/auth/request.ts';
import { routeFetch } from '../../src/base/route.ts';
import { closedPort, startTcp } from '../helpers/tcp.ts';
import { createManualClock } from '../mcp/manual-clock.ts';
import { loginPorts, plainFetch, refusalOf, startSite } from './site.ts';

const never = new AbortController().signal;

function ask(url: string, request = {}) {
  return loginFetch(loginPorts(), never, 'server "s1"')(url, request);
}

describe('loginFetch', () => {
  test('gives status, headers and body, also of a refusal', async () => {
    await using site = startSite();
    site.serve({ '/t': { status: 400, headers: { 'dpop-nonce': 'n' }, body: { error: 'e' } } });
    const form = new URLSearchParams({ a: 'b c' });
    const answer = await ask(`${site.origin}/t`, { method: 'POST', body: form });
    expect({
      status: answer.status,
      nonce: answer.headers.get('dpop-nonce'),
      json: await answer.json(),
      asked: site.asked,
      posted: site.posted,
    }).toEqual({
      status: 400,
      nonce: 'n',
      json: { error: 'e' },
      asked: ['POST /t'],
      posted: ['a=b+c'],
    });
  });

  test('follows a redirect of GET within the origin', async () => {
    await using site = startSite();
    site.serve({
      '/a': { status: 302, headers: { location: '/b' } },
      '/b': { status: 308, headers: { location: `${site.origin}/c` } },
      '/c': { body: 'there' },
    });
    expect(await (await ask(`${site.origin}/a`)).text()).toBe('there');
    expect(site.asked).toEqual(['GET /a', 'GET /b', 'GET /c']);
  });

  test.each([301, 302, 303, 307, 308])('follows no %d of POST', async (status) => {
    await using site = startSite();
    site.serve({ '/a': { status, headers: { location: '/b' } } });
    expect(await refusalOf(ask(`${site.origin}/a`, { method: 'POST', body: 'x' }))).toEqual({
      name: 'ProtocolError',
      message: `server "s1": ${site.origin}/a redirects (${status}) to ${site.origin}/b; this is not followed`,
      hint: undefined,
    });
    expect(site.asked).toEqual(['POST /a']);
  });

  test('follows no redirect to another origin and shows no query of either', async () => {
    await using site = startSite();
    await using other = startSite();
    const location = `${other.origin}/b?key=canary-1`;
    site.serve({ '/a': { status: 307, headers: { location } } });
    expect((await refusalOf(ask(`${site.origin}/a?key=canary-2`))).message).toBe(
      `server "s1": ${site.origin}/a redirects (307) to ${other.origin}/b; this is not followed`,
    );
    expect(other.asked).toEqual([]);
  });

  test('ends a redirect loop after five', async () => {
    await using site = startSite();
    site.serve({ '/a': { status: 307, headers: { location: '/a' } } });
    expect((await refusalOf(ask(`${site.origin}/a`))).message).toBe(
      `server "s1": ${site.origin}/a redirects (307) more than 5 times`,
    );
    expect(site.asked).toEqual(Array.from({ length: 6 }, () => 'GET /a'));
  });

  const megabyte = 'x'.repeat(1024 * 1024);
  const endless = () => {
    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024));
    return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
  };
  test.each<[string, () => Response]>([
    ['as declared', () => new Response(`${megabyte}x`)],
    [
      'packed small',
      () => {
        const body = Bun.gzipSync(new TextEncoder().encode(`${megabyte}x`));
        return new Response(body, { headers: { 'content-encoding': 'gzip' } });
      },
    ],
    ['without an end', endless],
  ])('stops at 1 MiB of a body that is larger %s', async (_how, reply) => {
    await using site = startSite();
    site.serve({ '/a': reply });
    expect(await refusalOf(ask(`${site.origin}/a?q`))).toEqual({
      name: 'LimitError',
      message: `server "s1": ${site.origin}/a: the answer is larger than 1 MiB`,
      hint: undefined,
    });
  });

  test('takes 1 MiB, packed or not', async () => {
    await using site = startSite();
    site.serve({
      '/a': { body: megabyte },
      '/b': () =>
        new Response(Bun.gzipSync(new TextEncoder().encode(megabyte)), {
          headers: { 'content-encoding': 'gzip' },
        }),
    });
    for (const path of ['/a', '/b']) {
      expect((await (await ask(site.origin + path)).text()).length).toBe(megabyte.length);
    }
  });

  test('gives up after 10 s without an answer', async () => {
    await using silent = startTcp();
    const clock = createManualClock();
    const fetch = loginFetch(loginPorts({ clock }), never, 'server "s1"');
    const url = `http://127.0.0.1:${silent.port}/a`;
    const refusal = refusalOf(fetch(`${url}?key=canary`));
    await clock.advance(9_999);
    expect(clock.waiting).toBe(1);
    await clock.advance(1);
    expect((await refusal).message).toBe(`server "s1": ${url} gave no answer within 10 s`);
  });

  test('rejects with the reason of the signal', async () => {
    await using silent = startTcp();
    const stop = new AbortController();
    const asking = loginFetch(loginPorts(), stop.signal)(`http://127.0.0.1:${silent.port}/`);
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await asking.catch((error: unknown) => error)).toBe(reason);
  });

  test('names the address when nobody listens', async () => {
    const url = `http://127.0.0.1:${closedPort()}/a`;
    expect(await refusalOf(ask(`${url}?key=canary`))).toEqual({
      name: 'ConnectError',
      message: `server "s1": cannot reach ${url}: connection refused`,
      hint: undefined,
    });
  });

  test.each<[string, string, string]>([
    [
      'http://8.8.8.8/a?key=canary',
      'AuthError',
      'http://8.8.8.8/a is not asked: only https is safe',
    ],
    ['http://auth.test/a', 'AuthError', 'http://auth.test/a is not asked: only https is safe'],
    ['ftp://localhost/a', 'AuthError', 'ftp://localhost/a is not asked: only https is safe'],
    ['http://10.0.0.1/a', 'ConnectError', '10.0.0.1 is a private address; nothing was sent'],
    [
      'https://inner.test/a',
      'ConnectError',
      'inner.test leads to 10.0.0.1, which is not a public address; nothing was sent',
    ],
  ])('sends nothing to %s', async (url, name, message) => {
    const asked: string[] = [];
    const resolve = async (host: string) => [host === 'inner.test' ? '10.0.0.1' : '8.8.8.8'];
    const fetch = routeFetch(
      async (target) => {
        asked.push(target);
        return new Response('');
      },
      { env: {}, resolve },
    );
    const refusal = await refusalOf(loginFetch(loginPorts({ fetch }), never)(url));
    expect({ name: refusal.name, message: refusal.message, asked }).toEqual({
      name,
      message,
      asked: [],
    });
  });

  test('asks a plain http name where every address is allowed', async () => {
    await using site = startSite();
    site.serve({ '/a': { body: 'there' } });
    const target = site.origin;
    const fetch = routeFetch((_url, init) => plainFetch(`${target}/a`, init), {
      env: {},
      allowPrivate: true,
    });
    const answer = await loginFetch(loginPorts({ fetch }), never)('http://auth.test/a');
    expect(await answer.text()).toBe('there');
  });
});
