import { describe, expect, test } from 'bun:test';
import { deviceLogin } from '../../src/auth/device.ts';
import { DEVICE_GRANT } from '../../src/auth/registration.ts';
import { LOGIN_REQUEST_MS } from '../../src/auth/request.ts';
import type { Interaction } from '../../src/auth/types.ts';
import type { Clock } from '../../src/base/clock.ts';
import { routeFetch } from '../../src/base/route.ts';
import { contextFor, failureOf, NOW, startTokenServer, type TokenServer } from './token-server.ts';

const STARTED = {
  device_code: 'canary-device-code',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://id.example/device',
  expires_in: 600,
  interval: 7,
};
const TOKENS = { access_token: 'canary-device-token', token_type: 'Bearer' };
const refusal = (error: string, status = 400) => Response.json({ error }, { status });

/** Time that passes at once; notes how long each wait was. */
function rushingClock(): Clock & { readonly waits: number[] } {
  let nowMs = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => nowMs,
    date: () => new Date(NOW + nowMs),
    after(delayMs, action) {
      // The limits of a request and of all never end here.
      const isWait = delayMs !== LOGIN_REQUEST_MS && delayMs <= 60_000;
      let isCancelled = false;
      const run = () => {
        if (isCancelled) return;
        if (isWait) {
          nowMs += delayMs;
          waits.push(delayMs);
        }
        action();
      };
      if (isWait) queueMicrotask(run);
      return {
        cancel: () => {
          isCancelled = true;
        },
      };
    },
  };
}

/** The first request gets `started`, each later one the next of `answers`, the last one for ever. */
const startServer = (started: object | Response, ...answers: (() => Response)[]) =>
  startTokenServer((_asked, before) => {
    if (before === 0) return started instanceof Response ? started : Response.json(started);
    return (answers[before - 1] ?? answers.at(-1) ?? (() => Response.json(TOKENS)))();
  });

/** As the program asks: private addresses are refused. */
const guarded = routeFetch(fetch, {
  env: {},
  proxy: undefined,
  tls: undefined,
  allowPrivate: false,
  now: () => 0,
});

function login(server: TokenServer, more: Partial<Interaction> = {}, hasEndpoint = true) {
  const told: string[] = [];
  const opened: string[] = [];
  const clock = rushingClock();
  const { subject, metadata, client, resource, ports } = contextFor(server.url, {});
  const discovery = {
    resource,
    resourceScopes: undefined,
    isLegacy: false,
    metadata: {
      ...metadata,
      ...(hasEndpoint ? { device_authorization_endpoint: `${server.url}/device` } : {}),
    },
  };
  const interaction: Interaction = {
    tell: (lines) => void told.push(...lines),
    openUrl: async (url) => opened.push(url) > 0,
    readPaste: undefined,
    ...more,
  };
  const request = { subject, discovery, client, scope: 'read' };
  const never = new AbortController().signal;
  const outcome = failureOf(
    deviceLogin(request, { ...ports, clock, fetch: guarded }, interaction, never),
  );
  return { outcome, told, opened, waits: clock.waits };
}

describe('a sign-in on another device', () => {
  test('tells the code, asks at the pace of the server, and ends with its tokens', async () => {
    await using server = startServer(
      { ...STARTED, verification_uri_complete: 'https://id.example/device?code=WDJB-MJHT' },
      () => refusal('authorization_pending'),
      () => refusal('slow_down'),
      () => Response.json(TOKENS),
    );
    const { outcome, told, opened, waits } = login(server);
    expect(await outcome).toEqual({
      accessToken: 'canary-device-token',
      type: 'bearer',
      scope: 'read',
    });
    expect(told).toEqual([
      'to sign in to server "s1", open this address on any device:',
      'https://id.example/device',
      `it leads to id.example; the authorization server is ${server.url}`,
      'and type in the code: WDJB-MJHT',
    ]);
    expect(opened).toEqual(['https://id.example/device?code=WDJB-MJHT']);
    expect(waits).toEqual([7000, 7000, 12_000]);
    const [first, ...polls] = server.asked.map(({ path, form }) => ({ path, form }));
    expect(first).toMatchObject({ path: '/device', form: { scope: 'read' } });
    expect(polls.map(({ form }) => [form['grant_type'], form['device_code']])).toEqual(
      Array(3).fill([DEVICE_GRANT, 'canary-device-code']),
    );
  });

  test('goes on after a server that was out of order for a moment', async () => {
    await using server = startServer(
      STARTED,
      () => refusal('authorization_pending', 503),
      () => new Response('', { status: 502 }),
      () => Response.json(TOKENS),
    );
    expect(await login(server).outcome).toMatchObject({ accessToken: 'canary-device-token' });
  });

  test.each([
    ['access_denied', 'server "s1": the sign-in was refused on the other device'],
    ['expired_token', 'server "s1": the code was not typed in in time'],
  ])('ends on %s', async (error, message) => {
    await using server = startServer(STARTED, () => refusal(error));
    expect(await login(server).outcome).toMatchObject({ name: 'AuthError', message });
    expect(server.asked).toHaveLength(2);
  });

  test('ends on any other refusal, after one question', async () => {
    await using server = startServer(STARTED, () => refusal('invalid_client', 401));
    expect(await login(server).outcome).toMatchObject({ name: 'TokenRefusedError' });
    expect(server.asked).toHaveLength(2);
  });

  test('is refused where the server offers none, without a request', async () => {
    await using server = startServer(STARTED);
    expect(await login(server, {}, false).outcome).toMatchObject({
      name: 'AuthError',
      message: expect.stringContaining('offers no sign-in by another device'),
      hint: expect.stringContaining('--print-url'),
    });
    expect(server.asked).toEqual([]);
  });

  test.each([
    [
      'a script for an address',
      { ...STARTED, verification_uri: 'javascript:alert(1)' },
      'AuthError',
    ],
    ['no code', { ...STARTED, user_code: undefined }, 'ProtocolError'],
    [
      'an endless address',
      { ...STARTED, verification_uri: `https://x/${'a'.repeat(4000)}` },
      'ProtocolError',
    ],
    [
      'an address of the local network',
      { ...STARTED, verification_uri: 'https://169.254.169.254/device' },
      'ConnectError',
    ],
  ])('tells and opens nothing for %s', async (_name, started, name) => {
    await using server = startServer(started);
    const { outcome, told, opened } = login(server);
    expect(await outcome).toMatchObject({ name });
    expect({ told, opened }).toEqual({ told: [], opened: [] });
  });

  test.each([
    'https://other.example/device?code=WDJB-MJHT',
    'https://10.0.0.1/device?code=WDJB-MJHT',
  ])('opens only where the person was told that it leads, not %s', async (address) => {
    await using server = startServer({ ...STARTED, verification_uri_complete: address });
    const { outcome, opened } = login(server);
    await outcome;
    expect(opened).toEqual(['https://id.example/device']);
  });

  test('asks once a second at most, however often the server wants it', async () => {
    await using server = startServer({ ...STARTED, interval: 0.001 });
    const { outcome, waits } = login(server);
    await outcome;
    expect(waits).toEqual([1000]);
  });

  test('shows what the server says on a line of its own, without control characters', async () => {
    await using server = startServer({
      ...STARTED,
      user_code: 'A\u001b[2JB\nC',
      verification_uri: 'https://id.example/\u202edevice',
    });
    const { outcome, told } = login(server, { openUrl: undefined });
    await outcome;
    expect(told.slice(1)).toEqual([
      'https://id.example/%E2%80%AEdevice',
      `it leads to id.example; the authorization server is ${server.url}`,
      'and type in the code: A\\u{1b}[2JB C',
    ]);
  });
});
