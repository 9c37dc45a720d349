import { describe, expect, test } from 'bun:test';
import {
  excerpt,
  type Fetch,
  type FetchInit,
  readErrorBody,
  readText,
  sendRequest,
} from '../../src/base/http.ts';
import { registerSecret } from '../../src/base/redact.ts';

const never = new AbortController().signal;
const request = {
  method: 'POST',
  headers: { 'x-key': 'canary' },
  body: 'b',
  signal: never,
} as const;

/** Answers by URL; records what was asked. */
function fakeFetch(answers: Readonly<Record<string, () => Response>>) {
  const asked: string[] = [];
  const inits: FetchInit[] = [];
  const fetch: Fetch = async (url, init) => {
    asked.push(`${init.method} ${url} ${init.body}`);
    inits.push(init);
    return answers[url]?.() ?? new Response('end');
  };
  return { fetch, asked, inits };
}

const to =
  (location: string, status = 307) =>
  () =>
    new Response('', { status, headers: { location } });

describe('sendRequest', () => {
  test.each([307, 308])('follows %d within the origin with method and body', async (status) => {
    const { fetch, asked } = fakeFetch({ 'http://a.example/x': to('/y?z=1', status) });
    await sendRequest(fetch, 'http://a.example/x', request);
    expect(asked).toEqual(['POST http://a.example/x b', 'POST http://a.example/y?z=1 b']);
  });

  test.each([
    ['http://b.example/x', 307],
    ['https://a.example/x', 308],
    ['http://a.example:81/x', 307],
    ['//b.example/x', 307],
    ['http://a.example/y', 301],
    ['http://a.example/y', 302],
    ['http://a.example/y', 303],
    ['http://[bad', 307],
  ])('does not follow a redirect to %s by %d', async (location, status) => {
    const { fetch, asked } = fakeFetch({ 'http://a.example/x': to(location, status) });
    expect(await sendRequest(fetch, 'http://a.example/x', request)).toEqual({
      kind: 'redirect',
      status,
      location,
    });
    expect(asked).toHaveLength(1);
  });

  test('follows five in a row and no more', async () => {
    const { fetch, asked } = fakeFetch({ 'http://a.example/x': to('/x') });
    expect(await sendRequest(fetch, 'http://a.example/x', request)).toMatchObject({ status: 307 });
    expect(asked).toHaveLength(6);
  });

  test.each([
    ['http://localhost:1/', true],
    ['http://127.0.0.1:1/', true],
    ['http://127.9.8.7/', true],
    ['http://[::1]:1/', true],
    ['http://a.localhost/', true],
    ['http://localhost.example/', false],
    ['https://10.0.0.1/', false],
  ])('turns the proxy off for %s: %p', async (url, isOff) => {
    const { fetch, inits } = fakeFetch({});
    await sendRequest(fetch, url, request);
    expect(inits.map((init) => [init.proxy === false, init.timeout])).toEqual([[isOff, false]]);
  });
});

describe('readText', () => {
  const inPieces = (...pieces: string[]) =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(Buffer.from(piece, 'latin1'));
          controller.close();
        },
      }),
    );

  test('joins characters cut between pieces, and tells of each piece', async () => {
    const bytes = Buffer.from('a🙂b').toString('latin1');
    let chunks = 0;
    const text = await readText(inPieces(bytes.slice(0, 3), bytes.slice(3)), 100, () => {
      chunks += 1;
    });
    expect([text, chunks]).toEqual(['a🙂b', 2]);
  });

  test('takes exactly its bound and refuses one byte more, declared or not', async () => {
    expect(await readText(inPieces('12345', '67890'), 10)).toBe('1234567890');
    await expect(readText(inPieces('12345', '67890', '1'), 10)).rejects.toThrow('larger than');
    const declared = new Response('x', { headers: { 'content-length': '11' } });
    await expect(readText(declared, 10)).rejects.toThrow('larger than');
  });
});

describe('readErrorBody', () => {
  test('stops at 8 KiB of a body that never ends', async () => {
    const endless = new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(1000, 'x')) }),
    );
    expect(await readErrorBody(endless, never)).toBe('x'.repeat(8192));
  });

  test('gives what came when the time is up or the body breaks', async () => {
    const control = new AbortController();
    const slow = new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('begun')),
        pull: () => control.abort(),
      }),
    );
    expect(await readErrorBody(slow, control.signal)).toBe('begun');
    let isFirst = true;
    const broken = new Response(
      new ReadableStream({
        pull(controller) {
          if (!isFirst) throw new Error('torn');
          isFirst = false;
          controller.enqueue(Buffer.from('half'));
        },
      }),
    );
    expect(await readErrorBody(broken, never)).toBe('half');
  });
});

test('excerpt shows one line of 500 characters without secrets or control characters', () => {
  registerSecret('canary-excerpt');
  expect(excerpt(' a\n\tcanary-excerpt \u001b[31m ')).toBe('a *** \\u{1b}[31m');
  expect([...excerpt('🙂'.repeat(600))]).toEqual([...'🙂'.repeat(499), '…']);
});
