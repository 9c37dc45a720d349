/**
 * The first step of a sign-in on another device: asks for a code and judges what comes. Nothing of it is told or
 * opened before all of it has been looked at.
 * @see RFC 8628 3.1 and 3.2
 */
import { AuthError, ProtocolError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import type { JsonObject } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { shorten } from '../base/text.ts';
import { clientForm } from './client-auth.ts';
import type { DeviceRequest } from './device.ts';
import { addressProblem } from './metadata-urls.ts';
import { checkAddress, loginFetch } from './request.ts';
import { readAnswer, TokenRefusedError } from './token-answer.ts';
import { refusalHint } from './token-request.ts';
import type { AuthPorts, Subject } from './types.ts';

export interface DeviceStart {
  readonly deviceCode: string;
  /** On one line, safe to show. */
  readonly userCode: string;
  /** As a URL is written: safe to show. */
  readonly uri: string;
  /** The same with the code in it, on the origin of `uri`. */
  readonly completeUri: string | undefined;
  /** `undefined`: the server does not say. */
  readonly lifeMs: number | undefined;
  readonly intervalMs: number;
}

const DEFAULT_INTERVAL_MS = 5000;
/** Nobody types in a code faster. */
const MIN_INTERVAL_MS = 1000;
const MAX_CODE_CHARACTERS = 64;
const MAX_FIELD_CHARACTERS = 2048;

/**
 * Rejects with AuthError when the server offers no device flow, refuses, or names an address that is not safe to
 * use; ConnectError for one that is not public; ProtocolError for an answer without a code; as `loginFetch` does.
 */
export async function startDevice(
  { subject, discovery, client, scope }: DeviceRequest,
  ports: AuthPorts,
  signal: AbortSignal,
): Promise<DeviceStart> {
  const { metadata, resource } = discovery;
  const { device_authorization_endpoint: endpoint, issuer } = metadata;
  if (endpoint === undefined) {
    throw new AuthError(`${subject.label}: ${issuer} offers no sign-in by another device`, {
      hint: `${subject.command} --print-url does without a browser here as well`,
    });
  }
  const form = await clientForm({ subject, client, ports }, issuer, { scope, resource });
  const answer = await readAnswer(await loginFetch(ports, signal, subject.label)(endpoint, form));
  const { fields, status, error, reason } = answer;
  if (status < 200 || status > 299 || fields === undefined || error !== undefined) {
    const because = reason === '' ? `HTTP ${status}` : reason;
    throw new TokenRefusedError(`${subject.label}: no code for another device: ${because}`, {
      hint:
        refusalHint({ subject, client }, error) ??
        `${subject.command} --print-url does without a browser here as well`,
      details: { status, ...(error === undefined ? {} : { error }) },
    });
  }
  const started = readStart(fields, subject, issuer);
  await checkAddress(ports.fetch, started.uri, subject.label);
  return started;
}

function readStart(fields: JsonObject, { label }: Subject, issuer: string): DeviceStart {
  const textOf = (name: string) => {
    const value = fields[name];
    const isFit = typeof value === 'string' && value !== '' && value.length <= MAX_FIELD_CHARACTERS;
    return isFit ? value : undefined;
  };
  const addressOf = (name: string) => {
    const text = textOf(name);
    const problem = text === undefined ? undefined : addressProblem(text, issuer);
    if (problem === undefined) return text === undefined ? undefined : new URL(text);
    throw new AuthError(`${label}: the address to type the code in at is not usable: ${problem}`);
  };
  const deviceCode = textOf('device_code');
  const userCode = textOf('user_code');
  // Google wrote it so before the standard.
  const uri = addressOf('verification_uri') ?? addressOf('verification_url');
  if (deviceCode === undefined || userCode === undefined || uri === undefined) {
    throw new ProtocolError(`${label}: ${issuer} gave no code for another device`);
  }
  registerSecret(deviceCode);
  const complete = addressOf('verification_uri_complete');
  const intervalMs = millisecondsOf(fields['interval']) ?? DEFAULT_INTERVAL_MS;
  return {
    deviceCode,
    userCode: excerpt(shorten(userCode, MAX_CODE_CHARACTERS)),
    uri: uri.href,
    // What opens has to be where the person was told that it leads.
    completeUri: complete?.origin === uri.origin ? complete.href : undefined,
    lifeMs: millisecondsOf(fields['expires_in']),
    intervalMs: Math.max(intervalMs, MIN_INTERVAL_MS),
  };
}

/** `undefined` for what is no positive number of seconds. */
function millisecondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds)
    ? seconds * 1000
    : undefined;
}
