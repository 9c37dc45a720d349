import { describe, expect, test } from 'bun:test';
import { REVOKE_MS, revokeTokens } from '../../src/auth/revoke.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { contextFor, startTokenServer, type TokenServer } from './token-server.ts';

const TOKENS = {
  accessToken: 'canary-revoke-access',
  type: 'bearer',
  refreshToken: 'canary-revoke-refresh',
} as const;
const { refreshToken, ...ACCESS_ONLY } = TOKENS;

function contextAt(server: TokenServer, more: Parameters<typeof contextFor>[1] = {}) {
  const { url } = server;
  const metadata = {
    issuer: url,
    token_endpoint: `${url}/token`,
    revocation_endpoint: `${url}/revoke`,
  };
  return contextFor(url, { metadata, ...more });
}

describe('tokens', () => {
  test('are revoked one by one, the refresh token first, by a client that proves itself', async () => {
    await using server = startTokenServer(() => new Response(null));
    const client = { method: 'client_secret_post', clientSecret: 'secret-r1' } as const;
    expect(await revokeTokens(contextAt(server, { client }), TOKENS)).toBe(true);
    const common = {
      method: 'POST',
      path: '/revoke',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    };
    const proof = { client_id: 'client-1', client_secret: 'secret-r1' };
    expect(server.asked).toEqual([
      { ...common, form: { token: refreshToken, token_type_hint: 'refresh_token', ...proof } },
      {
        ...common,
        form: { token: TOKENS.accessToken, token_type_hint: 'access_token', ...proof },
      },
    ]);
    expect(scrubSecrets(`${TOKENS.accessToken} ${refreshToken}`)).toBe('*** ***');
  });

  test('count as revoked when only the access token has to run out', async () => {
    const error = 'unsupported_token_type';
    await using server = startTokenServer(({ form }) =>
      form['token_type_hint'] === 'access_token'
        ? Response.json({ error }, { status: 400 })
        : new Response(null),
    );
    expect(await revokeTokens(contextAt(server), TOKENS)).toBe(true);
    expect(await revokeTokens(contextAt(server), ACCESS_ONLY)).toBe(false);
  });

  test('do not count as revoked when the refresh token is left, and the log says why', async () => {
    await using server = startTokenServer(({ form }) =>
      form['token_type_hint'] === 'refresh_token'
        ? Response.json({ error: 'invalid_client' }, { status: 401 })
        : new Response(null),
    );
    const log: string[] = [];
    expect(await revokeTokens(contextAt(server, { log }), TOKENS)).toBe(false);
    expect(log).toEqual([
      'debug server "s1": refresh_token not revoked (HTTP 401): invalid_client',
    ]);
    expect(server.asked.length).toBe(2);
  });

  test('are not sent where the server has no place for it', async () => {
    await using server = startTokenServer(() => new Response(null));
    expect(await revokeTokens(contextFor(server.url), TOKENS)).toBe(false);
    expect(server.asked).toEqual([]);
  });

  test('are left when the client cannot prove itself or the server is gone', async () => {
    await using server = startTokenServer(() => new Response(null));
    const log: string[] = [];
    const client = { method: 'client_secret_post', kind: 'configured' } as const;
    const settings = { clientSecretEnv: 'S1_SECRET' };
    expect(await revokeTokens(contextAt(server, { client, settings, log }), TOKENS)).toBe(false);
    expect(log).toEqual([
      'debug server "s1": tokens are not revoked: server "s1" needs a client secret: the variable S1_SECRET is not set or empty',
    ]);
    const gone = contextAt(server);
    await server[Symbol.asyncDispose]();
    expect(await revokeTokens(gone, TOKENS)).toBe(false);
    const metadata = { ...gone.metadata, revocation_endpoint: 'no address' };
    expect(await revokeTokens({ ...gone, metadata }, TOKENS)).toBe(false);
    expect(server.asked).toEqual([]);
  });

  test('are given up after 5 s in all, the connection with them', async () => {
    const asked = Promise.withResolvers<void>();
    const never = Promise.withResolvers<Response>();
    await using server = startTokenServer(() => {
      asked.resolve();
      return never.promise;
    });
    const timers = new Map<number, () => void>();
    const clock: Clock = {
      ...systemClock,
      after(delayMs, action) {
        timers.set(delayMs, action);
        return { cancel: () => void timers.delete(delayMs) };
      },
    };
    const log: string[] = [];
    const context = contextAt(server, { log });
    const outcome = revokeTokens({ ...context, ports: { ...context.ports, clock } }, TOKENS);
    await asked.promise;
    timers.get(REVOKE_MS)?.();
    expect(await outcome).toBe(false);
    expect(log).toEqual(['debug server "s1": tokens are not revoked: no confirmation within 5 s']);
    expect([...timers.keys()]).toEqual([]);
    never.resolve(new Response());
  });

  test('are left with the reason of the signal when that aborts', async () => {
    const controller = new AbortController();
    const never = Promise.withResolvers<Response>();
    await using server = startTokenServer(() => {
      controller.abort(new Error('enough'));
      return never.promise;
    });
    const outcome = revokeTokens(contextAt(server, { signal: controller.signal }), TOKENS);
    expect(await outcome.then(String, String)).toBe('Error: enough');
    const again = revokeTokens(contextAt(server, { signal: controller.signal }), TOKENS);
    expect(await again.then(String, String)).toBe('Error: enough');
    expect(server.asked.length).toBe(1);
    never.resolve(new Response());
  });
});
