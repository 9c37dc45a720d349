/** What can go wrong between us and a provider apart from what the provider says, in words for people. */
import { AppError, ProviderError } from '../base/errors.ts';
import { RefusedAddressError } from '../base/guard.ts';
import { excerpt, mediaType, readErrorBody } from '../base/http.ts';
import { describeNetworkFailure, ProxiedError } from '../base/network-failure.ts';
import { scrubSecrets } from '../base/redact.ts';
import { isErrorBody, readComplaint, streamError } from './failure.ts';

/** The clock of a reply that has begun, as in the configuration. */
export const IDLE_CLOCK = 'model.timeout.idle';

/** `name` as in the configuration, `what` for example "no reply". Worth another try where the reply had begun. */
export function clockError(
  who: string,
  name: string,
  limitMs: number,
  what: string,
): ProviderError {
  return new ProviderError(`${who}: ${what} for ${limitMs / 1000} s (${name})`, {
    hint: `raise ${name}`,
    retryable: name === IDLE_CLOCK,
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

/** Where the general words do not fit, or there are none. */
const NETWORK_TEXTS: Readonly<Record<string, string>> = {
  ConnectionRefused: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ConnectionClosed: 'the connection was closed',
  ENOTFOUND: 'the host is unknown',
};

/** Anything that is no AppError came from the network. */
export function toNetworkError(who: string, thrown: unknown): AppError {
  if (thrown instanceof RefusedAddressError) {
    return new ProviderError(`${who}: ${thrown.message}`, {
      cause: thrown,
      hint: 'model.allowPrivate: true permits it, if this is a network of your own',
    });
  }
  if (thrown instanceof AppError) return thrown;
  const { code, words, remedy, isCertificate } = describeNetworkFailure(thrown);
  const text = thrown instanceof Error ? scrubSecrets(thrown.message) : String(thrown);
  const coded = code === '' || text.includes(code) ? text : `${text} (${code})`;
  const plain = thrown instanceof ProxiedError ? words : (NETWORK_TEXTS[code] ?? words);
  return new ProviderError(`${who}: ${plain ?? coded}`, {
    retryable: !isCertificate && !isTls(code),
    hint: isCertificate
      ? 'NODE_EXTRA_CA_CERTS=FILE names further issuers to trust, in PEM form'
      : (remedy ?? 'check model.baseUrl and that the server runs'),
    cause: thrown,
  });
}

/** Another try does not help there. */
function isTls(code: string): boolean {
  return code === 'EPROTO' || /VERIFY|TLS|SSL/.test(code);
}
