/**
 * Proofs that we hold the key a token is bound to. WebCrypto alone: a proof goes with every request.
 * @see RFC 9449 4.2, 4.3, 8 and 9
 */
import type { Clock } from '../base/clock.ts';
import { AuthError, FailedError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import type { DpopKey, ServerMetadata } from './types.ts';

export interface DpopProver {
  /** A proof for one request, to be sent as `DPoP`; with an access token also bound to that. */
  proof(method: string, url: string, accessToken: string | undefined): Promise<string>;
  /**
   * Takes the nonce of an answer for the proofs to its origin; true when it had one: a request refused for
   * want of it may be tried once more. `url`: where it came from, for answers that do not say; default
   * where the last proof was for.
   */
  nonceFrom(response: Response, url?: string): boolean;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
/** @see RFC 9449 8.1 */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;
/** Of origins: a resource and its authorization server are two. */
const MAX_NONCES = 16;

/** A new P-256 key, its private part registered as a secret. */
export async function createDpopKey(): Promise<DpopKey> {
  const { privateKey } = await crypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', privateKey);
  registerSecret(d ?? '');
  return { kty, crv, x, y, d };
}

/** The key's name in `dpop_jkt`: SHA-256 of its public members. @see RFC 7638 3 */
export function dpopThumbprint(key: DpopKey): Promise<string> {
  const { crv, kty, x, y } = readKey(key);
  return digest(JSON.stringify({ crv, kty, x, y }));
}

/** Throws AuthError when the server lists proof algorithms and ES256 is none of them. */
export function checkDpopSupport(metadata: ServerMetadata): void {
  const listed = metadata.dpop_signing_alg_values_supported;
  if (listed === undefined || listed.includes('ES256')) return;
  const names = listed.length === 0 ? 'none' : listed.slice(0, 10).join(', ');
  throw new AuthError(
    `the authorization server ${metadata.issuer} takes no DPoP proofs by ES256 (it lists ${names})`,
    { hint: 'leave out dpop: true where it is set' },
  );
}

/** Nonces are kept per origin as long as the prover is. Proofs reject with FailedError for a key that is none. */
export function createProver(key: DpopKey, clock: Clock): DpopProver {
  const nonces = new Map<string, string>();
  let signer: Promise<Signer> | undefined;
  let lastUrl: string | undefined;
  return {
    async proof(method, url, accessToken) {
      lastUrl = url;
      signer ??= importSigner(key);
      const { sign, jwk } = await signer;
      const { origin, pathname } = new URL(url);
      const nonce = nonces.get(origin);
      return sign(
        { typ: 'dpop+jwt', alg: 'ES256', jwk },
        {
          jti: crypto.randomUUID(),
          htm: method,
          htu: `${origin}${pathname}`,
          iat: Math.floor(clock.date().getTime() / 1000),
          ...(accessToken === undefined ? {} : { ath: await digest(accessToken) }),
          ...(nonce === undefined ? {} : { nonce }),
        },
      );
    },
    nonceFrom(response, url) {
      const nonce = response.headers.get('dpop-nonce');
      const from = [url, response.url, lastUrl].find(
        (place) => place !== undefined && URL.canParse(place),
      );
      if (nonce === null || !NONCE.test(nonce) || from === undefined) return false;
      if (nonces.size >= MAX_NONCES) nonces.clear();
      nonces.set(new URL(from).origin, nonce);
      return true;
    },
  };
}

interface PublicKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

interface Signer {
  /** The compact form of a JWS. */
  sign(header: object, claims: object): Promise<string>;
  readonly jwk: PublicKey;
}

async function importSigner(key: DpopKey): Promise<Signer> {
  const { d, ...jwk } = readKey(key);
  registerSecret(d);
  const signing = await crypto.subtle
    .importKey('jwk', { ...jwk, d }, EC, false, ['sign'])
    .catch((error: unknown) => {
      throw unusable(error);
    });
  return {
    jwk,
    async sign(header, claims) {
      const text = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.');
      const signature = await crypto.subtle.sign(
        SIGNATURE,
        signing,
        new TextEncoder().encode(text),
      );
      return `${text}.${base64url(new Uint8Array(signature))}`;
    },
  };
}

function readKey(key: DpopKey): PublicKey & { readonly d: string } {
  const { kty, crv, x, y, d } = key;
  const isText = typeof x === 'string' && typeof y === 'string' && typeof d === 'string';
  if (kty !== 'EC' || crv !== 'P-256' || !isText) throw unusable();
  return { kty, crv, x, y, d };
}

function unusable(cause?: unknown): FailedError {
  return new FailedError('the key that a kept login is bound to cannot be used', {
    hint: 'log out and sign in again',
    cause,
  });
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64url(new Uint8Array(bytes));
}

function base64url(data: string | Uint8Array): string {
  return Buffer.from(data).toString('base64url');
}
