/**
 * A sign-in on another device: a code is told to the person, the server is asked until they have typed it in.
 * @see RFC 8628
 */
import { raceAbort, startLimit } from '../base/abort.ts';
import { sleep } from '../base/clock.ts';
import { AppError, AuthError, ConnectError, ProtocolError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';
import { hostNotes } from './authorize.ts';
import { clientAuth } from './client-auth.ts';
import { addressProblem } from './metadata-urls.ts';
import { loginFetch } from './request.ts';
import { readAnswer } from './token-answer.ts';
import { requestTokens } from './token-request.ts';
import type {
  AuthPorts,
  Discovery,
  DpopKey,
  Interaction,
  RegisteredClient,
  Subject,
  Tokens,
} from './types.ts';

export interface DeviceRequest {
  readonly subject: Subject;
  readonly discovery: Discovery;
  readonly client: RegisteredClient;
  readonly scope: string | undefined;
  readonly dpopKey?: DpopKey;
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** However long the server would wait. */
const MAX_WAIT_MS = 15 * 60_000;
const DEFAULT_INTERVAL_MS = 5000;
/** Also what `slow_down` adds. @see RFC 8628 3.5 */
const SLOWER_MS = 5000;
/** In a row; a network that is gone for longer is no blip. */
const MAX_BLIPS = 5;
const MAX_CODE_CHARACTERS = 64;
const MAX_FIELD_CHARACTERS = 2048;

/**
 * Tells the code and waits for the person. Rejects with AuthError when the server offers no device flow, when
 * the person refuses, or when the time is over; otherwise as `requestTokens`, or with the signal's reason.
 */
export async function deviceLogin(
  request: DeviceRequest,
  ports: AuthPorts,
  interaction: Interaction,
  signal: AbortSignal,
): Promise<Tokens> {
  const started = await begin(request, ports, signal);
  const over = () => tooLate(request.subject);
  const limit = startLimit(ports.clock, Math.min(started.lifeMs, MAX_WAIT_MS), over);
  const stop = AbortSignal.any([signal, limit.signal]);
  try {
    interaction.tell(linesFor(request, started));
    // Whether it opens matters to nobody: the address has been told.
    void interaction.openUrl?.(started.completeUri ?? started.uri).catch(() => undefined);
    return await raceAbort(poll(request, started, ports, stop), stop);
  } finally {
    limit.dispose();
  }
}

interface Started {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly uri: string;
  readonly completeUri: string | undefined;
  readonly lifeMs: number;
  readonly intervalMs: number;
}

async function begin(
  { subject, discovery, client, scope }: DeviceRequest,
  ports: AuthPorts,
  signal: AbortSignal,
): Promise<Started> {
  const { metadata, resource } = discovery;
  const { device_authorization_endpoint: endpoint, issuer } = metadata;
  if (endpoint === undefined) {
    throw new AuthError(`${subject.label}: ${issuer} offers no sign-in by another device`, {
      hint: `${subject.command} --print-url does without a browser here as well`,
    });
  }
  const body = new URLSearchParams();
  if (scope !== undefined) body.set('scope', scope);
  if (resource !== undefined) body.set('resource', resource);
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  });
  const authenticate = await clientAuth({ subject, client, ports });
  await authenticate({ issuer }, { client_id: client.clientId }, body, headers);
  const send = loginFetch(ports, signal, subject.label);
  const outgoing = { method: 'POST', headers: Object.fromEntries(headers), body: body.toString() };
  const answer = await readAnswer(await send(endpoint, { ...outgoing, method: 'POST' as const }));
  const { fields, status, reason } = answer;
  if (status < 200 || status > 299 || fields === undefined || answer.error !== undefined) {
    const because = reason === '' ? `HTTP ${status}` : reason;
    throw new AuthError(`${subject.label}: no code for another device: ${because}`, {
      hint: `${subject.command} --print-url does without a browser here as well`,
      details: { status },
    });
  }
  return readStarted(fields, subject, issuer);
}

function readStarted(fields: JsonObject, { label }: Subject, issuer: string): Started {
  const textOf = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' && value.length <= MAX_FIELD_CHARACTERS
      ? value
      : undefined;
  };
  const deviceCode = textOf('device_code');
  const userCode = textOf('user_code');
  // Google wrote it so before the standard.
  const uri = textOf('verification_uri') ?? textOf('verification_url');
  if (deviceCode === undefined || userCode === undefined || uri === undefined) {
    throw new ProtocolError(`${label}: ${issuer} gave no code for another device`);
  }
  registerSecret(deviceCode);
  const completeUri = textOf('verification_uri_complete');
  for (const address of [uri, ...(completeUri === undefined ? [] : [completeUri])]) {
    const problem = addressProblem(address, issuer);
    if (problem !== undefined) {
      throw new AuthError(`${label}: the address to type the code in at is not usable: ${problem}`);
    }
  }
  const lifeMs = secondsOf(fields['expires_in']) ?? MAX_WAIT_MS;
  const intervalMs = secondsOf(fields['interval']) ?? DEFAULT_INTERVAL_MS;
  return {
    deviceCode,
    userCode: userCode.slice(0, MAX_CODE_CHARACTERS),
    uri,
    completeUri,
    lifeMs,
    intervalMs,
  };
}

/** Milliseconds; `undefined` for what is no positive number. */
function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds)
    ? seconds * 1000
    : undefined;
}

async function poll(
  request: DeviceRequest,
  started: Started,
  ports: AuthPorts,
  signal: AbortSignal,
): Promise<Tokens> {
  const { subject, discovery, client, scope, dpopKey } = request;
  const { metadata, resource } = discovery;
  const context = { subject, metadata, client, resource, scope, dpopKey, ports, signal };
  let intervalMs = started.intervalMs;
  for (let blips = 0; ; ) {
    await sleep(ports.clock, intervalMs, signal);
    try {
      return await requestTokens(context, {
        grantType: DEVICE_GRANT,
        parameters: { device_code: started.deviceCode },
        what: 'the code of the other device',
      });
    } catch (error) {
      signal.throwIfAborted();
      const said = errorOf(error);
      if (said === 'authorization_pending') blips = 0;
      else if (said === 'slow_down') intervalMs += SLOWER_MS;
      else if (said === 'expired_token') throw tooLate(subject);
      else if (said === 'access_denied') throw refused(subject);
      else if (error instanceof ConnectError && error.retryable && blips < MAX_BLIPS) blips += 1;
      else throw error;
    }
  }
}

function errorOf(error: unknown): unknown {
  return error instanceof AppError && isJsonObject(error.details)
    ? error.details['error']
    : undefined;
}

function linesFor(
  { subject, discovery }: DeviceRequest,
  { uri, userCode }: Started,
): readonly string[] {
  return [
    `to sign in to ${subject.label}, open this address on any device:`,
    shorten(escapeForTerminal(uri), MAX_FIELD_CHARACTERS),
    ...hostNotes(uri, discovery.metadata.issuer),
    `and type in the code: ${escapeForTerminal(userCode)}`,
  ];
}

function tooLate({ label, command }: Subject): AuthError {
  return new AuthError(`${label}: the code was not typed in in time`, {
    hint: `${command} --device gives a new one`,
  });
}

function refused({ label, command }: Subject): AuthError {
  return new AuthError(`${label}: the sign-in was refused on the other device`, { hint: command });
}
