import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { basicCredentials } from '../../src/auth/client-auth.ts';
import { requestTokens } from '../../src/auth/token-request.ts';
import type { OAuthSettings, RegisteredClient } from '../../src/auth/types.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';
import { contextFor, failureOf, NOW, startTokenServer, verifiedJwt } from './token-server.ts';

const GRANT = {
  grantType: 'client_credentials',
  parameters: {},
  what: 'the client credentials',
} as const;

/** What the server is asked when a client proves itself so; the error when nothing is sent. */
async function askedBy(
  client: Partial<RegisteredClient>,
  settings: OAuthSettings = {},
  env: Readonly<Record<string, string>> = {},
) {
  await using server = startTokenServer(() => Response.json({ access_token: 'token-a1' }));
  const context = contextFor(server.url, { client, settings, env, resource: undefined });
  const failure = await failureOf(requestTokens(context, GRANT));
  const [asked] = server.asked;
  if (asked === undefined) return failure;
  const { authorization } = asked.headers;
  return { form: asked.form, authorization, issuer: server.url };
}

describe('a client', () => {
  const grant_type = 'client_credentials';

  test('without a secret gives its id alone', async () => {
    expect(await askedBy({ method: 'none' })).toMatchObject({
      form: { grant_type, client_id: 'client-1' },
      authorization: undefined,
    });
  });

  test('sends the secret it was registered with in a header, encoded, and no id beside it', async () => {
    const client = {
      clientId: 'https://a.example/id:1 ü',
      clientSecret: 'canary+s:1%&',
      method: 'client_secret_basic',
    } as const;
    const { form, authorization } = Object(await askedBy(client));
    expect(form).toEqual({ grant_type });
    expect(authorization).toStartWith('Basic ');
    const decoded = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
    expect(decoded).toBe('https%3A%2F%2Fa.example%2Fid%3A1%20%C3%BC:canary%2Bs%3A1%25%26');
    expect(scrubSecrets(`canary+s:1%& ${authorization}`)).toBe('*** Basic ***');
  });

  test('of plain letters is sent as it is, for servers that do not decode', () => {
    const sent = basicCredentials('my-app_1.x~', "s3cret-_.!~*'()");
    expect(Buffer.from(sent.slice(6), 'base64').toString()).toBe("my-app_1.x~:s3cret-_.!~*'()");
  });

  test('sends the secret of its variable in the form, trimmed', async () => {
    const outcome = await askedBy(
      { method: 'client_secret_post', kind: 'configured' },
      { clientSecretEnv: 'S1_SECRET' },
      { S1_SECRET: ' canary-post-1\n' },
    );
    expect(outcome).toMatchObject({
      form: { grant_type, client_id: 'client-1', client_secret: 'canary-post-1' },
      authorization: undefined,
    });
    expect(scrubSecrets('canary-post-1')).toBe('***');
  });

  test('sends nothing when its variable is empty or not named', async () => {
    const client = { method: 'client_secret_basic', kind: 'configured' } as const;
    const settings = { clientSecretEnv: 'S1_SECRET' };
    expect(await askedBy(client, settings, { S1_SECRET: ' ' })).toEqual({
      name: 'AuthError',
      message: 'server "s1" needs a client secret: the variable S1_SECRET is not set or empty',
      hint: 'set S1_SECRET',
      retryable: false,
      details: { variable: 'S1_SECRET' },
    });
    expect(await askedBy(client)).toMatchObject({
      name: 'ConfigError',
      message: 'server "s1": the authorization server wants a client secret',
      hint: 'name the variable that holds it: clientSecretEnv',
    });
  });
});

const EC = { name: 'ECDSA', namedCurve: 'P-256' };
const RSA = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
type Generate = Parameters<SubtleCrypto['generateKey']>[0] & {
  readonly namedCurve?: string;
  readonly hash?: string;
};
type Verify = Parameters<typeof verifiedJwt>[2];

async function newKey(generate: Generate): Promise<{ path: string; publicKey: CryptoKey }> {
  const pair = await crypto.subtle.generateKey(generate, true, ['sign', 'verify']);
  // A signature algorithm gives a pair.
  const { privateKey, publicKey } = pair as CryptoKeyPair;
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  const lines = der.replace(/(.{64})/g, '$1\n');
  const pem = `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
  return { path: join(writeFiles(newFolder(), { 'key.pem': pem }), 'key.pem'), publicKey };
}

describe('a client with a private key', () => {
  test.each<[OAuthSettings['algorithm'], Generate, Verify]>([
    [undefined, EC, { name: 'ECDSA', hash: 'SHA-256' }],
    ['ES384', { name: 'ECDSA', namedCurve: 'P-384' }, { name: 'ECDSA', hash: 'SHA-384' }],
    ['ES512', { name: 'ECDSA', namedCurve: 'P-521' }, { name: 'ECDSA', hash: 'SHA-512' }],
    ['PS512', { ...RSA, name: 'RSA-PSS', hash: 'SHA-512' }, { name: 'RSA-PSS', saltLength: 64 }],
    ['RS256', { ...RSA, name: 'RSASSA-PKCS1-v1_5' }, 'RSASSA-PKCS1-v1_5'],
    ['PS256', { ...RSA, name: 'RSA-PSS' }, { name: 'RSA-PSS', saltLength: 32 }],
    ['EdDSA', { name: 'Ed25519' }, 'Ed25519'],
  ])('signs who it is by %s, for the issuer', async (algorithm, generate, verify) => {
    const { path, publicKey } = await newKey(generate);
    const settings = { privateKeyFile: path, ...(algorithm === undefined ? {} : { algorithm }) };
    const { form, issuer } = Object(await askedBy({ method: 'private_key_jwt' }, settings));
    const { client_assertion, ...rest } = form;
    expect(rest).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    const { header, claims } = await verifiedJwt(client_assertion, publicKey, verify);
    expect(header).toEqual({ alg: algorithm ?? 'ES256' });
    const { jti, ...said } = claims;
    expect(said).toEqual({
      iss: 'client-1',
      sub: 'client-1',
      aud: issuer,
      iat: NOW / 1000,
      exp: NOW / 1000 + 240,
    });
    expect(jti).toMatch(/^[\w-]{43}$/);
    expect(scrubSecrets(client_assertion)).toBe('***');
  });

  test('never signs the same twice', async () => {
    const { path } = await newKey(EC);
    const settings = { privateKeyFile: path };
    const [first, second] = [
      Object(await askedBy({ method: 'private_key_jwt' }, settings)).form.client_assertion,
      Object(await askedBy({ method: 'private_key_jwt' }, settings)).form.client_assertion,
    ].map((jwt) => JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString()).jti);
    expect(first).not.toBe(second);
  });

  const folder = writeFiles(newFolder(), {
    'text.pem': 'canary-not-a-key',
    'sec1.pem': '-----BEGIN EC PRIVATE KEY-----\ncanary\n-----END EC PRIVATE KEY-----\n',
    'locked.pem':
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\ncanary\n-----END ENCRYPTED PRIVATE KEY-----\n',
    'broken.pem': '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n',
    'huge.pem': 'x'.repeat(64 * 1024 + 1),
  });
  const start = 'server "s1": privateKeyFile FOLDER/';
  test.each<[string, string]>([
    ['none.pem', `${start}none.pem: no such file or folder`],
    ['.', 'server "s1": privateKeyFile FOLDER: it is a directory'],
    ['text.pem', `${start}text.pem holds no private key in PEM form (-----BEGIN PRIVATE KEY-----)`],
    [
      'sec1.pem',
      `${start}sec1.pem holds a key in another form (EC), not PKCS #8 without a passphrase`,
    ],
    [
      'locked.pem',
      `${start}locked.pem holds a key in another form (ENCRYPTED), not PKCS #8 without a passphrase`,
    ],
    ['broken.pem', `${start}broken.pem holds no key for ES256`],
    ['huge.pem', `${start}huge.pem is larger than 65536 bytes`],
  ])('names the file %s that it cannot use, not what stands there', async (name, message) => {
    const settings = { privateKeyFile: join(folder, name) };
    const failure = Object(await askedBy({ method: 'private_key_jwt' }, settings));
    expect([failure.name, failure.message.replace(folder, 'FOLDER')]).toEqual([
      'ConfigError',
      message,
    ]);
    expect(JSON.stringify(failure)).not.toContain('canary');
  });

  test('says which key does not fit its algorithm, and what is missing', async () => {
    const { path } = await newKey(EC);
    const client = { method: 'private_key_jwt' } as const;
    expect(await askedBy(client, { privateKeyFile: path, algorithm: 'RS256' })).toMatchObject({
      name: 'ConfigError',
      message: `server "s1": privateKeyFile ${path} holds no key for RS256`,
    });
    expect(await askedBy(client)).toMatchObject({
      name: 'ConfigError',
      hint: 'name the PEM file that holds it: privateKeyFile',
    });
  });
});
