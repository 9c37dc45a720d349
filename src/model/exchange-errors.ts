/** What can go wrong between us and a provider apart from what the provider says, in words for people. */
import { AppError, LimitError, ProviderError } from '../base/errors.ts';
import { excerpt, mediaType, readErrorBody } from '../base/http.ts';
import { scrubSecrets } from '../base/redact.ts';
import { isErrorBody, readComplaint, streamError } from './failure.ts';

/** `name` as in the configuration, `what` for example "no reply". */
export function clockError(who: string, name: string, limitMs: number, what: string): LimitError {
  return new LimitError(`${who}: ${what} for ${limitMs / 1000} s (${name})`, {
    hint: `raise ${name}`,
    details: { limit: name },
  });
}

export function redirectError(
  who: string,
  status: number,
  location: string | undefined,
): ProviderError {
  const target = location === undefined ? 'no address' : excerpt(location);
  return new ProviderError(`${who}: ${status} redirects to ${target}, which is not followed`, {
    hint: 'set model.baseUrl to the final address',
    details: { status },
  });
}

export function blockedError(who: string): ProviderError {
  return new ProviderError(`${who}: the provider's content filter refused the prompt`);
}

/** Worth another try: the other side may be well again. */
export function cutError(who: string, what: string): ProviderError {
  return new ProviderError(`${who}: ${what}`, { retryable: true });
}

const STREAM_TYPES = new Set(['text/event-stream', '', 'text/plain', 'application/octet-stream']);

/**
 * Throws ProviderError for an answer that is no event stream, quoting its beginning, or what it says
 * where it is a JSON error. Servers that name no type, or a vague one, get the benefit of the doubt.
 */
export async function checkStreamType(
  who: string,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  const type = mediaType(response);
  if (STREAM_TYPES.has(type)) return;
  const body = await readErrorBody(response, signal);
  signal.throwIfAborted();
  if (isErrorBody(body)) throw streamError(who, body);
  const { status } = response;
  const text = readComplaint(body).text;
  throw new ProviderError(`${who}: ${status} with ${type} instead of an event stream: ${text}`, {
    hint: 'check model.baseUrl: it must be the root of the API',
    details: { status },
  });
}

/** Bun 1.4.5 and servers name a refused certificate so; another try cannot help. */
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|VERIFY|TLS|SSL/;
/** Bun's own wording speaks of its options. */
const NETWORK_TEXTS: Readonly<Record<string, string>> = {
  ConnectionRefused: 'connection refused',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ConnectionClosed: 'the connection was closed',
  FailedToOpenSocket: 'no connection could be opened',
  ENOTFOUND: 'the host is unknown',
};

/** Anything that is no AppError came from the network. */
export function toNetworkError(who: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const text = thrown instanceof Error ? scrubSecrets(thrown.message) : String(thrown);
  const coded = code === '' || text.includes(code) ? text : `${text} (${code})`;
  return new ProviderError(`${who}: ${NETWORK_TEXTS[code] ?? coded}`, {
    retryable: !CERTIFICATE_CODE.test(code),
    hint: 'check model.baseUrl and that the server runs',
    cause: thrown,
  });
}
