import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grantTokens } from '../../src/auth/grants.ts';
import type { OAuthSettings } from '../../src/auth/types.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { contextFor, failureOf, startTokenServer, type TokenServer } from './token-server.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/x-www-form-urlencoded',
};
const resource = 'https://mcp.example/mcp';
const TOKENS = { accessToken: 'token-g1', type: 'bearer' };

const giveToken = () => startTokenServer(() => Response.json({ access_token: 'token-g1' }));
const refuse = (error: string) =>
  startTokenServer(() => Response.json({ error, error_description: 'why not' }, { status: 400 }));

type More = NonNullable<Parameters<typeof contextFor>[1]>;

function granted(server: string, settings: OAuthSettings, more: More = {}) {
  const kind = 'configured';
  const client = { kind, ...more.client } as const;
  return failureOf(grantTokens(contextFor(server, { ...more, settings, client })));
}

describe('client credentials', () => {
  test('give tokens for the resource and scope', async () => {
    await using server = giveToken();
    const more = { scope: 'read write', client: { method: 'client_secret_basic' as const } };
    const settings = { grant: 'client_credentials', clientSecretEnv: 'S1_SECRET' } as const;
    expect(
      await granted(server.url, settings, { ...more, env: { S1_SECRET: 'canary-cc-secret' } }),
    ).toEqual({ ...TOKENS, scope: 'read write' });
    const credentials = Buffer.from('client-1:canary-cc-secret').toString('base64');
    expect(server.asked).toEqual([
      {
        method: 'POST',
        path: '/token',
        headers: { ...HEADERS, authorization: `Basic ${credentials}` },
        form: { grant_type: 'client_credentials', scope: 'read write', resource },
      },
    ]);
  });

  test('that are refused are not tried again', async () => {
    await using server = refuse('invalid_scope');
    const settings = { grant: 'client_credentials', scope: 'all' } as const;
    expect(await granted(server.url, settings)).toEqual({
      name: 'TokenRefusedError',
      message:
        'server "s1": the authorization server refused the client credentials: invalid_scope (why not)',
      hint: 'check scope',
      retryable: false,
      details: { status: 400, error: 'invalid_scope' },
    });
    expect(server.asked.length).toBe(1);
  });
});

describe('an assertion of a workload', () => {
  const folder = newFolder();
  const path = join(folder, 'assertion.jwt');
  const settings = { grant: 'jwt-bearer', assertionFile: path } as const;

  test('is read anew each time, without the line end', async () => {
    await using server = giveToken();
    writeFileSync(path, 'canary.assertion.1\n');
    expect(await granted(server.url, settings)).toEqual(TOKENS);
    writeFileSync(path, 'canary.assertion.2');
    expect(await granted(server.url, settings, { scope: 'read' })).toEqual({
      ...TOKENS,
      scope: 'read',
    });
    const form = { grant_type: JWT_BEARER, client_id: 'client-1', resource };
    expect(server.asked.map((asked) => asked.form)).toEqual([
      { ...form, assertion: 'canary.assertion.1' },
      { ...form, assertion: 'canary.assertion.2', scope: 'read' },
    ]);
    expect(scrubSecrets('canary.assertion.1 canary.assertion.2')).toBe('*** ***');
  });

  test.each(['invalid_grant', 'unauthorized_client', 'unsupported_grant_type'])(
    'refused with %s is given up at once',
    async (error) => {
      await using server = refuse(error);
      writeFileSync(path, 'canary.assertion.3');
      expect(await granted(server.url, settings)).toMatchObject({
        name: 'TokenRefusedError',
        message: `server "s1": the authorization server refused the assertion: ${error} (why not)`,
        details: { error },
      });
      expect(server.asked.map(({ form }) => form['grant_type'])).toEqual([JWT_BEARER]);
    },
  );

  test('that is not there is not sent, and the file is named', async () => {
    await using server = giveToken();
    writeFileSync(path, ' \n');
    expect(await granted(server.url, settings)).toMatchObject({
      name: 'AuthError',
      message: `server "s1": assertionFile ${path} is empty`,
    });
    const missing = join(folder, 'none.jwt');
    expect(await granted(server.url, { ...settings, assertionFile: missing })).toMatchObject({
      name: 'ConfigError',
      message: `server "s1": assertionFile ${missing}: no such file or folder`,
    });
    expect(await granted(server.url, { grant: 'jwt-bearer' })).toMatchObject({
      name: 'ConfigError',
      hint: 'name the file that holds it: assertionFile',
    });
    expect(server.asked).toEqual([]);
  });
});

describe('an identity provider', () => {
  const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
  const client = { method: 'client_secret_basic', clientSecret: 'as-secret' } as const;
  const secret = `Basic ${Buffer.from('client-1:as-secret').toString('base64')}`;
  const giveAssertion = (more: JsonObject = {}) =>
    startTokenServer(() =>
      Response.json({
        access_token: 'canary.id.jag',
        issued_token_type: ID_JAG,
        token_type: 'N_A',
        ...more,
      }),
    );
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: ID_JAG,
    subject_token: 'canary.id.token',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    resource,
  };

  /** With a file that says so about the provider, and other files beside it. */
  function enterprise(
    server: TokenServer,
    provider: JsonObject | string,
    more: More & { readonly files?: Readonly<Record<string, string>> } = {},
  ) {
    const { files, ...rest } = more;
    const content = typeof provider === 'string' ? provider : JSON.stringify(provider);
    const folder = writeFiles(newFolder(), { 'idp.json': content, ...files });
    const settings = { grant: 'enterprise', idpFile: join(folder, 'idp.json') } as const;
    const outcome = granted(server.url, settings, { client, ...rest });
    return outcome.then((value) => JSON.parse(JSON.stringify(value).replaceAll(folder, 'FOLDER')));
  }

  test('gives an assertion for its ID token, which gives tokens; no proof goes to it', async () => {
    await using idp = giveAssertion();
    await using server = giveToken();
    const provider = {
      tokenEndpoint: `${idp.url}/token`,
      clientId: 'idp-client',
      clientSecretEnv: 'IDP_SECRET',
      idTokenFile: 'id.jwt',
    };
    const { createDpopKey } = await import('../../src/auth/dpop.ts');
    const more = {
      files: { 'id.jwt': 'canary.id.token\n' },
      env: { IDP_SECRET: 'idp-secret' },
      scope: 'read',
      dpopKey: await createDpopKey(),
    };
    expect(await enterprise(server, provider, more)).toEqual({ ...TOKENS, scope: 'read' });
    const authorization = `Basic ${Buffer.from('idp-client:idp-secret').toString('base64')}`;
    expect(idp.asked).toEqual([
      {
        method: 'POST',
        path: '/token',
        headers: { ...HEADERS, authorization },
        form: { ...exchange, audience: server.url, scope: 'read' },
      },
    ]);
    const { dpop, ...headers } = server.asked[0]?.headers ?? {};
    expect([headers, server.asked[0]?.form, dpop?.split('.').length]).toEqual([
      { ...HEADERS, authorization: secret },
      { grant_type: JWT_BEARER, assertion: 'canary.id.jag', scope: 'read', resource },
      3,
    ]);
    expect(scrubSecrets('canary.id.token canary.id.jag')).toBe('*** ***');
  });

  test('may be described by other names, and the ID token by a variable', async () => {
    await using idp = giveAssertion();
    await using server = giveToken();
    const provider = {
      name: 'auth/enterprise',
      client_id: 'not-ours',
      idp_client_id: 'idp-client',
      idp_id_token: 'canary.id.token',
      idp_issuer: idp.url,
      idp_token_endpoint: `${idp.url}/token`,
    };
    expect(await enterprise(server, provider)).toEqual(TOKENS);
    const { idp_id_token, ...rest } = provider;
    const byVariable = { ...rest, idTokenEnv: 'ID_TOKEN' };
    expect(await enterprise(server, byVariable, { env: { ID_TOKEN: idp_id_token } })).toEqual(
      TOKENS,
    );
    const form = { ...exchange, audience: server.url, client_id: 'idp-client' };
    expect(idp.asked.map((asked) => asked.form)).toEqual([form, form]);
  });

  test('that refuses ends it before the authorization server is asked', async () => {
    await using idp = refuse('invalid_grant');
    await using server = giveToken();
    const provider = {
      tokenEndpoint: `${idp.url}/token`,
      clientId: 'idp-client',
      idToken: 'canary.id.token',
    };
    expect(await enterprise(server, provider)).toEqual({
      name: 'TokenRefusedError',
      message: 'server "s1": the identity provider refused the ID token: invalid_grant (why not)',
      hint: 'sign in to the identity provider anew and give its ID token',
      retryable: false,
      details: { status: 400, error: 'invalid_grant' },
    });
    expect([idp.asked.length, server.asked.length]).toEqual([1, 0]);
  });

  test.each<[string, JsonObject]>([
    ['no token', { access_token: undefined }],
    ['another kind of token', { issued_token_type: 'urn:ietf:params:oauth:token-type:jwt' }],
    ['too long a token', { access_token: 'x'.repeat(16 * 1024 + 1) }],
  ])('that gives %s is not believed', async (_, answer) => {
    await using idp = giveAssertion(answer);
    await using server = giveToken();
    const provider = { tokenEndpoint: idp.url, clientId: 'idp-client', idToken: 'canary.id.token' };
    expect(await enterprise(server, provider)).toMatchObject({
      name: 'ProtocolError',
      message: 'server "s1": the identity provider gave no identity assertion (ID-JAG)',
    });
    expect(server.asked).toEqual([]);
  });

  const good = {
    tokenEndpoint: 'https://idp.example/token',
    clientId: 'idp-client',
    idToken: 'canary.id.token',
  };
  const { idToken, ...noToken } = good;
  test.each<[string, JsonObject | string, string, string]>([
    ['is no JSON', 'canary {', 'ConfigError', ' is no JSON object'],
    ['lacks a client', { ...good, clientId: undefined }, 'ConfigError', ' lacks clientId'],
    [
      'lacks an endpoint',
      { ...good, tokenEndpoint: undefined },
      'ConfigError',
      ' lacks tokenEndpoint',
    ],
    ['lacks an ID token', noToken, 'ConfigError', ' lacks idTokenFile'],
    ['has a number there', { ...good, clientId: 7 }, 'ConfigError', ': clientId is no text'],
    [
      'names plain http',
      { ...good, tokenEndpoint: 'http://192.168.0.7/token' },
      'ConfigError',
      ': the token endpoint is no https address',
    ],
    [
      'names a variable without value',
      { ...noToken, idTokenEnv: 'ID_TOKEN' },
      'AuthError',
      ': the variable ID_TOKEN is not set or empty',
    ],
    [
      'names an empty file',
      { ...noToken, idTokenFile: 'empty.jwt' },
      'AuthError',
      ': idTokenFile FOLDER/empty.jwt is empty',
    ],
    [
      'names a file that is not there',
      { ...noToken, idTokenFile: 'none.jwt' },
      'ConfigError',
      ': idTokenFile FOLDER/none.jwt: no such file or folder',
    ],
  ])('is not asked when its file %s', async (_, provider, name, problem) => {
    await using server = giveToken();
    const failure = await enterprise(server, provider, { files: { 'empty.jwt': '\n' } });
    expect([failure.name, failure.message]).toEqual([
      name,
      `server "s1": idpFile FOLDER/idp.json${problem}`,
    ]);
    expect(JSON.stringify(failure)).not.toContain(idToken);
    expect(server.asked).toEqual([]);
  });

  test('has to be described', async () => {
    await using server = giveToken();
    expect(await granted(server.url, { grant: 'enterprise' })).toMatchObject({
      name: 'ConfigError',
      hint: 'name the JSON file about it: idpFile',
    });
  });
});
