/**
 * What every HTTP client of ours keeps to: no hidden time limit, no proxy on loopback, redirects only
 * within the origin, bodies with a bound. Knows nothing of MCP.
 */
import { hostKind } from './address.ts';
import { LimitError } from './errors.ts';
import type { ProxyWay } from './proxy.ts';
import { scrubSecrets } from './redact.ts';
import { escapeForTerminal, shorten } from './text.ts';
import type { TlsTexts } from './tls-files.ts';

/** What we ask of `fetch`; Bun's own options among it. */
export interface FetchInit {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
  /** Bun gives up a silent socket after 5 minutes otherwise. Our own clocks decide. */
  readonly timeout: false;
  /** With BUN_CONFIG_VERBOSE_FETCH set, Bun 1.4.5 prints every request to stderr otherwise, its token included. */
  readonly verbose: false;
  /** `false` also turns off HTTP_PROXY; an empty string would not (Bun 1.4.5). */
  readonly proxy?: string | false;
  readonly tls?: TlsTexts & {
    /** Whose certificate is expected, where the URL holds an address in place of a name. */
    readonly serverName?: string;
  };
}

/** The way to one URL. */
export interface Route {
  readonly proxy: ProxyWay | undefined;
  readonly tls: TlsTexts | undefined;
  /** Checked addresses to connect to in place of the URL's name, the best one first. */
  readonly addresses?: readonly string[] | undefined;
}

export interface Fetch {
  (url: string, init: FetchInit): Promise<Response>;
  /** What a socket that is none of `fetch` needs for the same way. Absent: a plain `fetch`. */
  readonly route?: (url: URL) => Promise<Route>;
  /** `refuse`: no redirect is followed, not even within the origin. */
  readonly redirects?: 'same-origin' | 'refuse';
}

export type HttpRequest = Pick<FetchInit, 'method' | 'headers' | 'body' | 'signal'>;

/** 16 MiB. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const MAX_ERROR_BODY_BYTES = 8 * 1024;
const MAX_EXCERPT_CHARACTERS = 500;

/** A redirect we do not follow; `location` as sent, or `undefined` without one. */
export interface RefusedRedirect {
  readonly kind: 'redirect';
  readonly status: number;
  readonly location: string | undefined;
}

/**
 * One request by our rules. 307 and 308 within the origin are followed, at most 5 in a row; any other
 * redirect is returned, not followed: no header of ours ever reaches another origin.
 * Rejects as `fetch` does: network errors with a `code`, the signal's reason after an abort.
 */
export async function sendRequest(
  fetch: Fetch,
  url: string,
  request: HttpRequest,
): Promise<Response | RefusedRedirect> {
  let target = url;
  for (let hops = 0; ; hops += 1) {
    const response = await fetch(target, {
      ...request,
      redirect: 'manual',
      timeout: false,
      verbose: false,
      ...(hostKind(new URL(target).hostname) === 'loopback' ? { proxy: false } : {}),
    });
    if (!isRedirect(response.status)) return response;
    const location = response.headers.get('location') ?? undefined;
    await discardBody(response);
    const next = location === undefined ? undefined : resolveUrl(location, target);
    const isFollowed =
      fetch.redirects !== 'refuse' && (response.status === 307 || response.status === 308);
    if (!isFollowed || next?.origin !== new URL(url).origin || hops === MAX_REDIRECTS) {
      return { kind: 'redirect', status: response.status, location };
    }
    target = next.href;
  }
}

/** The media type without parameters, in lower case; empty when there is none. */
export function mediaType(response: Response): string {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return type.trim().toLowerCase();
}

/** Below this many declared bytes one read does; a slow peer shows life only per chunk. */
const SMALL_BODY_BYTES = 64 * 1024;
/** Where nobody says how long the body is: doubled as it grows, by this much at the most. */
const MAX_GROWTH_BYTES = 4 * 1024 * 1024;
const FIRST_BUFFER_BYTES = 64 * 1024;

/**
 * The whole body as text. `onChunk` hears of every piece that arrives.
 * Throws LimitError (details: limit, maxBytes) beyond `maxBytes` and gives the rest back unread.
 */
export async function readText(
  response: Response,
  maxBytes: number = MAX_BODY_BYTES,
  onChunk?: () => void,
): Promise<string> {
  if (response.body === null) return '';
  const declared = Number(response.headers.get('content-length') ?? Number.NaN);
  const isPlain = !response.headers.has('content-encoding');
  if (isPlain && declared <= Math.min(SMALL_BODY_BYTES, maxBytes)) return response.text();
  if (isPlain && declared > maxBytes) {
    await discardBody(response);
    throw bodyLimitError(maxBytes);
  }
  let buffer = new ArrayBuffer(isPlain && declared > 0 ? declared : FIRST_BUFFER_BYTES);
  let bytes = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of response.body) {
    onChunk?.();
    if (bytes + chunk.byteLength > maxBytes) throw bodyLimitError(maxBytes);
    if (bytes + chunk.byteLength > buffer.byteLength) {
      const size = buffer.byteLength;
      const grown = size + Math.min(size, MAX_GROWTH_BYTES);
      buffer = buffer.transfer(Math.max(grown, bytes + chunk.byteLength));
    }
    new Uint8Array(buffer, bytes).set(chunk);
    bytes += chunk.byteLength;
    release(chunk);
  }
  const text = new TextDecoder().decode(new Uint8Array(buffer, 0, bytes));
  buffer.transfer(0);
  return text;
}

/** Gives a chunk's memory back at once: the collector would let all of a body pile up first (Bun 1.4.5). */
function release(chunk: Uint8Array): void {
  const { buffer, byteLength } = chunk;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** The first 8 KiB of an error's body, as they come until it ends or `signal` aborts. Never rejects. */
export async function readErrorBody(response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  let text = '';
  let bytes = 0;
  try {
    while (bytes < MAX_ERROR_BODY_BYTES && !signal.aborted) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, MAX_ERROR_BODY_BYTES - bytes), { stream: true });
      bytes += value.byteLength;
    }
  } catch (error) {
    // A body that breaks off is still worth its beginning; anything but an Error is a fault of ours.
    if (!(error instanceof Error)) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
  return text;
}

/** At most 500 characters of a body on one line, safe to show: no secret, no control character. */
export function excerpt(body: string): string {
  const line = scrubSecrets(body).replace(/\s+/g, ' ').trim();
  return escapeForTerminal(shorten(line, MAX_EXCERPT_CHARACTERS));
}

/** Gives up a body that nobody reads. */
export async function discardBody(response: Response): Promise<void> {
  // Safe to ignore: a body that has failed already has nothing to give back.
  await response.body?.cancel().catch(() => undefined);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function resolveUrl(location: string, base: string): URL | undefined {
  return URL.canParse(location, base) ? new URL(location, base) : undefined;
}

function bodyLimitError(maxBytes: number): LimitError {
  return new LimitError(`the answer is larger than ${maxBytes / 1024 / 1024} MiB`, {
    details: { limit: 'http_body', maxBytes },
  });
}
