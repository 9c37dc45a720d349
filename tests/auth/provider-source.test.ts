import { expect, test } from 'bun:test';
import { createProviderSource } from '../../src/auth/provider-source.ts';
import type { Fetch, FetchInit } from '../../src/base/http.ts';

const init = (
  headers: Record<string, string> = {},
  signal = new AbortController().signal,
): FetchInit => ({
  method: 'POST',
  headers,
  signal,
  redirect: 'manual',
  timeout: false,
  verbose: false,
});

/** A server that accepts one token, and what was sent to it. */
function server(valid: string) {
  const sent: Record<string, string>[] = [];
  const fetch: Fetch = async (_url, { headers }) => {
    sent.push(headers);
    return new Response('said', {
      status: headers['authorization'] === `Bearer ${valid}` ? 200 : 401,
    });
  };
  return { sent, fetch };
}

test('the token is read at every request and stands in place of any other', async () => {
  const { sent, fetch } = server('t2');
  const used: (string | undefined)[] = [];
  const send = createProviderSource(async (before) => {
    used.push(before);
    return 't2';
  }).wrap(fetch);
  await send('u', init({ Authorization: 'old', a: 'b' }));
  await send('u', init());
  expect([sent, used]).toEqual([
    [{ a: 'b', authorization: 'Bearer t2' }, { authorization: 'Bearer t2' }],
    [undefined, undefined],
  ]);
});

test('a refused token is told, and the request repeated once with another one', async () => {
  const { sent, fetch } = server('t9');
  const used: (string | undefined)[] = [];
  const send = createProviderSource(async (before) => {
    used.push(before);
    return `t${used.length}`;
  }).wrap(fetch);
  const { status } = await send('u', init());
  expect([status, used, sent.length]).toEqual([401, [undefined, 't1'], 2]);
});

test('the same token again is not sent twice: the refusal is the answer', async () => {
  const { sent, fetch } = server('t9');
  const send = createProviderSource(async () => 't1').wrap(fetch);
  const response = await send('u', init());
  expect([response.status, await response.text(), sent.length]).toEqual([401, 'said', 1]);
});

test('what reading fails with goes to the one who sends, at once and after a refusal', async () => {
  const { sent, fetch } = server('t9');
  const failing = (when: 'first' | 'second') =>
    createProviderSource(async (used) => {
      if (when === 'first' || used !== undefined) throw new Error(`no login, ${when}`);
      return 't1';
    }).wrap(fetch);
  const outcome = (when: 'first' | 'second') =>
    failing(when)('u', init()).catch((error: Error) => error.message);
  expect([await outcome('first'), sent.length]).toEqual(['no login, first', 0]);
  expect([await outcome('second'), sent.length]).toEqual(['no login, second', 1]);
});

test('a reader that never answers does not hold up who gives up', async () => {
  const stop = new AbortController();
  const send = createProviderSource(() => new Promise(() => undefined)).wrap(server('t1').fetch);
  const waiting = send('u', init({}, stop.signal)).catch((error: Error) => error.message);
  stop.abort(new Error('given up'));
  expect(await waiting).toBe('given up');
});
