/**
 * One file per login: `<folder>/<SHA-256 of its key>.json`, mode 0600 in a folder 0700. It holds the login itself,
 * or the login sealed by a key that the OS keyring keeps. A file that cannot be trusted is named, never repaired.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { AppError, FailedError } from '../base/errors.ts';
import { fileReason, isMissing, writeAtomic } from '../base/files.ts';
import { sha256Hex } from '../base/hash.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { readPrivate } from '../base/private-file.ts';
import { checkLoginFolder, makeLoginFolder, removeFile } from './login-folder.ts';
import type { StoredLogin } from './types.ts';

const text = v.pipe(v.string(), v.minLength(1));
const time = v.pipe(v.number(), v.finite());
const texts = v.array(v.string());

/** Loose: what another version knows of a server is kept. */
const metadataSchema = v.looseObject({
  issuer: text,
  token_endpoint: text,
  authorization_endpoint: v.exactOptional(text),
  registration_endpoint: v.exactOptional(text),
  revocation_endpoint: v.exactOptional(text),
  device_authorization_endpoint: v.exactOptional(text),
  scopes_supported: v.exactOptional(texts),
  grant_types_supported: v.exactOptional(texts),
  token_endpoint_auth_methods_supported: v.exactOptional(texts),
  code_challenge_methods_supported: v.exactOptional(texts),
  dpop_signing_alg_values_supported: v.exactOptional(texts),
  client_id_metadata_document_supported: v.exactOptional(v.boolean()),
  authorization_response_iss_parameter_supported: v.exactOptional(v.boolean()),
});

const clientSchema = v.looseObject({
  clientId: text,
  clientSecret: v.exactOptional(text),
  method: v.picklist(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
  kind: v.picklist(['configured', 'cimd', 'dcr']),
  redirectUri: v.exactOptional(text),
  scope: v.exactOptional(v.string()),
  secretExpiresAt: v.exactOptional(time),
});

const tokensSchema = v.looseObject({
  accessToken: text,
  type: v.picklist(['bearer', 'dpop']),
  refreshToken: v.exactOptional(text),
  scope: v.exactOptional(v.string()),
  expiresAt: v.exactOptional(time),
});

const loginSchema = v.looseObject({
  key: text,
  resource: v.exactOptional(text),
  metadata: metadataSchema,
  client: clientSchema,
  tokens: tokensSchema,
  dpopKey: v.exactOptional(v.custom<JsonObject>(isJsonObject)),
  refusedScopes: v.exactOptional(texts),
  savedAt: time,
});

const sealedSchema = v.object({
  version: v.literal(1),
  kind: v.literal('sealed'),
  key: text,
  /** Which bridge keeps the key of the seal, and under what. */
  keyring: v.picklist(['secret-tool', 'security']),
  item: text,
  /** Base64: 12 bytes of nonce, then AES-256-GCM over the login's JSON. */
  sealed: text,
});

const entrySchema = v.variant('kind', [
  v.object({ version: v.literal(1), kind: v.literal('login'), login: loginSchema }),
  sealedSchema,
]);

export type SealedEntry = Readonly<v.InferOutput<typeof sealedSchema>>;
export type Entry = { readonly kind: 'login'; readonly login: StoredLogin } | SealedEntry;

/** 256 KiB. */
export const MAX_LOGIN_BYTES = 256 * 1024;
/** A list looks at no more. */
const MAX_FILES = 1000;

/** `undefined`: there is none. Throws FailedError, with what to do, for a file that cannot be used. */
export function readEntry(folder: string, key: string): Entry | undefined {
  attempt(folder, () => checkLoginFolder(folder));
  const entry = readEntryAt(entryPath(folder, key));
  if (entry !== undefined && keyOf(entry) !== key) throw broken(entryPath(folder, key));
  return entry;
}

/** Throws FailedError when it cannot be written, or would be too large to be read again; the old file stays then. */
export function writeEntry(folder: string, entry: Entry): void {
  const path = entryPath(folder, keyOf(entry));
  const content = `${JSON.stringify({ ...entry, version: 1 })}\n`;
  if (Buffer.byteLength(content) > MAX_LOGIN_BYTES) {
    throw new FailedError(`the login for ${keyOf(entry)} has more than 256 KiB and is not kept`);
  }
  attempt(path, () => {
    makeLoginFolder(folder);
    writeAtomic(path, content);
  });
}

/** False: there was none. Takes away whatever file has that name, a broken one too: it was asked for by name. */
export function removeEntry(folder: string, key: string): boolean {
  const path = entryPath(folder, key);
  return attempt(path, () => {
    checkLoginFolder(folder);
    return removeFile(path);
  });
}

/** Keys of all logins, sorted. `onProblem` is told of each file that cannot be used. */
export function listKeys(folder: string, onProblem: (error: AppError) => void): readonly string[] {
  const keys: string[] = [];
  for (const name of namesIn(folder)) {
    try {
      const entry = readEntryAt(join(folder, name));
      if (entry === undefined) continue;
      if (nameOf(keyOf(entry)) !== name) throw broken(join(folder, name));
      keys.push(keyOf(entry));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      onProblem(error);
    }
  }
  return keys.sort();
}

/** The login in a text, if it is one. */
export function parseLogin(json: string): StoredLogin | undefined {
  const parsed = v.safeParse(loginSchema, tryParseJson(json));
  return parsed.success ? parsed.output : undefined;
}

/** Where the login of this key is kept. */
export function entryPath(folder: string, key: string): string {
  return join(folder, nameOf(key));
}

function nameOf(key: string): string {
  return `${sha256Hex(key)}.json`;
}

function keyOf(entry: Entry): string {
  return entry.kind === 'sealed' ? entry.key : entry.login.key;
}

function readEntryAt(path: string): Entry | undefined {
  const content = attempt(path, () => readPrivate(path, MAX_LOGIN_BYTES));
  if (content === undefined) return undefined;
  const parsed = v.safeParse(entrySchema, tryParseJson(content));
  if (!parsed.success) throw broken(path);
  return parsed.output;
}

function namesIn(folder: string): readonly string[] {
  const names = attempt(folder, () => {
    checkLoginFolder(folder);
    try {
      return readdirSync(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  });
  return names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name)).slice(0, MAX_FILES);
}

function broken(path: string): FailedError {
  return new FailedError(`${path} is no login file of this usher; it is not used`, {
    hint: `remove ${path} and sign in again`,
  });
}

/** The system's errors in plain words; all of it FailedError. */
function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FailedError) throw error;
    const isOurs = error instanceof AppError;
    throw new FailedError(isOurs ? error.message : `${path}: ${fileReason(error)}`, {
      cause: error,
      ...(isOurs ? { hint: `remove ${path} and sign in again` } : {}),
    });
  }
}
