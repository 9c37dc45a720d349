/**
 * What a token endpoint answers, read with care: it may be sloppy (RFC 6749 5.1 and 5.2 in words of its own)
 * or hostile. Knows nothing of how it was asked.
 */
import { AuthError, ProtocolError } from '../base/errors.ts';
import { excerpt, mediaType, readText } from '../base/http.ts';
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { shorten } from '../base/text.ts';
import type { Tokens } from './types.ts';

/** The authorization server said no; `details.error` is its code (`invalid_grant`), where it gave one. */
export class TokenRefusedError extends AuthError {}

export interface AskedTokens {
  readonly scope: string | undefined;
  /** When the request was sent, milliseconds since 1970: `expires_in` counts from there. */
  readonly now: number;
  /** Whether a proof of our key went with the request. */
  readonly dpop: boolean;
  /** `Subject.label`, for texts; default none. */
  readonly label?: string;
}

/** 16 KiB: no header may be longer anyway. */
const MAX_TOKEN_CHARACTERS = 16 * 1024;
/** Ten years: nothing is promised for longer. */
const MAX_LIFETIME_S = 10 * 365 * 24 * 3600;
/** What may stand in a header and a form. @see RFC 6749 appendix A.12 */
const VISIBLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * The tokens of a successful answer, registered as secrets. `token_type` in any case, absent: bearer;
 * `expires_in` also as text, and taken as not said where it is no time to come; `scope` absent: as asked.
 * An ID token is ignored. Throws ProtocolError for anything that holds no usable token, AuthError for a
 * token bound to a key that was not ours. @see RFC 6749 5.1, RFC 9449 5
 */
export function readTokens(answer: JsonObject, asked: AskedTokens): Tokens {
  const where = asked.label === undefined ? '' : `${asked.label}: `;
  const accessToken = readToken(answer['access_token'], 'access_token', where);
  if (accessToken === undefined) {
    throw new ProtocolError(`${where}the authorization server answered without an access token`);
  }
  const refreshToken = readToken(answer['refresh_token'], 'refresh_token', where);
  const type = readType(answer['token_type'], asked.dpop, where);
  const scope = readScope(answer['scope'], asked.scope) ?? asked.scope;
  const lifetimeS = readLifetime(answer['expires_in']);
  return {
    accessToken,
    type,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    ...(lifetimeS === undefined ? {} : { expiresAt: asked.now + lifetimeS * 1000 }),
  };
}

function readToken(value: JsonValue | undefined, name: string, where: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') {
    registerSecret(value.slice(0, MAX_TOKEN_CHARACTERS));
    if (value.length <= MAX_TOKEN_CHARACTERS && VISIBLE.test(value)) return value;
  }
  throw new ProtocolError(`${where}the ${name} of the authorization server cannot be sent`, {
    hint: `a token is text of at most ${MAX_TOKEN_CHARACTERS / 1024} KiB without control characters`,
  });
}

function readType(
  value: JsonValue | undefined,
  isDpopAsked: boolean,
  where: string,
): Tokens['type'] {
  if (value === undefined || value === null || value === '') return 'bearer';
  const type = typeof value === 'string' ? value.toLowerCase() : '';
  if (type === 'bearer') return 'bearer';
  if (type !== 'dpop') {
    const named = shorten(excerpt(JSON.stringify(value)), 50);
    throw new ProtocolError(`${where}the authorization server gave a token of type ${named}`, {
      hint: 'usher sends bearer and DPoP tokens',
    });
  }
  if (isDpopAsked) return 'dpop';
  throw new AuthError(`${where}the authorization server bound a token to a key we did not send`);
}

/** Scope tokens with one space between. Some separate them by commas, some give a list. @see RFC 6749 3.3 */
function readScope(value: JsonValue | undefined, asked: string | undefined): string | undefined {
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (typeof text !== 'string' || text.length > MAX_TOKEN_CHARACTERS) return undefined;
  const isAsked = asked?.split(' ').includes(text) === true;
  const tokens = text.split(/\s/.test(text.trim()) || isAsked ? /\s+/ : /,/);
  const scope = tokens.filter((token) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(token)).join(' ');
  return scope === '' ? undefined : scope;
}

/** Whole seconds, 1 to ten years; `undefined` where the server did not say or said nonsense. */
function readLifetime(value: JsonValue | undefined): number | undefined {
  const isNumber = typeof value === 'string' && /^\d{1,20}(\.\d+)?$/.test(value.trim());
  const seconds = typeof value === 'number' ? value : isNumber ? Number(value) : 0;
  if (!(seconds >= 1)) return undefined;
  return Math.min(Math.floor(seconds), MAX_LIFETIME_S);
}

export interface TokenAnswer {
  readonly status: number;
  /** `undefined`: neither JSON nor a form. */
  readonly fields: JsonObject | undefined;
  /** `error` of the fields, when it is a text. */
  readonly error: string | undefined;
  /** Why not, in the server's words, safe to show; empty: it said nothing. */
  readonly reason: string;
}

const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_REASON_CHARACTERS = 300;
const MAX_CODE_CHARACTERS = 100;

/** Reads JSON whatever it is declared as, and a form. Throws LimitError beyond 1 MiB. */
export async function readAnswer(response: Response): Promise<TokenAnswer> {
  const text = await readText(response, MAX_ANSWER_BYTES);
  const json = tryParseJson(text);
  const form = json === undefined ? readForm(text, mediaType(response)) : undefined;
  const fields = isJsonObject(json) ? json : form;
  const { error, description } = readError(fields ?? {});
  const body = fields === undefined && !text.trimStart().startsWith('<') ? text : '';
  const words = error === undefined ? (description ?? body) : described(error, description);
  return {
    status: response.status,
    fields,
    error,
    reason: shorten(excerpt(words), MAX_REASON_CHARACTERS),
  };
}

/** Some answer so whatever was accepted, some without saying so. */
function readForm(text: string, type: string): JsonObject | undefined {
  const isForm =
    type === 'application/x-www-form-urlencoded' || /^(?:access_token|error)=/.test(text);
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : undefined;
}

/** `error` as RFC 6749 5.2 has it; some put an object there. */
function readError(fields: JsonObject): { error?: string; description?: string } {
  const { error } = fields;
  const inner = isJsonObject(error) ? error : {};
  const code = [error, inner['code'], inner['type']].find((value) => typeof value === 'string');
  const description = [fields['error_description'], inner['message'], fields['message']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return {
    ...(typeof code === 'string' && code !== ''
      ? { error: shorten(excerpt(code), MAX_CODE_CHARACTERS) }
      : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

function described(error: string, description: string | undefined): string {
  return description === undefined ? error : `${error} (${description})`;
}

/** True when the server does not know our client (any more). @see RFC 6749 5.2 */
export function isForgotten(error: unknown): boolean {
  return isRefusedWith(error, 'invalid_client');
}

/** @see RFC 6749 5.2 for the words. */
export function isRefusedWith(error: unknown, word: string): error is TokenRefusedError {
  return error instanceof TokenRefusedError && error.details['error'] === word;
}
