/** Where messages of a legacy HTTP+SSE server go, and what its refusals mean. See `Transport` for the details. */
import { AppError, AuthError, ConnectError, LimitError, ProtocolError } from '../base/errors.ts';
import { excerpt, mediaType } from '../base/http.ts';
import { quoteBody } from '../base/web-page.ts';
import { networkError, statusError, type Target } from './http-errors.ts';
import { isSessionGone } from './session.ts';

/**
 * The URL that the data of an `endpoint` event names, resolved against the URL of the stream; white space
 * around it does not count, credentials and fragment in it are dropped. Throws ProtocolError for another
 * origin: nothing of ours may go there. Source: MCP 2024-11-05, transports, HTTP with SSE.
 */
export function resolveEndpoint(target: Target, streamUrl: string, data: string): string {
  const named = data.trim();
  const url = URL.canParse(named, streamUrl) ? new URL(named, streamUrl) : undefined;
  if (url === undefined || named === '') {
    throw endpointError(target, `names no usable endpoint: ${excerpt(named) || 'nothing'}`);
  }
  const { origin } = new URL(streamUrl);
  if (url.origin !== origin) {
    throw endpointError(
      target,
      `names an endpoint of another origin: ${excerpt(url.href)}, not ${origin}; nothing is sent there`,
    );
  }
  url.username = '';
  url.password = '';
  url.hash = '';
  return url.href;
}

/** The stream's URL was answered with something else than an event stream. */
export function noEventStreamError(
  target: Target,
  response: Response,
  body: string,
): ProtocolError {
  const type = mediaType(response);
  const said = quoteBody(response, body);
  return new ProtocolError(
    `server "${target.name}" answered GET with HTTP ${response.status} ${
      type === '' ? 'without a type' : type
    }, not an event stream${said === '' ? '' : `: ${said}`}`,
    { details: { sent: false, status: response.status } },
  );
}

/** The stream was over, by its end or by `cause`. */
export function streamEndedError(target: Target, cause?: unknown): AppError {
  if (cause instanceof LimitError) return networkError(target, cause);
  if (cause instanceof AppError) return cause;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new ConnectError(
    `server "${target.name}" ${
      cause === undefined ? 'closed its event stream' : `cut its event stream off${code}`
    }`,
    { cause, retryable: cause !== undefined, details: { sent: true } },
  );
}

/**
 * A POST was refused. `hadHandshake`: the server had accepted this stream before, so that a refusal about
 * the session asks for a new one.
 */
export function postRefusedError(
  target: Target,
  endpoint: string,
  reply: { readonly response: Response; readonly body: string; readonly hadHandshake: boolean },
  now: Date,
): AppError {
  const { response, body, hadHandshake } = reply;
  const plain = statusError(target, response, body, now);
  if (plain instanceof AuthError) return plain;
  const message = `${plain.message} (POST ${excerpt(endpoint)})`;
  if (hadHandshake && isSessionGone(response.status, body)) {
    return new ConnectError(message, {
      details: { ...plain.details, sent: false, session: 'gone' },
    });
  }
  return new ProtocolError(message, { retryable: plain.retryable, details: plain.details });
}

function endpointError(target: Target, text: string): ProtocolError {
  return new ProtocolError(`server "${target.name}" ${text}`, { details: { sent: false } });
}
