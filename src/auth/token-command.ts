/** `auth: {type: command}`: a bearer token from a program of the user's, bare or as an OAuth answer. */
import type { Clock } from '../base/clock.ts';
import type { AppError } from '../base/errors.ts';
import type { Fetch } from '../base/http.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { createHeaderSource, type HeaderSource } from './header-source.ts';
import {
  type CommandOutput,
  type CommandPorts,
  type CredentialCommand,
  runCredentialCommand,
} from './run-command.ts';

export interface CommandToken {
  readonly token: string;
  /** Milliseconds since 1970; `undefined`: not said. */
  readonly expiresAt: number | undefined;
}

/** 10 s: it may have to ask somebody over a network, and connecting to the server ends after 15 s. */
export const TOKEN_COMMAND_MS = 10_000;
/** How long before its end a token is taken for spent. */
const MARGIN_MS = 30_000;

/**
 * Runs the command once and registers the token. Rejects with AuthError that shows the end of its stderr,
 * never its stdout, or with the signal's reason; no process is left in any case.
 */
export async function runTokenCommand(
  command: CredentialCommand,
  ports: CommandPorts,
  signal: AbortSignal,
): Promise<CommandToken> {
  const settings = { key: 'auth.command', limitMs: TOKEN_COMMAND_MS };
  // A lifetime counts from when it was asked for, whatever the program takes.
  const askedAt = ports.clock.date().getTime();
  return readToken(await runCredentialCommand(command, settings, ports, signal), askedAt);
}

/**
 * Sends the token that `run` gives: kept until 30 s before its end (half its lifetime when that is shorter),
 * without an end until the server refuses it. After a 401 `run` is asked once more, and the request repeated.
 */
export function createTokenCommandSource(
  run: () => Promise<CommandToken>,
  clock: Clock,
): HeaderSource {
  let staleAt: number | undefined;
  let runs = 0;
  const source = createHeaderSource(async () => {
    runs += 1;
    const own = runs;
    staleAt = undefined;
    const { token, expiresAt } = await run();
    const now = clock.date().getTime();
    if (own === runs && expiresAt !== undefined) {
      staleAt = expiresAt - Math.min(MARGIN_MS, Math.max(0, expiresAt - now) / 2);
    }
    return { authorization: `Bearer ${token}` };
  });
  return {
    reset() {
      staleAt = undefined;
      source.reset();
    },
    wrap(fetch) {
      const inner = source.wrap(fetch);
      const fresh: Fetch = async (url, init) => {
        if (staleAt !== undefined && clock.date().getTime() >= staleAt) {
          staleAt = undefined;
          source.reset();
        }
        return inner(url, init);
      };
      return Object.assign(fresh, fetch);
    },
  };
}

/** Fields of an answer that are secrets, whether they are used or not. */
const SECRETS = ['access_token', 'refresh_token', 'id_token'] as const;

function readToken({ stdout, refused }: CommandOutput, askedAt: number): CommandToken {
  const text = stdout.trim();
  if (text === '') throw refused(' printed no token', true);
  if (!/^["[{]/.test(text)) {
    registerSecret(text);
    return { token: checked(text, 'what it printed', refused), expiresAt: undefined };
  }
  const answer = tryParseJson(text);
  if (!isJsonObject(answer)) {
    throw refused(' has to print a token, or one JSON object with access_token', true);
  }
  for (const key of SECRETS) {
    const value = answer[key];
    if (typeof value === 'string') registerSecret(value.trim());
  }
  const token = answer['access_token'];
  if (typeof token !== 'string' || token.trim() === '') {
    throw refused(': access_token is missing or no text', true);
  }
  const type = answer['token_type'];
  if (type !== undefined && (typeof type !== 'string' || type.toLowerCase() !== 'bearer')) {
    throw refused(': token_type is not Bearer');
  }
  return {
    token: checked(token.trim(), 'access_token', refused),
    expiresAt: endOf(answer, askedAt, refused),
  };
}

/** @see RFC 9110 11.4: no blanks, no control characters; what RFC 6750 2.1 allows and a little more. */
function checked(token: string, name: string, refused: CommandOutput['refused']): string {
  if (/[\u0000-\u001f\u007f]/.test(token)) {
    throw refused(`: ${name} has a line break or control character in it`);
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw refused(`: ${name} is no token alone; no "Bearer " before it, no other text`);
}

/** Seconds from now, or a time: seconds or milliseconds since 1970, or as ISO 8601 writes it. */
function endOf(
  answer: JsonObject,
  askedAt: number,
  refused: (what: string) => AppError,
): number | undefined {
  const { expires_in: lifetime, expires_at: end } = answer;
  if (lifetime !== undefined && lifetime !== null) {
    const seconds = numberOf(lifetime);
    if (seconds === undefined || seconds <= 0)
      throw refused(': expires_in is no number of seconds');
    return askedAt + seconds * 1000;
  }
  if (end === undefined || end === null) return undefined;
  const number = numberOf(end);
  const time =
    number === undefined ? Date.parse(String(end)) : number < MIN_MS ? number * 1000 : number;
  if (Number.isNaN(time)) throw refused(': expires_at is no time');
  return time;
}

/** A smaller number is meant as seconds: it would be a day of 1973 otherwise. */
const MIN_MS = 1e11;

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}
