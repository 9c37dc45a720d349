/**
 * Seals what is kept in a file by a random key that the OS keyring keeps. The keyring itself is written once per
 * login: a refreshed token changes the file alone, at once, and is not lost when the keyring is locked meanwhile.
 */
import { AuthError } from '../base/errors.ts';
import { randomHex } from '../base/hash.ts';
import { registerSecret } from '../base/redact.ts';
import type { Keyring, KeyringName } from './keyring.ts';
import { KEYRING_HINT } from './keyring-process.ts';
import type { SealedEntry } from './store-file.ts';

export interface Vault {
  /** `undefined`: the keyring has lost the key. Throws AuthError when it cannot be asked. */
  open(entry: SealedEntry): Promise<string | undefined>;
  /**
   * Under the key of `previous`, else under a new one. `undefined`: no keyring is usable here. Throws AuthError when
   * the keyring is there and does not do it.
   */
  seal(
    key: string,
    text: string,
    previous: SealedEntry | undefined,
  ): Promise<SealedEntry | undefined>;
  /** Takes the key out of the keyring. Throws AuthError when it cannot be asked. */
  forget(entry: SealedEntry): Promise<void>;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** `find` looks for the keyring, at the first need of it. */
export function createVault(find: () => Keyring | undefined): Vault {
  let looked: { readonly keyring: Keyring | undefined } | undefined;
  const here = () => {
    looked ??= { keyring: find() };
    return looked.keyring;
  };
  /** Keys of seals that this process has seen, by item. */
  const known = new Map<string, string>();
  let usable: Promise<boolean> | undefined;

  const ask = (entry: { readonly key: string; readonly keyring: KeyringName }): Keyring => {
    const keyring = here();
    if (keyring?.name === entry.keyring) return keyring;
    throw new AuthError(
      `the login for ${entry.key} is kept by the OS keyring (${entry.keyring}), which is not there`,
      { hint: KEYRING_HINT, details: { sent: false } },
    );
  };
  const keyOf = async (entry: SealedEntry): Promise<string | undefined> => {
    const found = known.get(entry.item) ?? (await ask(entry).get(entry.item));
    if (found === undefined || !/^[0-9a-f]{64}$/.test(found)) return undefined;
    remember(entry.item, found);
    return found;
  };
  const remember = (item: string, key: string) => {
    registerSecret(key);
    known.set(item, key);
  };

  return {
    async open(entry) {
      const found = await keyOf(entry);
      return found === undefined ? undefined : unseal(found, entry);
    },
    async seal(key, text, previous) {
      const old = previous === undefined ? undefined : await keyOf(previous);
      if (previous !== undefined && old !== undefined) {
        return { ...previous, sealed: await sealed(old, key, text) };
      }
      const keyring = here();
      usable ??= keyring?.isUsable();
      if (keyring === undefined || (await usable) !== true) return undefined;
      const item = `${key}#${randomHex(8)}`;
      const fresh = randomHex(KEY_BYTES);
      registerSecret(fresh);
      await keyring.set(item, fresh);
      remember(item, fresh);
      const { name } = keyring;
      return {
        version: 1,
        kind: 'sealed',
        key,
        keyring: name,
        item,
        sealed: await sealed(fresh, key, text),
      };
    },
    async forget(entry) {
      await ask(entry).delete(entry.item);
      known.delete(entry.item);
    },
  };
}

async function sealed(hexKey: string, label: string, text: string): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const bytes = await crypto.subtle.encrypt(
    gcm(nonce, label),
    await importKey(hexKey),
    Buffer.from(text),
  );
  return Buffer.concat([nonce, new Uint8Array(bytes)]).toString('base64');
}

/** `undefined`: another key, another login's seal, or changed bytes. */
async function unseal(hexKey: string, entry: SealedEntry): Promise<string | undefined> {
  const bytes = Buffer.from(entry.sealed, 'base64');
  const nonce = new Uint8Array(bytes.subarray(0, NONCE_BYTES));
  const body = new Uint8Array(bytes.subarray(NONCE_BYTES));
  try {
    const key = await importKey(hexKey);
    return Buffer.from(await crypto.subtle.decrypt(gcm(nonce, entry.key), key, body)).toString();
  } catch (error) {
    // OperationError: the seal does not hold; a DOMException of WebCrypto says no more.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** The seal of one login opens no other. */
function gcm(nonce: Uint8Array<ArrayBuffer>, label: string) {
  return { name: 'AES-GCM', iv: nonce, additionalData: Buffer.from(label) };
}

function importKey(hexKey: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', Buffer.from(hexKey, 'hex'), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ]);
}
