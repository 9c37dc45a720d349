/** What an HTTP server's refusals mean, as typed errors in plain words. See `Transport` for the details. */
import { parseRetryAfter } from '../base/backoff.ts';
import {
  AppError,
  AuthError,
  ConnectError,
  LimitError,
  ProtocolError,
  toAppError,
} from '../base/errors.ts';
import { RefusedAddressError } from '../base/guard.ts';
import { excerpt, mediaType, type RefusedRedirect } from '../base/http.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { describeNetworkFailure } from '../base/network-failure.ts';
import { scrubSecrets } from '../base/redact.ts';
import { isWebPage, quoteBody } from '../base/web-page.ts';
import { rpcError } from './message.ts';

/** The server, and whether a token of ours went with the request. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly hasToken: boolean;
  /** What helps when that token is refused. Default: its variable is named. */
  readonly refusedHint?: string;
}

/**
 * A failure of `fetch` or of reading what it gave. An AppError is returned with `sent` added; a fault of ours
 * becomes an InternalError.
 */
export function networkError(target: Target, thrown: unknown): AppError {
  if (thrown instanceof LimitError) {
    const label = `server "${target.name}": `;
    // What its sign-in ran into says so itself.
    const message = thrown.message.startsWith(label) ? thrown.message : label + thrown.message;
    return new LimitError(message, {
      cause: thrown,
      details: { ...thrown.details, sent: true },
    });
  }
  if (thrown instanceof RefusedAddressError) {
    return new ConnectError(`server "${target.name}": ${thrown.message}`, {
      cause: thrown,
      details: thrown.details,
      hint: 'allowPrivate: true in its entry permits it, if this is a network of your own',
    });
  }
  if (thrown instanceof AppError) return thrown;
  // A TypeError may be of `fetch`, for a header that cannot be sent; these never are.
  if (thrown instanceof RangeError || thrown instanceof ReferenceError) return toAppError(thrown);
  const { code, words, remedy, isUnsent, isPassing: mayPass } = describeNetworkFailure(thrown);
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  const text = words ?? ANSWERED[code] ?? (code === '' ? said : codedText(code));
  return new ConnectError(
    `cannot reach server "${target.name}" at ${shownUrl(target.url)}: ${text}`,
    {
      cause: thrown,
      retryable: mayPass,
      details: { sent: !isUnsent, ...(code === '' ? {} : { reason: code }) },
      ...(remedy === undefined ? {} : { hint: remedy }),
    },
  );
}

const ENCODING = 'its answer does not keep to the content-encoding that it names';
/** Failures after something was answered; Bun 1.4.5 says there what programmers should do. */
const ANSWERED: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was closed without an answer',
  Malformed_HTTP_Response: 'it did not answer in HTTP',
  InvalidHTTPResponse: 'its answer breaks the rules of HTTP',
  InvalidContentLength: 'its answer has a content-length that is no number',
  UnsupportedTransferEncoding: 'its answer has an unknown transfer-encoding',
  UnrequestedUpgrade: 'it changed to a protocol that was not asked for',
  ZlibError: ENCODING,
  BrotliDecompressionError: ENCODING,
  ZstdDecompressionError: ENCODING,
};

/** The runtime's sentences are for programmers; its codes say enough. */
function codedText(code: string): string {
  return `the request failed (${code})`;
}

/** A status that is not a success; `body` is its beginning. */
export function statusError(target: Target, response: Response, body: string, now: Date): AppError {
  const { status } = response;
  const said = quoteBody(response, errorText(body));
  const tail = said === '' ? '' : `: ${said}`;
  if (status === 401 || status === 403) return refusedError(target, status, tail);
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now);
  const type = mediaType(response);
  return new ProtocolError(
    `server "${target.name}" answered HTTP ${status}${type === '' ? '' : ` (${type})`}${tail}`,
    {
      retryable: isPassing(status),
      details: { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      ...(status === 404 || status === 405
        ? { hint: `check the path of its url: ${shownUrl(target.url)}` }
        : {}),
    },
  );
}

/** True for statuses that may be gone at the next attempt. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501);
}

/** The session of the request is over: the server says that it did not act on it. */
export function sessionGoneError(target: Target, response: Response, body: string): ConnectError {
  const { status } = response;
  const said = quoteBody(response, errorText(body));
  return new ConnectError(
    `server "${target.name}" does not know our session any more (${status})${said === '' ? '' : `: ${said}`}`,
    { details: { sent: false, status, session: 'gone' } },
  );
}

export function redirectError(target: Target, redirect: RefusedRedirect): ProtocolError {
  const { status, location } = redirect;
  const to = location === undefined ? 'nowhere' : excerpt(location);
  const hint = location === undefined ? undefined : redirectHint(target, location);
  return new ProtocolError(
    `server "${target.name}" redirects (${status}) to ${to}; this is not followed`,
    {
      details: { status, ...(location === undefined ? {} : { location: scrubSecrets(location) }) },
      ...(hint === undefined ? {} : { hint }),
    },
  );
}

/** A whole address that `url:` can take; `undefined` where it is no address or the one that is set already. */
function redirectHint(target: Target, location: string): string | undefined {
  const next = URL.parse(location, target.url)?.href;
  if (next === undefined || next === URL.parse(target.url)?.href) return undefined;
  return `if you trust it, set url: ${excerpt(next)}`;
}

/** A success that does not hold the answer to `method`. */
export function noAnswerError(
  target: Target,
  method: string,
  response: Response,
  body: string,
): ProtocolError {
  const type = mediaType(response);
  const isPage = isWebPage(response, body);
  const said = quoteBody(response, body);
  const rest = isPage ? `a web page${said === '' ? '' : `: ${said}`}` : said || 'empty body';
  return new ProtocolError(
    `server "${target.name}" did not answer ${method}: HTTP ${response.status}${
      type === '' ? '' : ` ${type}`
    }, ${rest}`,
    {
      details: { sent: true, status: response.status },
      ...(isPage ? { hint: 'check url: a web page answered' } : {}),
    },
  );
}

export function closedStreamError(target: Target, method: string, cause?: unknown): ProtocolError {
  return new ProtocolError(
    `server "${target.name}" closed the stream without answering ${method}`,
    {
      cause,
      retryable: cause !== undefined,
      details: { sent: true },
    },
  );
}

function refusedError(target: Target, status: number, tail: string): AuthError {
  const { name, hasToken, refusedHint } = target;
  const details = { status };
  if (hasToken) {
    return new AuthError(`server "${name}" refused the configured token (${status})${tail}`, {
      details,
      hint: refusedHint ?? 'check the value of the variable that auth.tokenEnv names',
    });
  }
  if (status === 403) {
    return new AuthError(`server "${name}" refused access (403)${tail}`, { details });
  }
  return new AuthError(`server "${name}" needs a token (401)${tail}`, {
    details,
    hint: 'add auth: {type: bearer, tokenEnv: NAME} or auth: {type: oauth} to its entry',
  });
}

/** The message of a JSON-RPC error; the body as it is otherwise. */
function errorText(body: string): string {
  const parsed = tryParseJson(body);
  const error =
    isJsonObject(parsed) && isJsonObject(parsed['error']) ? rpcError(parsed) : undefined;
  return error === undefined || error.message === '' ? body : error.message;
}

/** Without the query, which may hold a key. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return scrubSecrets(url);
  const { origin, pathname } = new URL(url);
  return scrubSecrets(origin + pathname);
}
