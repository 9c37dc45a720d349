/** The event stream of a legacy HTTP+SSE server: opened once, it names the endpoint, then carries every answer. */
import { startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { type AppError, toAppError } from '../base/errors.ts';
import { type Fetch, readErrorBody, sendRequest } from '../base/http.ts';
import { type JsonObject, tryParseJson } from '../base/json.ts';
import { openSseStream } from '../sse/stream.ts';
import type { SseEvent } from '../sse/types.ts';
import { networkError, redirectError, statusError, type Target } from './http-errors.ts';
import { isEventStream } from './http-stream.ts';
import { rpcMessages } from './message.ts';
import { noEventStreamError, resolveEndpoint, streamEndedError } from './sse-endpoint.ts';

export interface SseChannelOptions {
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly onMessage: (message: JsonObject) => void;
  /** Bytes came, comments included. */
  readonly onActivity: () => void;
  /** The stream is over after it had named its endpoint. Not called after `close`. */
  readonly onEnd: (error: AppError) => void;
}

export interface SseChannel {
  /** Where messages go. Rejects with the AppError that kept the server from naming it. */
  readonly endpoint: Promise<string>;
  /** The same, once it is known. */
  readonly url: string | undefined;
  close(reason: unknown): void;
}

const ERROR_BODY_MS = 2000;

/** Asks for the stream at once. */
export function openSseChannel(options: SseChannelOptions): SseChannel {
  const control = new AbortController();
  const { promise: endpoint, resolve, reject } = Promise.withResolvers<string>();
  // Whoever sends hears of it.
  endpoint.catch(() => undefined);
  let url: string | undefined;
  const onEndpoint = (named: string) => {
    url = named;
    resolve(named);
  };
  void followStream(options, control.signal, onEndpoint).then((error) => {
    reject(error);
    if (url !== undefined && !control.signal.aborted) options.onEnd(error);
  });
  return {
    endpoint,
    get url() {
      return url;
    },
    close(reason) {
      control.abort(reason);
      reject(reason);
    },
  };
}

/** Reads the stream to its end. Resolves with why it ended; never rejects. */
async function followStream(
  options: SseChannelOptions,
  signal: AbortSignal,
  onEndpoint: (url: string) => void,
): Promise<AppError> {
  const { target } = options;
  let response: Response;
  try {
    response = await askForStream(options, signal);
  } catch (error) {
    return networkError(target, error);
  }
  try {
    await readEvents(options, signal, response, onEndpoint);
    return streamEndedError(target);
  } catch (error) {
    return signal.aborted ? toAppError(signal.reason) : streamEndedError(target, error);
  }
}

async function askForStream(options: SseChannelOptions, signal: AbortSignal): Promise<Response> {
  const { target, clock } = options;
  const response = await sendRequest(options.fetch, target.url, {
    method: 'GET',
    headers: { ...options.headers, accept: 'text/event-stream' },
    signal,
  });
  if ('kind' in response) throw redirectError(target, response);
  options.onActivity();
  if (isEventStream(response)) return response;
  const limit = startLimit(clock, ERROR_BODY_MS, () => new DOMException('late', 'AbortError'));
  const body = await readErrorBody(response, limit.signal);
  limit.dispose();
  throw response.ok
    ? noEventStreamError(target, response, body)
    : statusError(target, response, body, clock.date());
}

async function readEvents(
  options: SseChannelOptions,
  signal: AbortSignal,
  response: Response,
  onEndpoint: (url: string) => void,
): Promise<void> {
  const { target, onActivity } = options;
  if (response.body === null) return;
  // A redirect within the origin may have led elsewhere.
  const streamUrl = response.url === '' ? target.url : response.url;
  const stream = openSseStream(response.body, { signal, onActivity });
  // Only the first one counts: requests are under way by it.
  let isNamed = false;
  const take = (event: SseEvent) => {
    if (event.event === 'endpoint' && !isNamed) {
      onEndpoint(resolveEndpoint(target, streamUrl, event.data));
      isNamed = true;
    } else giveMessages(event, options.onMessage);
  };
  for await (const event of stream) take(event);
  if (stream.leftover !== undefined) take(stream.leftover);
}

function giveMessages(event: SseEvent, onMessage: (message: JsonObject) => void): void {
  if (event.event !== undefined && event.event !== 'message') return;
  for (const message of rpcMessages(tryParseJson(event.data))) onMessage(message);
}
