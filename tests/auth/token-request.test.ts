import { describe, expect, test } from 'bun:test';
import { readTokens } from '../../src/auth/token-answer.ts';
import { exchangeCode, refreshTokens } from '../../src/auth/token-request.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { contextFor, failureOf, NOW, startTokenServer } from './token-server.ts';

const CODE = {
  params: new URLSearchParams({ code: 'canary-code-1', state: 's' }),
  verifier: 'canary-verifier-1',
  redirectUri: 'http://127.0.0.1:7777/callback',
};
const FORM_HEADERS = {
  accept: 'application/json',
  'content-type': 'application/x-www-form-urlencoded',
};

function read(answer: JsonObject, scope?: string, dpop = false) {
  return failureOf(
    Promise.try(() => readTokens(answer, { scope, now: NOW, dpop, label: 'server "s1"' })),
  );
}

/** What comes of exchanging a code when the server answers so. */
async function exchangedFor(response: Response, more: Parameters<typeof contextFor>[1] = {}) {
  await using server = startTokenServer(() => response);
  const outcome = await failureOf(exchangeCode(contextFor(server.url, more), CODE));
  return JSON.parse(JSON.stringify(outcome).replaceAll(server.url, 'SERVER'));
}

describe('tokens of an answer', () => {
  test('are all of it that counts, whatever else stands there', async () => {
    const answer = {
      access_token: 'canary-access-1',
      token_type: 'Bearer',
      refresh_token: 'canary-refresh-1',
      expires_in: 3600,
      scope: 'read write',
      id_token: 'a.b.c',
      other: { x: 1 },
    };
    expect(await read(answer, 'read')).toEqual({
      accessToken: 'canary-access-1',
      type: 'bearer',
      refreshToken: 'canary-refresh-1',
      scope: 'read write',
      expiresAt: NOW + 3_600_000,
    });
    expect(scrubSecrets('canary-access-1 canary-refresh-1')).toBe('*** ***');
  });

  test('are bearer tokens with the scope that was asked for, where the server does not say', async () => {
    const bare = { accessToken: 'token-a1', type: 'bearer' };
    expect(await read({ access_token: 'token-a1' })).toEqual(bare);
    const nothing = { token_type: null, refresh_token: '', scope: null, expires_in: null };
    expect(await read({ access_token: 'token-a1', ...nothing }, 'read')).toEqual({
      ...bare,
      scope: 'read',
    });
  });

  test.each<[string, JsonObject['x'], number | undefined]>([
    ['a number as text', '3600', NOW + 3_600_000],
    ['a fraction', 59.9, NOW + 59_000],
    ['zero', 0, undefined],
    ['less than zero', -5, undefined],
    ['words', '1 hour', undefined],
    ['an empty text', '', undefined],
    ['more than ten years', 1e300, NOW + 315_360_000_000],
    ['more than ten years, as text', '99999999999999999999', NOW + 315_360_000_000],
    ['a list', [3600], undefined],
  ])('end as said where expires_in is %s', async (_, value, expiresAt) => {
    expect(await read({ access_token: 'token-a1', expires_in: value })).toEqual({
      accessToken: 'token-a1',
      type: 'bearer',
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
  });

  test.each<[JsonObject['x'], string | undefined, string | undefined]>([
    ['repo,gist', 'repo gist', 'repo gist'],
    ['a,b', 'a,b c', 'a,b'],
    [' read  write ', undefined, 'read write'],
    [['read', 'write'], undefined, 'read write'],
    ['', 'read', 'read'],
    ['bad" ok', undefined, 'ok'],
    [7, 'read', 'read'],
  ])('have of the scope %j, asked for %j, the scope %j', async (value, asked, scope) => {
    expect(await read({ access_token: 'token-a1', scope: value }, asked)).toEqual({
      accessToken: 'token-a1',
      type: 'bearer',
      ...(scope === undefined ? {} : { scope }),
    });
  });

  test('are DPoP tokens only where a proof was sent', async () => {
    const answer = { access_token: 'token-a1', token_type: 'dPoP' };
    expect(await read(answer, undefined, true)).toEqual({ accessToken: 'token-a1', type: 'dpop' });
    expect(await read(answer)).toMatchObject({
      name: 'AuthError',
      message: 'server "s1": the authorization server bound a token to a key we did not send',
    });
  });

  test.each<[string, JsonObject, string]>([
    ['no access token', {}, 'the authorization server answered without an access token'],
    [
      'a line break in it',
      { access_token: 'abc\r\nx: y' },
      'the access_token of the authorization server cannot be sent',
    ],
    [
      'a character that no header takes',
      { access_token: 'abcä' },
      'the access_token of the authorization server cannot be sent',
    ],
    [
      'more than 16 KiB',
      { access_token: 'a'.repeat(16 * 1024 + 1) },
      'the access_token of the authorization server cannot be sent',
    ],
    [
      'a refresh token that is no text',
      { access_token: 'token-a1', refresh_token: { a: 1 } },
      'the refresh_token of the authorization server cannot be sent',
    ],
    [
      'a type that nobody knows',
      { access_token: 'token-a1', token_type: 'mac\u001b[31m' },
      'the authorization server gave a token of type "mac\\u001b[31m"',
    ],
  ])('are refused with %s', async (_, answer, message) => {
    expect(await read(answer)).toMatchObject({
      name: 'ProtocolError',
      message: `server "s1": ${message}`,
    });
  });

  test('may be 16 KiB long', async () => {
    const accessToken = 'a'.repeat(16 * 1024);
    expect(await read({ access_token: accessToken })).toEqual({ accessToken, type: 'bearer' });
  });
});

describe('a code', () => {
  test('is exchanged with verifier, callback and resource, without a scope', async () => {
    await using server = startTokenServer(() => Response.json({ access_token: 'token-a1' }));
    const context = contextFor(server.url, { scope: 'read' });
    expect(await exchangeCode(context, CODE)).toEqual({
      accessToken: 'token-a1',
      type: 'bearer',
      scope: 'read',
    });
    expect(server.asked).toEqual([
      {
        method: 'POST',
        path: '/token',
        headers: FORM_HEADERS,
        form: {
          grant_type: 'authorization_code',
          code: 'canary-code-1',
          code_verifier: 'canary-verifier-1',
          redirect_uri: 'http://127.0.0.1:7777/callback',
          client_id: 'client-1',
          resource: 'https://mcp.example/mcp',
        },
      },
    ]);
    expect(scrubSecrets('canary-code-1 canary-verifier-1')).toBe('*** ***');
  });

  test('is exchanged without a resource where there is none', async () => {
    await using server = startTokenServer(() => Response.json({ access_token: 'token-a1' }));
    await exchangeCode(contextFor(server.url, { resource: undefined }), CODE);
    expect(server.asked.map(({ form }) => Object.keys(form))).toEqual([
      ['grant_type', 'code', 'code_verifier', 'redirect_uri', 'client_id'],
    ]);
  });

  test('gives tokens that come as a form', async () => {
    const form = 'access_token=token-a1&token_type=bearer&scope=repo%2Cgist';
    const tokens = { accessToken: 'token-a1', type: 'bearer', scope: 'repo gist' };
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    expect(await exchangedFor(new Response(form, { headers }))).toEqual(tokens);
    expect(await exchangedFor(new Response(form))).toEqual(tokens);
  });

  test('gives tokens that come as JSON under another name', async () => {
    const headers = { 'content-type': 'text/html' };
    const response = new Response('\ufeff{"access_token": "token-a1"}', { headers });
    expect(await exchangedFor(response)).toEqual({ accessToken: 'token-a1', type: 'bearer' });
  });

  test.each([400, 200])(
    'that is refused by status %d gives the words of the server',
    async (status) => {
      const body = { error: 'invalid_grant', error_description: 'Code\u001b[2J expired' };
      expect(await exchangedFor(Response.json(body, { status }))).toEqual({
        name: 'TokenRefusedError',
        message:
          'server "s1": the authorization server refused the code: invalid_grant (Code\\u{1b}[2J expired)',
        hint: 'usher mcp login s1',
        retryable: false,
        details: { status, error: 'invalid_grant' },
      });
    },
  );

  test('that is refused in words of its own is refused all the same', async () => {
    const refused = 'server "s1": the authorization server refused the code: ';
    const inner = { error: { code: 'bad_code', message: 'no such code' } };
    const bodies: [Response, string][] = [
      [Response.json(inner, { status: 400 }), 'bad_code (no such code)'],
      [new Response('Not for you', { status: 403 }), 'Not for you'],
      [new Response('<html><p>no', { status: 401 }), 'HTTP 401'],
      [new Response(null, { status: 400 }), 'HTTP 400'],
      [new Response('error=bad_verification_code'), 'bad_verification_code'],
      [Response.json({ message: 'Bad credentials' }, { status: 401 }), 'Bad credentials'],
    ];
    for (const [response, words] of bodies) {
      expect(await exchangedFor(response)).toMatchObject({
        name: 'TokenRefusedError',
        message: refused + words,
      });
    }
  });

  test('that a server repeats in its refusal is masked and cut', async () => {
    const body = { error: 'invalid_grant', error_description: `canary-code-1 ${'x'.repeat(999)}` };
    const outcome = await exchangedFor(Response.json(body, { status: 400 }));
    const start = 'server "s1": the authorization server refused the code: ';
    expect(outcome.message).toBe(`${start}invalid_grant (*** ${'x'.repeat(280)}…`);
  });

  test('is no matter of a grant that the metadata leaves out, until it is refused', async () => {
    await using server = startTokenServer(() =>
      Response.json({ error: 'unsupported_grant_type' }, { status: 400 }),
    );
    const context = contextFor(server.url);
    const metadata = { ...context.metadata, grant_types_supported: ['implicit'] };
    expect(await failureOf(exchangeCode({ ...context, metadata }, CODE))).toMatchObject({
      message:
        'server "s1": the authorization server refused the code: unsupported_grant_type; its metadata does not list the grant authorization_code',
    });
  });

  test('of a configured client that is not known names what to check', async () => {
    const refusal = () => Response.json({ error: 'invalid_client' }, { status: 401 });
    const client = { kind: 'configured', method: 'client_secret_post' } as const;
    const settings = { clientSecretEnv: 'S1_SECRET' };
    const env = { S1_SECRET: 'canary-secret-1' };
    expect(await exchangedFor(refusal(), { client, settings, env })).toMatchObject({
      hint: 'check clientId and the secret in S1_SECRET',
      details: { error: 'invalid_client' },
    });
    expect(await exchangedFor(refusal())).toMatchObject({ hint: 'usher mcp login s1' });
  });

  test.each([500, 503, 429])('may be tried later after status %d', async (status) => {
    const body = { error: 'temporarily_unavailable', error_description: 'tea time' };
    expect(await exchangedFor(Response.json(body, { status }))).toEqual({
      name: 'ConnectError',
      message: `server "s1": the authorization server is out of order (HTTP ${status}): temporarily_unavailable (tea time)`,
      hint: 'try again later',
      retryable: true,
      details: { status, error: 'temporarily_unavailable' },
    });
  });

  test('may be tried later when nobody listens', async () => {
    const server = startTokenServer(() => new Response());
    await server[Symbol.asyncDispose]();
    expect(await failureOf(exchangeCode(contextFor(server.url), CODE))).toMatchObject({
      name: 'ConnectError',
      retryable: true,
    });
  });

  test.each<[string, Response]>([
    ['something that is not JSON', new Response('access granted: canary')],
    ['something that is not JSON', new Response('["token-a1"]')],
    ['HTTP 404', new Response('no such page', { status: 404 })],
  ])('is not exchanged by %s', async (what, response) => {
    expect(await exchangedFor(response)).toMatchObject({
      name: 'ProtocolError',
      message: `server "s1": the token endpoint SERVER/token answered ${what}`,
    });
  });
});

describe('a refresh token', () => {
  const kept = { accessToken: 'old-access', type: 'bearer', refreshToken: 'old-refresh' } as const;

  test('is kept, as is the scope, where the answer has none', async () => {
    await using server = startTokenServer(() =>
      Response.json({ access_token: 'new-access', expires_in: 60 }),
    );
    const tokens = { ...kept, scope: 'read', expiresAt: NOW - 1 };
    expect(await refreshTokens(contextFor(server.url), tokens)).toEqual({
      accessToken: 'new-access',
      type: 'bearer',
      refreshToken: 'old-refresh',
      scope: 'read',
      expiresAt: NOW + 60_000,
    });
    expect(server.asked).toEqual([
      {
        method: 'POST',
        path: '/token',
        headers: FORM_HEADERS,
        form: {
          grant_type: 'refresh_token',
          refresh_token: 'old-refresh',
          client_id: 'client-1',
          resource: 'https://mcp.example/mcp',
        },
      },
    ]);
  });

  test('gives way to a new one; a wanted scope is sent', async () => {
    await using server = startTokenServer(() =>
      Response.json({ access_token: 'new-access', refresh_token: 'new-refresh' }),
    );
    expect(await refreshTokens(contextFor(server.url, { scope: 'read' }), kept)).toEqual({
      accessToken: 'new-access',
      type: 'bearer',
      refreshToken: 'new-refresh',
      scope: 'read',
    });
    expect(server.asked.map(({ form }) => form['scope'])).toEqual(['read']);
  });

  test('that is refused is named as such', async () => {
    await using server = startTokenServer(() =>
      Response.json({ error: 'invalid_grant' }, { status: 400 }),
    );
    expect(await failureOf(refreshTokens(contextFor(server.url), kept))).toMatchObject({
      name: 'TokenRefusedError',
      message: 'server "s1": the authorization server refused the refresh token: invalid_grant',
    });
  });

  test('that is not there needs a new sign-in, and nothing is sent', async () => {
    await using server = startTokenServer(() => new Response());
    const { refreshToken, ...rest } = kept;
    expect(await failureOf(refreshTokens(contextFor(server.url), rest))).toMatchObject({
      name: 'AuthError',
      hint: 'usher mcp login s1',
    });
    expect({ refreshToken, asked: server.asked }).toEqual({
      refreshToken: 'old-refresh',
      asked: [],
    });
  });
});
