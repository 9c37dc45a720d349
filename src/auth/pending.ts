/**
 * A sign-in in two commands, for machines without a browser and without a person at the terminal: the first one
 * gives the address, the second one takes what the browser ended at. In between a private file remembers it.
 */
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import type { Clock } from '../base/clock.ts';
import { AuthError, FailedError } from '../base/errors.ts';
import { fileReason, writeAtomic } from '../base/files.ts';
import { sha256Hex } from '../base/hash.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { readPrivate } from '../base/private-file.ts';
import { registerSecret } from '../base/redact.ts';
import { acceptAnswer } from './authorization-answer.ts';
import { type AuthorizationTarget, startAuthorization } from './authorization-url.ts';
import { type AuthorizedCode, hostNotes } from './authorize.ts';
import { openCallback } from './callback.ts';
import { callbackAddress, DEFAULT_HOST, DEFAULT_PATH } from './callback-address.ts';
import { checkLoginFolder, makeLoginFolder, noLoginFolder, removeFile } from './login-folder.ts';
import { readPasted } from './pasted.ts';
import type {
  Discovery,
  DpopKey,
  OAuthSettings,
  RegisteredClient,
  ServerMetadata,
  Subject,
} from './types.ts';

export interface PendingPorts {
  readonly clock: Clock;
  /** Absolute; `undefined`: nothing can be kept, which is a FailedError. */
  readonly stateDir: string | undefined;
}

export interface PendingRequest extends AuthorizationTarget {
  /** Kept for the second command; `dpopJkt` is its thumbprint. */
  readonly dpopKey?: DpopKey;
}

export interface PendingStart {
  readonly url: string;
  /** What to do with it, for stderr. */
  readonly lines: readonly string[];
}

export interface PendingAnswer {
  readonly code: AuthorizedCode;
  readonly discovery: Discovery;
  readonly client: RegisteredClient;
  readonly scope: string | undefined;
  readonly dpopKey: DpopKey | undefined;
  /** Puts the sign-in back: the code was none of its, another one may be. */
  readonly putBack: () => void;
}

/** 10 minutes: no code lives longer. @see RFC 6749 4.1.2 */
export const PENDING_MS = 10 * 60_000;
const MAX_FILE_BYTES = 256 * 1024;

/**
 * Where the browser will end, which must be known before the client is registered: `callbackUrl`, `callbackPort`,
 * else a port of this machine that is free now. Nobody will listen there. Errors as `openCallback`, but for a
 * port that is taken: that does no harm here.
 */
export async function pendingRedirectUri(
  settings: OAuthSettings,
  preferredRedirectUri: string | undefined,
  clock: Clock,
): Promise<string> {
  const { redirectUri, port, isOptional } = callbackAddress(settings, preferredRedirectUri);
  if (redirectUri !== undefined) return redirectUri;
  if (port !== 0 && !isOptional) return `http://${DEFAULT_HOST}:${port}${DEFAULT_PATH}`;
  const listener = await openCallback(settings, preferredRedirectUri, clock);
  await listener.close();
  return listener.redirectUri;
}

/** Replaces an earlier one of the same subject. Errors as `startAuthorization`, FailedError when it cannot be kept. */
export function startPending(request: PendingRequest, ports: PendingPorts): PendingStart {
  const { subject, discovery, client, scope, redirectUri, dpopKey } = request;
  const path = pathOf(subject, ports);
  const { url, state, verifier } = startAuthorization(request);
  const created = ports.clock.date().getTime();
  const record = {
    ...{ version: 1, key: subject.key, created, state, verifier, redirectUri },
    ...{ discovery, client, scope, dpopKey },
  };
  attempt(path, () => {
    makeLoginFolder(dirname(path));
    writeAtomic(path, `${JSON.stringify(record)}\n`);
  });
  return { url, lines: linesFor(request, url) };
}

/**
 * Checks what was pasted against the kept sign-in, which is used up by it; an answer of another sign-in, or nothing
 * that can be read, leaves it. AuthError for those, when none is kept or its 10 minutes are over, when it was
 * refused; FailedError for a file that cannot be trusted.
 */
export function finishPending(subject: Subject, text: string, ports: PendingPorts): PendingAnswer {
  const path = pathOf(subject, ports);
  const record = readRecord(subject, path);
  const age = ports.clock.date().getTime() - record.created;
  if (Math.abs(age) > PENDING_MS) {
    remove(path);
    throw again(subject, 'the address was printed more than 10 minutes ago and no longer counts');
  }
  const pasted = readPasted(text);
  if (pasted.kind === 'unusable') {
    throw new AuthError(`${subject.label}: ${pasted.why}`, { hint: `${subject.command} --code -` });
  }
  const { state, verifier, redirectUri, discovery, client, scope, dpopKey } = record;
  let params: URLSearchParams;
  try {
    params = acceptAnswer(pasted, { subject, metadata: discovery.metadata, state });
  } catch (error) {
    // Whatever else is wrong with an answer of another sign-in, it says nothing about this one.
    const isOther = pasted.kind === 'answer' && pasted.params.get('state') !== state;
    if (!isOther) remove(path);
    throw error;
  }
  // Whoever removes it uses it: a second command at the same time finds none.
  if (!remove(path)) throw nonePending(subject);
  const putBack = () =>
    attempt(path, () => writeAtomic(path, `${JSON.stringify({ ...record, version: 1 })}\n`));
  return { code: { params, verifier, redirectUri }, discovery, client, scope, dpopKey, putBack };
}

/** False: none was kept. For signing out. */
export function dropPending(subject: Subject, ports: PendingPorts): boolean {
  return ports.stateDir !== undefined && remove(pathOf(subject, ports));
}

function pathOf(subject: Subject, { stateDir }: PendingPorts): string {
  if (stateDir === undefined) throw noLoginFolder(subject.label);
  return join(stateDir, 'logins', `pending-${sha256Hex(subject.key)}.json`);
}

const text = v.pipe(v.string(), v.minLength(1));

/** A private file of our own: metadata and client were checked before they were written; this finds a broken one. */
const recordSchema = v.object({
  version: v.literal(1),
  key: text,
  created: v.pipe(v.number(), v.finite()),
  state: text,
  verifier: text,
  redirectUri: text,
  discovery: v.object({
    resource: v.optional(text),
    resourceScopes: v.optional(v.array(v.string())),
    isLegacy: v.boolean(),
    metadata: v.custom<ServerMetadata>((value) => hasTexts(value, ['issuer', 'token_endpoint'])),
  }),
  client: v.custom<RegisteredClient>((value) => hasTexts(value, ['clientId', 'method', 'kind'])),
  scope: v.optional(v.string()),
  dpopKey: v.optional(v.custom<JsonObject>(isJsonObject)),
});

type PendingRecord = Readonly<v.InferOutput<typeof recordSchema>> & {
  readonly discovery: Discovery;
};

function readRecord(subject: Subject, path: string): PendingRecord {
  const content = attempt(path, () => {
    checkLoginFolder(dirname(path));
    return readPrivate(path, MAX_FILE_BYTES);
  });
  if (content === undefined) throw nonePending(subject);
  const parsed = v.safeParse(recordSchema, tryParseJson(content));
  if (!parsed.success || parsed.output.key !== subject.key) {
    throw new FailedError(`${path} is not readable as a sign-in; it is not used`, {
      hint: `remove ${path}`,
    });
  }
  const { state, verifier, client, discovery, ...rest } = parsed.output;
  for (const secret of [state, verifier, client.clientSecret]) {
    if (secret !== undefined) registerSecret(secret);
  }
  const { resource, resourceScopes, isLegacy, metadata } = discovery;
  return {
    ...rest,
    ...{ state, verifier, client },
    discovery: { resource, resourceScopes, isLegacy, metadata },
  };
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isJsonObject(value) && names.every((name) => typeof value[name] === 'string');
}

function linesFor({ subject, discovery, redirectUri }: PendingRequest, url: string): string[] {
  return [
    `open the address in a browser, on any machine, and sign in to ${subject.label}`,
    ...hostNotes(url, discovery.metadata.issuer),
    `the browser ends with an error page, because nothing answers at ${redirectUri}: that is right`,
    'copy the whole address of that page and hand it over within 10 minutes, on stdin:',
    `${subject.command} --code -`,
  ];
}

function nonePending(subject: Subject): AuthError {
  return again(subject, 'no sign-in waits for a code');
}

function again(subject: Subject, why: string): AuthError {
  return new AuthError(`${subject.label}: ${why}`, { hint: `${subject.command} --print-url` });
}

/** False: it was not there. */
function remove(path: string): boolean {
  return attempt(path, () => removeFile(path));
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // What the system says of the file; our own errors carry no `errno`.
    if (!(error instanceof Error) || !('errno' in error)) throw error;
    throw new FailedError(`${path}: ${fileReason(error)}`, { cause: error });
  }
}
