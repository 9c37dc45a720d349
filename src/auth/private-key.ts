/** A private key from a PEM file of the user, for signing. Its content never stands in a text. */
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import { readLoginFile } from './login-file.ts';
import type { OAuthSettings } from './types.ts';

type Algorithm = NonNullable<OAuthSettings['algorithm']>;

/** How a key of each is imported. @see RFC 7518 3.1, RFC 8037, RFC 9864 */
const IMPORTS: Readonly<Record<Algorithm, Parameters<SubtleCrypto['importKey']>[2]>> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  PS384: { name: 'RSA-PSS', hash: 'SHA-384' },
  PS512: { name: 'RSA-PSS', hash: 'SHA-512' },
  EdDSA: { name: 'Ed25519' },
  Ed25519: { name: 'Ed25519' },
};

/**
 * The key in `path` (PEM, PKCS #8, no passphrase) for signatures by `algorithm`. Rejects with ConfigError,
 * naming the file, for one that cannot be read, of another form, or of another kind of key.
 */
export async function importPrivateKey(
  path: string,
  algorithm: Algorithm,
  label: string,
  clock: Clock,
): Promise<CryptoKey> {
  const pem = await readLoginFile(path, `${label}: privateKeyFile`, clock);
  const der = decodePem(pem, path, label);
  try {
    return await crypto.subtle.importKey('pkcs8', der, IMPORTS[algorithm], false, ['sign']);
  } catch (error) {
    // The runtime's own message says no more and could quote.
    if (!(error instanceof Error)) throw error;
    throw new ConfigError(`${label}: privateKeyFile ${path} holds no key for ${algorithm}`, {
      hint: 'name the algorithm of the key: algorithm',
    });
  }
}

const PEM = /-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----([\s\S]*?)-----END/;

function decodePem(pem: string, path: string, label: string): Uint8Array<ArrayBuffer> {
  const [, form, body = ''] = PEM.exec(pem) ?? [];
  if (form === '') return Uint8Array.from(Buffer.from(body.replace(/\s+/g, ''), 'base64'));
  const problem =
    form === undefined
      ? 'holds no private key in PEM form (-----BEGIN PRIVATE KEY-----)'
      : `holds a key in another form (${form.trim()}), not PKCS #8 without a passphrase`;
  throw new ConfigError(`${label}: privateKeyFile ${path} ${problem}`, {
    hint: `openssl pkcs8 -topk8 -nocrypt -in ${path}`,
  });
}
