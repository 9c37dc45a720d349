import { describe, expect, test } from 'bun:test';
import {
  checkDpopSupport,
  createDpopKey,
  createProver,
  dpopThumbprint,
} from '../../src/auth/dpop.ts';
import { exchangeCode } from '../../src/auth/token-request.ts';
import type { DpopKey } from '../../src/auth/types.ts';
import { systemClock } from '../../src/base/clock.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { contextFor, failureOf, NOW, startTokenServer, verifiedJwt } from './token-server.ts';

const clock = { ...systemClock, date: () => new Date(NOW + 999) };
const EC = { name: 'ECDSA', namedCurve: 'P-256' };

/** A proof's header and claims, its signature checked by the key it names; `jti` apart. */
async function verified(proof: string) {
  const [header = ''] = proof.split('.');
  const { jwk } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const key = await crypto.subtle.importKey('jwk', jwk, EC, false, ['verify']);
  const jwt = await verifiedJwt(proof, key, { name: 'ECDSA', hash: 'SHA-256' });
  const { jti, ...claims } = jwt.claims;
  expect(jti).toMatch(/^[0-9a-f-]{36}$/);
  return { header: jwt.header, claims, jti };
}

function publicOf({ kty, crv, x, y }: DpopKey) {
  return { kty, crv, x, y };
}

const nonceAnswer = (nonce: string) => new Response(null, { headers: { 'dpop-nonce': nonce } });

describe('a proof', () => {
  test('names method, place without query, time and token, and the public key alone', async () => {
    const key = await createDpopKey();
    const prover = createProver(key, clock);
    const url = 'HTTPS://MCP.example:443/a/../mcp?session=1#x';
    const { header, claims } = await verified(await prover.proof('GET', url, 'canary-access'));
    expect(header).toEqual({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicOf(key) });
    const hash = new Bun.CryptoHasher('sha256').update('canary-access').digest('base64url');
    expect(claims).toEqual({
      htm: 'GET',
      htu: 'https://mcp.example/mcp',
      iat: NOW / 1000,
      ath: hash,
    });
  });

  test('is another one every time', async () => {
    const prover = createProver(await createDpopKey(), clock);
    const make = async () => verified(await prover.proof('POST', 'https://a.example/', undefined));
    const [first, second] = [await make(), await make()];
    expect(first.claims).toEqual({ htm: 'POST', htu: 'https://a.example/', iat: NOW / 1000 });
    expect(second.claims).toEqual(first.claims);
    expect(first.jti).not.toBe(second.jti);
  });

  test('carries the newest nonce of its origin, and of no other', async () => {
    const prover = createProver(await createDpopKey(), clock);
    const nonceAt = async (url: string) => {
      const { claims } = await verified(await prover.proof('GET', url, undefined));
      return claims['nonce'];
    };
    expect(await nonceAt('https://a.example/mcp')).toBeUndefined();
    expect(prover.nonceFrom(nonceAnswer('n-1'))).toBe(true);
    expect(prover.nonceFrom(nonceAnswer('n-b'), 'https://b.example/token')).toBe(true);
    expect(await nonceAt('https://a.example/other')).toBe('n-1');
    expect(await nonceAt('https://b.example/')).toBe('n-b');
    expect(await nonceAt('https://a.example:8443/')).toBeUndefined();
    expect(prover.nonceFrom(nonceAnswer('n-2'), 'https://a.example/')).toBe(true);
    expect(await nonceAt('https://a.example/mcp')).toBe('n-2');
  });

  test('takes no nonce that is none', async () => {
    const prover = createProver(await createDpopKey(), clock);
    await prover.proof('GET', 'https://a.example/', undefined);
    const answers = ['', 'a"b', 'a b', 'x'.repeat(1025)].map(nonceAnswer);
    expect([new Response(), ...answers].map((answer) => prover.nonceFrom(answer))).toEqual(
      Array(5).fill(false),
    );
    const { claims } = await verified(await prover.proof('GET', 'https://a.example/', undefined));
    expect(claims).not.toHaveProperty('nonce');
  });

  test('cannot be made by a key that is damaged, and says what to do', async () => {
    const key = await createDpopKey();
    const failure = {
      name: 'FailedError',
      message: 'the key that a kept login is bound to cannot be used',
      hint: 'log out and sign in again',
      retryable: false,
      details: {},
    };
    for (const broken of [{}, { ...key, d: 7 }, { ...key, crv: 'P-384' }, { ...key, d: 'AA' }]) {
      const prover = createProver(broken, clock);
      expect(await failureOf(prover.proof('GET', 'https://a.example/', undefined))).toEqual(
        failure,
      );
    }
  });
});

describe('a key', () => {
  test('is new every time, whole, and a secret', async () => {
    const [first, second] = [await createDpopKey(), await createDpopKey()];
    expect(Object.keys(first)).toEqual(['kty', 'crv', 'x', 'y', 'd']);
    expect(first['d']).not.toBe(second['d']);
    expect(scrubSecrets(String(first['d']))).toBe('***');
  });

  test('is named by the hash of its public members in their order', async () => {
    // The curve's base point, whose private key is 1.
    const key = {
      d: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE',
      y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
      x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
      kty: 'EC',
      crv: 'P-256',
    };
    const members = `{"crv":"P-256","kty":"EC","x":"${key.x}","y":"${key.y}"}`;
    const hash = new Bun.CryptoHasher('sha256').update(members).digest('base64url');
    expect(await dpopThumbprint(key)).toBe(hash);
  });

  test('is of no use where the server lists proofs without ES256', async () => {
    const metadata = { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' };
    const check = (listed: readonly string[]) =>
      failureOf(
        Promise.try(() =>
          checkDpopSupport({ ...metadata, dpop_signing_alg_values_supported: listed }),
        ),
      );
    expect(() => checkDpopSupport(metadata)).not.toThrow();
    expect(await check(['RS256', 'ES256'])).toBeUndefined();
    expect(await check(['RS256', 'PS256'])).toMatchObject({
      name: 'AuthError',
      message:
        'the authorization server https://as.example takes no DPoP proofs by ES256 (it lists RS256, PS256)',
    });
    expect(await check([])).toMatchObject({ name: 'AuthError' });
  });
});

describe('a token request with a key', () => {
  const code = {
    params: new URLSearchParams({ code: 'code-d1' }),
    verifier: 'verifier-d1',
    redirectUri: 'http://127.0.0.1/cb',
  };
  const wantNonce = (nonce: string) =>
    Response.json({ error: 'use_dpop_nonce' }, { status: 400, headers: { 'dpop-nonce': nonce } });
  const bound = () => Response.json({ access_token: 'token-d1', token_type: 'DPoP' });

  test('carries a proof, and once more with the nonce that the server wants', async () => {
    const dpopKey = await createDpopKey();
    await using server = startTokenServer((_, before) =>
      before === 0 ? wantNonce('n-1') : bound(),
    );
    const tokens = await exchangeCode(contextFor(server.url, { dpopKey }), code);
    expect(tokens).toEqual({ accessToken: 'token-d1', type: 'dpop' });
    const proofs = await Promise.all(
      server.asked.map(({ headers }) => verified(headers['dpop'] ?? '')),
    );
    const claims = { htm: 'POST', htu: `${server.url}/token`, iat: NOW / 1000 };
    expect(proofs.map((proof) => proof.claims)).toEqual([claims, { ...claims, nonce: 'n-1' }]);
    expect(proofs[0]?.jti).not.toBe(proofs[1]?.jti);
    expect(server.asked[0]?.form).toEqual(server.asked[1]?.form ?? {});
  });

  test('is tried once more only, and not at all without a nonce', async () => {
    const dpopKey = await createDpopKey();
    const refused = {
      name: 'TokenRefusedError',
      message: 'server "s1": the authorization server refused the code: use_dpop_nonce',
    };
    await using greedy = startTokenServer((_, before) => wantNonce(`n-${before}`));
    const first = exchangeCode(contextFor(greedy.url, { dpopKey }), code);
    expect(await failureOf(first)).toMatchObject(refused);
    await using mute = startTokenServer(() =>
      Response.json({ error: 'use_dpop_nonce' }, { status: 400 }),
    );
    const second = exchangeCode(contextFor(mute.url, { dpopKey }), code);
    expect(await failureOf(second)).toMatchObject(refused);
    expect([greedy.asked.length, mute.asked.length]).toEqual([2, 1]);
  });

  test('is not repeated for a nonce that comes with any other answer', async () => {
    const dpopKey = await createDpopKey();
    const headers = { 'dpop-nonce': 'n-1' };
    const answers = [
      () => Response.json({ access_token: 'token-d1', token_type: 'DPoP' }, { headers }),
      () => Response.json({ error: 'invalid_grant' }, { status: 400, headers }),
    ];
    for (const answer of answers) {
      await using server = startTokenServer(answer);
      await failureOf(exchangeCode(contextFor(server.url, { dpopKey }), code));
      expect(server.asked.length).toBe(1);
    }
  });

  test('takes a bearer token unless binding is a must', async () => {
    const dpopKey = await createDpopKey();
    await using server = startTokenServer(() => Response.json({ access_token: 'token-d1' }));
    expect(await exchangeCode(contextFor(server.url, { dpopKey }), code)).toEqual({
      accessToken: 'token-d1',
      type: 'bearer',
    });
    const context = contextFor(server.url, { dpopKey, settings: { dpop: true } });
    expect(await failureOf(exchangeCode(context, code))).toMatchObject({
      name: 'AuthError',
      message: 'server "s1": the authorization server gave a token that is not bound to our key',
    });
  });
});
