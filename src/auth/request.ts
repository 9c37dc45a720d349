/**
 * Requests to authorization servers: bounded in time and bytes, guarded, redirected only where that cannot
 * carry a secret away. A body is never quoted in an error: it could hold a token.
 */
import { anySignal, raceAbort, startLimit } from '../base/abort.ts';
import { hostKind } from '../base/address.ts';
import {
  AppError,
  AuthError,
  ConnectError,
  LimitError,
  ProtocolError,
  toAppError,
} from '../base/errors.ts';
import { RefusedAddressError } from '../base/guard.ts';
import { type Fetch, type HttpRequest, readText, sendRequest } from '../base/http.ts';
import { describeNetworkFailure } from '../base/network-failure.ts';
import { shownUrl } from './metadata-urls.ts';
import type { AuthPorts } from './types.ts';

export interface LoginRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | undefined;
  readonly signal?: AbortSignal;
}

/** Also what `oauth4webapi` takes as `customFetch`. */
export type LoginFetch = (url: string, request?: LoginRequest) => Promise<Response>;

/** 10 s. */
export const LOGIN_REQUEST_MS = 10_000;
/** 1 MiB. */
export const MAX_LOGIN_BODY_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * One request whose body has been read when it resolves. Within 10 s and 1 MiB; GET follows redirects
 * within the origin, at most 5; POST follows none. `label` starts the text of every error: AuthError for
 * plain http where it is not safe, LimitError for a larger body, ProtocolError for a redirect, ConnectError
 * for the rest; the reason of `signal` when that aborts.
 */
export function loginFetch(ports: AuthPorts, signal: AbortSignal, label?: string): LoginFetch {
  const lead = label === undefined ? '' : `${label}: `;
  return async (url, request = {}) => {
    const limit = startLimit(
      ports.clock,
      LOGIN_REQUEST_MS,
      () =>
        new ConnectError(`${lead}${shownUrl(url)} gave no answer within 10 s`, {
          retryable: true,
          details: { reason: 'timeout' },
        }),
    );
    const stop = anySignal(signal, request.signal, limit.signal);
    try {
      await checkPlainHttp(ports.fetch, url, lead);
      return await raceAbort(send(ports.fetch, url, request, stop, lead), stop);
    } catch (error) {
      stop.throwIfAborted();
      throw loginError(url, error, lead);
    } finally {
      limit.dispose();
    }
  };
}

/**
 * For an address that a browser is to open, which no guard stands before, or that is asked later only: a number
 * that is not public is refused with ConnectError, as it would be by a request. Names are resolved by that.
 */
export async function checkAddress(fetch: Fetch, url: string, label: string): Promise<void> {
  const parsed = new URL(url);
  if (hostKind(parsed.hostname) !== 'private') return;
  try {
    await fetch.route?.(parsed);
  } catch (error) {
    throw loginError(url, error, `${label}: `);
  }
}

/** Plain http goes to this machine, to addresses that the guard judges, and where `allowPrivate` lets every name through. */
async function checkPlainHttp(fetch: Fetch, url: string, lead: string): Promise<void> {
  const parsed = new URL(url);
  if (parsed.protocol === 'https:') return;
  const kind = hostKind(parsed.hostname);
  if (parsed.protocol === 'http:' && kind !== 'public') {
    if (kind !== 'name') return;
    const way = await fetch.route?.(parsed);
    if (way !== undefined && way.addresses === undefined && way.proxy === undefined) return;
  }
  throw new AuthError(`${lead}${shownUrl(url)} is not asked: only https is safe`, {
    details: { sent: false },
  });
}

async function send(
  fetch: Fetch,
  url: string,
  request: LoginRequest,
  signal: AbortSignal,
  lead: string,
): Promise<Response> {
  const { method = 'GET', headers = {}, body } = request;
  const once: HttpRequest = {
    method,
    headers: { accept: 'application/json', ...plainHeaders(headers, body) },
    ...(body === undefined ? {} : { body: String(body) }),
    signal,
  };
  // Every redirect comes back to us.
  const unfollowed: Fetch = Object.assign((...all: Parameters<Fetch>) => fetch(...all), {
    redirects: 'refuse' as const,
  });
  let target = url;
  for (let hops = 0; ; hops += 1) {
    const answer = await sendRequest(unfollowed, target, once);
    if (!('kind' in answer)) return readWhole(answer);
    const next = answer.location === undefined ? null : URL.parse(answer.location, target);
    const mayFollow =
      method === 'GET' && fetch.redirects !== 'refuse' && REDIRECTS.has(answer.status);
    if (!mayFollow || next === null || next.origin !== new URL(url).origin) {
      const to = next === null ? 'nowhere' : shownUrl(next.href);
      throw redirectError(lead, url, answer.status, `to ${to}; this is not followed`);
    }
    if (hops === MAX_REDIRECTS) {
      throw redirectError(lead, url, answer.status, `more than ${MAX_REDIRECTS} times`);
    }
    target = next.href;
  }
}

function redirectError(lead: string, url: string, status: number, how: string): ProtocolError {
  return new ProtocolError(`${lead}${shownUrl(url)} redirects (${status}) ${how}`, {
    details: { status },
  });
}

/** Names in lower case: one that is given replaces ours. */
function plainHeaders(
  headers: Readonly<Record<string, string>>,
  body: LoginRequest['body'],
): Readonly<Record<string, string>> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...(body instanceof URLSearchParams
      ? { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }
      : {}),
    ...Object.fromEntries(given),
  };
}

/** The same answer with its body at hand. */
async function readWhole(response: Response): Promise<Response> {
  const text = await readText(response, MAX_LOGIN_BODY_BYTES);
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) {
    headers.delete(name);
  }
  const hasBody = ![101, 204, 205, 304].includes(response.status);
  return new Response(hasBody ? text : null, { status: response.status, headers });
}

function loginError(url: string, thrown: unknown, lead: string): AppError {
  const shown = shownUrl(url);
  if (thrown instanceof LimitError) {
    return new LimitError(`${lead}${shown}: ${thrown.message}`, {
      cause: thrown,
      details: thrown.details,
    });
  }
  if (thrown instanceof RefusedAddressError) {
    return new ConnectError(`${lead}${thrown.message}`, {
      cause: thrown,
      details: thrown.details,
      ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
    });
  }
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof RangeError || thrown instanceof ReferenceError) return toAppError(thrown);
  const { code, words, remedy, isPassing } = describeNetworkFailure(thrown);
  const said = words ?? (code === '' ? 'the request failed' : `the request failed (${code})`);
  return new ConnectError(`${lead}cannot reach ${shown}: ${said}`, {
    cause: thrown,
    retryable: isPassing,
    details: code === '' ? {} : { reason: code },
    ...(remedy === undefined ? {} : { hint: remedy }),
  });
}
