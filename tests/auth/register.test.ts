/** Who we are to an authorization server, and what is said when nobody can be. */
import { describe, expect, test } from 'bun:test';
import { register } from '../../src/auth/register.ts';
import type {
  ClientMethod,
  Discovery,
  OAuthSettings,
  ServerMetadata,
} from '../../src/auth/types.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { loginPorts, refusalOf, type Site, type SiteReply, serverAt, startSite } from './site.ts';

const never = new AbortController().signal;
const CALLBACK = 'http://127.0.0.1:4567/callback';
const HINT =
  'auth.clientId names a client that is registered there, auth.clientSecretEnv the variable with its secret';

function discovery(origin: string, more: Partial<ServerMetadata> = {}): Discovery {
  const metadata = {
    issuer: origin,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    ...more,
  };
  return { resource: undefined, resourceScopes: undefined, metadata, isLegacy: false };
}

interface Attempt {
  readonly settings?: OAuthSettings;
  readonly more?: Partial<ServerMetadata>;
  readonly callbacks?: readonly string[];
  readonly scope?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function join(site: Site, attempt: Attempt = {}) {
  const { settings, more, callbacks = [CALLBACK], scope, env = {} } = attempt;
  const subject = serverAt(`${site.origin}/mcp`, settings);
  return register(
    subject,
    discovery(site.origin, more),
    callbacks,
    loginPorts({ env }),
    never,
    scope,
  );
}

/** What a registration that succeeds with `answer` gives, and what was posted for it. */
async function joined(answer: unknown, attempt: Attempt = {}) {
  await using site = startSite();
  site.serve({ '/register': { status: 201, body: answer } });
  const client = await join(site, attempt);
  const posted: unknown = JSON.parse(site.posted[0] ?? 'null');
  return { client, posted, asked: site.asked };
}

/** What a registration that gets `reply` is refused with. */
async function refused(reply: SiteReply | (() => Response), attempt: Attempt = {}) {
  await using site = startSite();
  site.serve({ '/register': reply });
  const refusal = await refusalOf(join(site, attempt));
  return {
    ...refusal,
    message: refusal.message.replaceAll(site.origin, 'O'),
    asked: site.asked,
  };
}

describe('a configured client', () => {
  const env = { SECRET: 'canary-client-secret' };
  test.each<[OAuthSettings, readonly string[] | undefined, ClientMethod]>([
    [{}, undefined, 'none'],
    [{}, ['client_secret_basic'], 'none'],
    [{ clientSecretEnv: 'SECRET' }, undefined, 'client_secret_basic'],
    [{ clientSecretEnv: 'SECRET' }, ['none', 'client_secret_post'], 'client_secret_post'],
    [
      { clientSecretEnv: 'SECRET' },
      ['client_secret_post', 'client_secret_basic'],
      'client_secret_basic',
    ],
    [{ clientSecretEnv: 'SECRET' }, ['none'], 'client_secret_basic'],
    [{ privateKeyFile: 'key.pem', clientSecretEnv: 'UNSET' }, undefined, 'private_key_jwt'],
  ])('%j at a server that lists %j proves itself by %s', async (settings, listed, method) => {
    await using site = startSite();
    const more = {
      ...(listed === undefined ? {} : { token_endpoint_auth_methods_supported: listed }),
      client_id_metadata_document_supported: true,
    };
    const clientMetadataUrl = 'https://h.test/client.json';
    const attempt = { settings: { clientId: 'c1', clientMetadataUrl, ...settings }, more, env };
    expect(await join(site, attempt)).toEqual({ clientId: 'c1', kind: 'configured', method });
    expect(site.asked).toEqual([]);
  });

  test('needs its secret before anybody is asked', async () => {
    await using site = startSite();
    const settings = { clientId: 'c1', clientSecretEnv: 'SECRET' };
    expect(await refusalOf(join(site, { settings }))).toEqual({
      name: 'AuthError',
      message: 'server "s1" needs a client secret: the variable SECRET is not set or empty',
      hint: 'set SECRET',
    });
    expect(site.asked).toEqual([]);
  });
});

describe('a client metadata document', () => {
  const clientMetadataUrl = 'https://h.test/client.json';
  const taken = { client_id_metadata_document_supported: true };

  test.each([undefined, 'auto', 'cimd'] as const)(
    'is our id with clientRegistration %s where the server takes one',
    async (clientRegistration) => {
      await using site = startSite();
      const way = clientRegistration === undefined ? {} : { clientRegistration };
      const attempt = { settings: { clientMetadataUrl, ...way }, more: taken };
      expect(await join(site, attempt)).toEqual({
        clientId: clientMetadataUrl,
        method: 'none',
        kind: 'cimd',
      });
      expect(site.asked).toEqual([]);
    },
  );

  test('with a key proves itself by it', async () => {
    await using site = startSite();
    const settings = { clientMetadataUrl, privateKeyFile: 'key.pem' };
    expect((await join(site, { settings, more: taken })).method).toBe('private_key_jwt');
  });

  test.each<[string, Attempt]>([
    ['the server does not take one', { settings: { clientMetadataUrl } }],
    ['none is configured', { more: taken }],
    [
      'registration is configured',
      { settings: { clientMetadataUrl, clientRegistration: 'dcr' }, more: taken },
    ],
  ])('gives way to registration when %s', async (_when, attempt) => {
    expect((await joined({ client_id: 'd1' }, attempt)).client.kind).toBe('dcr');
  });

  test.each<[OAuthSettings, Partial<ServerMetadata>, string]>([
    [{ clientRegistration: 'cimd' }, taken, 'needs a client metadata document'],
    [{ clientRegistration: 'cimd', clientMetadataUrl }, {}, 'takes no client metadata documents'],
    [{ clientMetadataUrl: 'http://h.test/c' }, taken, 'is no https address with a path'],
    [{ clientMetadataUrl: 'https://h.test' }, taken, 'is no https address with a path'],
    [{ clientMetadataUrl: 'client.json' }, taken, 'is no https address with a path'],
  ])('%j with %j is an error of the configuration', async (settings, more, end) => {
    await using site = startSite();
    const refusal = await refusalOf(join(site, { settings, more }));
    expect({ name: refusal.name, asked: site.asked }).toEqual({ name: 'ConfigError', asked: [] });
    expect(refusal.message).toEndWith(end);
  });
});

describe('a registration', () => {
  test('says what we are, and takes the id', async () => {
    expect(await joined({ client_id: 'd1', later: [] })).toEqual({
      client: { clientId: 'd1', method: 'none', kind: 'dcr', redirectUri: CALLBACK },
      posted: {
        client_name: 'usher',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      asked: ['POST /register'],
    });
  });

  test('says the configured name, the scope, and the device grant where it is offered', async () => {
    const attempt = {
      settings: { clientName: 'Ann’s usher' },
      more: { device_authorization_endpoint: 'https://h.test/device' },
      scope: 'a b',
    };
    expect((await joined({ client_id: 'd1' }, attempt)).posted).toEqual({
      client_name: 'Ann’s usher',
      redirect_uris: [CALLBACK],
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      scope: 'a b',
    });
  });

  test('without a callback is for the device grant alone', async () => {
    const attempt = {
      callbacks: [],
      more: { device_authorization_endpoint: 'https://h.test/device' },
    };
    expect(await joined({ client_id: 'd1' }, attempt)).toEqual({
      client: { clientId: 'd1', method: 'none', kind: 'dcr' },
      posted: {
        client_name: 'usher',
        grant_types: ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        response_types: [],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      asked: ['POST /register'],
    });
  });

  test.each<[readonly string[] | undefined, string]>([
    [undefined, 'none'],
    [[], 'none'],
    [['client_secret_basic', 'none'], 'none'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['private_key_jwt', 'client_secret_post'], 'client_secret_post'],
  ])('at a server that lists %j asks for %s', async (listed, method) => {
    const more = listed === undefined ? {} : { token_endpoint_auth_methods_supported: listed };
    const { posted } = await joined({ client_id: 'd1', client_secret: 'canary-a1' }, { more });
    expect(posted).toMatchObject({ token_endpoint_auth_method: method });
  });

  test.each<[object, readonly string[], object]>([
    [{ token_endpoint_auth_method: 'none', client_secret: 's-123' }, ['none'], { method: 'none' }],
    [
      { token_endpoint_auth_method: 'client_secret_post', client_secret: 's-123' },
      ['none'],
      { method: 'client_secret_post', clientSecret: 's-123' },
    ],
    [{ client_secret: 's-123' }, [], { method: 'client_secret_basic', clientSecret: 's-123' }],
    [
      { client_secret: 's-123' },
      ['client_secret_post'],
      { method: 'client_secret_post', clientSecret: 's-123' },
    ],
    [
      { client_secret: 's-123', client_secret_expires_at: 0 },
      [],
      { method: 'client_secret_basic', clientSecret: 's-123' },
    ],
    [
      { client_secret: 's-123', client_secret_expires_at: 1_800_000_000 },
      [],
      { method: 'client_secret_basic', clientSecret: 's-123', secretExpiresAt: 1_800_000_000_000 },
    ],
  ])('answered with %j by a server that lists %j', async (answer, listed, expected) => {
    const more = listed.length === 0 ? {} : { token_endpoint_auth_methods_supported: listed };
    const { client } = await joined({ client_id: 'd1', ...answer }, { more });
    const { clientId, kind, redirectUri, ...rest } = client;
    expect({ clientId, kind, redirectUri }).toEqual({
      clientId: 'd1',
      kind: 'dcr',
      redirectUri: CALLBACK,
    });
    expect<object>(rest).toEqual(expected);
  });

  test('registers the secrets of the answer', async () => {
    await joined({
      client_id: 'd1',
      client_secret: 'canary-secret-71',
      registration_access_token: 'canary-token-72',
    });
    expect(scrubSecrets('a canary-secret-71 b canary-token-72')).toBe('a *** b ***');
  });
});

describe('a registration that fails', () => {
  const json = { error: 'invalid_client_metadata', error_description: 'no\u001b[31m native apps' };
  test.each<[string, SiteReply, string]>([
    ['403', { status: 403 }, ' (HTTP 403)'],
    ['an empty 500', { status: 500, body: '' }, ' (HTTP 500)'],
    ['a web page', { status: 404, body: '<html>token=canary</html>' }, ' (HTTP 404)'],
    [
      'a reason',
      { status: 400, body: json },
      ' (HTTP 400): invalid_client_metadata: no\\u{1b}[31m native apps',
    ],
    ['an empty success', { status: 201, body: '' }, ': the answer holds no client_id'],
    ['an id that is no text', { body: { client_id: 5 } }, ': the answer holds no client_id'],
    [
      'an unknown way of proof',
      { body: { client_id: 'd1', token_endpoint_auth_method: 'tls_client_auth' } },
      ': it wants proof by tls_client_auth, which was not asked for',
    ],
    [
      'a needed secret that is missing',
      { status: 201, body: { client_id: 'd1', token_endpoint_auth_method: 'client_secret_post' } },
      ': it wants proof by client_secret_post, but the answer holds no client_secret',
    ],
  ])('with %s says so, and which keys set a client', async (_what, reply, end) => {
    expect(await refused(reply)).toEqual({
      name: 'AuthError',
      message: `server "s1": registration at O/register failed${end}`,
      hint: HINT,
      asked: ['POST /register'],
    });
  });

  test('at a guessed address names the way without a sign-in', async () => {
    await using site = startSite();
    const old = { ...discovery(site.origin), isLegacy: true };
    const work = register(serverAt(`${site.origin}/mcp`), old, [CALLBACK], loginPorts(), never);
    expect(await refusalOf(work)).toEqual({
      name: 'AuthError',
      message: `server "s1": registration at ${site.origin}/register failed (HTTP 404)`,
      hint: `${HINT}; a server without sign-ins takes a token by auth: {type: bearer, tokenEnv: NAME}`,
    });
  });

  test('without the secret that the server demands of all', async () => {
    const more = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    expect((await refused({ status: 201, body: { client_id: 'd1' } }, { more })).message).toBe(
      'server "s1": registration at O/register failed: it wants proof by client_secret_post, but the answer holds no client_secret',
    );
  });

  test('shows no more than the beginning of a long reason', async () => {
    const body = { error: 'x'.repeat(100_000) };
    const { message } = await refused({ status: 400, body });
    expect(message.length).toBeLessThan(400);
  });

  test('because it is not offered says so, and which keys set a client', async () => {
    await using site = startSite();
    const { registration_endpoint: _, ...metadata } = discovery(site.origin).metadata;
    const bare = { ...discovery(site.origin), metadata };
    const work = register(serverAt(undefined), bare, [CALLBACK], loginPorts(), never);
    expect(await refusalOf(work)).toEqual({
      name: 'AuthError',
      message: `login "work": ${site.origin} does not offer registration; a client has to be registered there beforehand`,
      hint: 'clientId names a client that is registered there, clientSecretEnv the variable with its secret',
    });
  });

  test('because no way of proof is shared asks nobody', async () => {
    const more = { token_endpoint_auth_methods_supported: ['private_key_jwt'] };
    expect(await refused({}, { more })).toEqual({
      name: 'AuthError',
      message:
        'server "s1": O takes clients that prove themselves by private_key_jwt; registration offers none of these',
      hint: `${HINT}, or its privateKeyFile`,
      asked: [],
    });
  });

  test.each(['client_credentials', 'jwt-bearer', 'enterprise'] as const)(
    'because grant %s needs a client registered beforehand asks nobody',
    async (grant) => {
      expect(await refused({}, { settings: { grant } })).toEqual({
        name: 'ConfigError',
        message: `server "s1": grant: ${grant} needs a client that is registered beforehand`,
        hint: HINT,
        asked: [],
      });
    },
  );

  test('follows no redirect', async () => {
    const { name, asked } = await refused({ status: 307, headers: { location: '/elsewhere' } });
    expect({ name, asked }).toEqual({ name: 'ProtocolError', asked: ['POST /register'] });
  });
});

describe('scopes of a registration', () => {
  const answer = { client_id: 'client-1' };

  test('that only the resource knows are left out', async () => {
    const more = { scopes_supported: ['openid'] };
    const { posted } = await joined(answer, { more, scope: 'openid files' });
    expect(posted).not.toHaveProperty('scope');
  });

  test.each(['invalid_client_metadata', 'invalid_scope'])(
    'that are refused with %s are left out of a second one',
    async (error) => {
      await using site = startSite();
      let posts = 0;
      const reply = () => {
        posts += 1;
        return posts === 1
          ? Response.json({ error }, { status: 400 })
          : Response.json(answer, { status: 201 });
      };
      site.serve({ '/register': reply });
      expect(await join(site, { scope: 'files' })).toMatchObject({ clientId: 'client-1' });
      const scopes = site.posted.map((text) => JSON.parse(text).scope);
      expect(scopes).toEqual(['files', undefined]);
    },
  );

  test('a refusal of anything else is not tried again', async () => {
    const reply = { status: 400, body: { error: 'invalid_redirect_uri' } };
    const { asked } = await refused(reply, { scope: 'files' });
    expect(asked).toHaveLength(1);
  });
});
