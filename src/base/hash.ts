/** Hashes by Bun's own hasher: importing `node:crypto` costs 2 ms at start (Bun 1.4.5). */

import { utf8Pieces } from './utf8.ts';

/** SHA-256 in hexadecimal, 64 characters. */
export function sha256Hex(data: string | Uint8Array): string {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const piece of typeof data === 'string' ? utf8Pieces(data) : [data]) hasher.update(piece);
  return hasher.digest('hex');
}

/** `bytes` random bytes in hexadecimal. */
export function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}
