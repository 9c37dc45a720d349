/**
 * The `fetch` a provider package gets, for one request. Keeps our clocks, bounds and redirect rule,
 * normalises the event stream, ends it at the format's terminal event even if the socket stays open,
 * and remembers why it failed, since the packages hide or reword that.
 */
import { anySignal, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, LimitError, ProviderError } from '../base/errors.ts';
import { excerpt, type Fetch, mediaType, readErrorBody, sendRequest } from '../base/http.ts';
import { scrubSecrets } from '../base/redact.ts';
import { openSseStream } from '../sse/stream.ts';
import type { SseEvent } from '../sse/types.ts';
import { isErrorBody, readComplaint, statusError, streamError } from './failure.ts';
import type { ModelFamily } from './family.ts';
import { closingEvent, readSign } from './signs.ts';

export interface ExchangeOptions {
  readonly family: ModelFamily;
  /** `model NAME at URL`, the head of every message. */
  readonly who: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly limits: { readonly firstByteMs: number; readonly idleMs: number };
  readonly signal: AbortSignal;
  /** The variable the key came from; undefined = no key, and its headers are taken out. */
  readonly keyName: string | undefined;
  /** Added to every address: `?a=b`, or empty. */
  readonly query: string;
}

/** One request and its reply. Not to be used twice. */
export interface Exchange {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Why it failed: an AppError, or the signal's reason. It goes before what the package throws. */
  readonly failure: unknown;
  /** True once the provider said how the reply ended. */
  readonly isComplete: boolean;
  /** Ends the request if it still runs. Idempotent. */
  close(): void;
}

/** 1 s: what a server may take between the finish reason and usage or terminal event. */
const FINISH_GRACE_MS = 1000;
/** Once usage is known only the terminal event is missing; waiting a moment lets the socket be used again. */
const USAGE_GRACE_MS = 100;
/** Bun 1.4.5 and servers name a refused certificate so; another try cannot help. */
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|VERIFY|TLS|SSL/;
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];

/** Prepares one request; the caller calls `close` when done. */
export function openExchange(options: ExchangeOptions): Exchange {
  const { who, family, clock, limits } = options;
  const stop = new AbortController();
  const grace = new AbortController();
  const signal = anySignal(options.signal, stop.signal, grace.signal);
  const firstByte = clockOf('model.timeout.firstByte', limits.firstByteMs, 'no reply');
  let idle: ReturnType<typeof clockOf> | undefined;
  let failure: unknown;
  let isComplete = false;

  function clockOf(name: string, limitMs: number, what: string) {
    const reason = () =>
      new LimitError(`${who}: ${what} for ${limitMs / 1000} s (${name})`, {
        hint: `raise ${name}`,
        details: { limit: name },
      });
    const limit = startLimit(clock, limitMs, reason);
    limit.signal.addEventListener('abort', () => stop.abort(limit.signal.reason), { once: true });
    return limit;
  }

  function onActivity(): void {
    if (idle === undefined) {
      firstByte.dispose();
      idle = clockOf('model.timeout.idle', limits.idleMs, 'the reply stopped coming');
    } else idle.reset();
  }

  function dispose(): void {
    firstByte.dispose();
    idle?.dispose();
  }

  /** Names the cause once; later ones are consequences. */
  function fail(thrown: unknown): unknown {
    failure ??=
      signal.aborted && !(thrown instanceof AppError) ? signal.reason : toFailure(who, thrown);
    dispose();
    return failure;
  }

  async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    try {
      const headers = Object.fromEntries(new Headers(init?.headers));
      if (options.keyName === undefined) dropPlaceholderKeys(headers);
      const url = withQuery(input instanceof Request ? input.url : String(input), options.query);
      const body = typeof init?.body === 'string' ? { body: init.body } : {};
      const request = { method: 'POST', headers, ...body, signal } as const;
      const response = await sendRequest(options.fetch, url, request);
      if ('kind' in response) throw redirectError(who, response.status, response.location);
      if (!response.ok) {
        const text = await readErrorBody(response, signal);
        throw statusError(who, response, text, clock.date(), options.keyName);
      }
      await checkType(who, response, signal);
      return new Response(toBody(relay(response)), {
        headers: { 'content-type': 'text/event-stream' },
      });
    } catch (error) {
      throw fail(error);
    }
  }

  /** The events of the reply, ended where the format ends. */
  async function* relay(response: Response): AsyncGenerator<SseEvent, void, void> {
    let isFinished = false;
    let isHandedOn = false;
    let timer: ReturnType<Clock['after']> | undefined;
    const waitAtMost = (graceMs: number) => {
      timer?.cancel();
      timer = clock.after(graceMs, () => grace.abort());
    };
    try {
      if (response.body === null) throw cutError(who, 'the answer has no body');
      const events = openSseStream(response.body, { signal, onActivity });
      const read = (event: SseEvent) => {
        const sign = readSign(family, event, isFinished);
        if (sign === 'error') throw streamError(who, event.data);
        if (sign === 'blocked') throw blockedError(who);
        if (sign === 'finish' || sign === 'usage') isFinished = true;
        if (sign === 'finish') waitAtMost(FINISH_GRACE_MS);
        if (sign === 'usage') waitAtMost(USAGE_GRACE_MS);
        isComplete = isFinished || sign === 'end';
        return sign;
      };
      const iterator = events[Symbol.asyncIterator]();
      try {
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
          const sign = read(next.value);
          if (sign !== 'noise') yield next.value;
          if (sign !== 'end') continue;
          isHandedOn = true;
          void drain(iterator);
          return;
        }
        if (events.leftover !== undefined && read(events.leftover) !== 'noise') {
          yield events.leftover;
        }
      } catch (error) {
        // After the finish nothing is missing but the terminal event.
        if (!isFinished || error instanceof AppError || options.signal.aborted) throw error;
      } finally {
        if (!isHandedOn) await iterator.return?.();
      }
      if (!isComplete) throw cutError(who, 'the reply broke off before its end');
      const closing = closingEvent(family);
      if (closing !== undefined) yield closing;
    } catch (error) {
      throw fail(error);
    } finally {
      timer?.cancel();
      dispose();
    }
  }

  /** Reads what follows the terminal event for a moment, so that the connection can serve the next request. Never rejects. */
  async function drain(iterator: AsyncIterator<SseEvent>): Promise<void> {
    const timer = clock.after(USAGE_GRACE_MS, () => grace.abort());
    try {
      while ((await iterator.next()).done !== true);
    } catch {
      // The reply is whole; how the connection ends does not matter any more.
      grace.abort();
    } finally {
      timer.cancel();
    }
  }

  return {
    fetch: send,
    get failure() {
      return failure;
    },
    get isComplete() {
      return isComplete;
    },
    close() {
      dispose();
      if (!isComplete) stop.abort();
    },
  };
}

function withQuery(url: string, query: string): string {
  if (query === '') return url;
  return url.includes('?') ? `${url}&${query.slice(1)}` : url + query;
}

/** Without a key the packages still want one; what they make of it must not be sent. */
function dropPlaceholderKeys(headers: Record<string, string>): void {
  for (const name of KEY_HEADERS) {
    if (headers[name]?.endsWith(NO_KEY) === true) delete headers[name];
  }
}

/** Stands where a package insists on a key and there is none. */
export const NO_KEY = 'no-key-configured';

/** The stream a package reads: every event in the plainest spelling, LF only, no byte order mark. */
function toBody(events: AsyncGenerator<SseEvent, void, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await events.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(spell(next.value)));
    },
    async cancel() {
      await events.return();
    },
  });
}

function spell({ event, data }: SseEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`;
}

const STREAM_TYPES = new Set(['text/event-stream', '', 'text/plain', 'application/octet-stream']);

/** Refuses an answer that is no event stream, quoting its beginning. A JSON error counts as one. */
async function checkType(who: string, response: Response, signal: AbortSignal): Promise<void> {
  const type = mediaType(response);
  if (STREAM_TYPES.has(type)) return;
  const body = await readErrorBody(response, signal);
  signal.throwIfAborted();
  if (isErrorBody(body)) throw streamError(who, body);
  throw new ProviderError(
    `${who}: ${response.status} with ${type} instead of an event stream: ${readComplaint(body).text}`,
    {
      hint: 'check model.baseUrl: it must be the root of the API',
      details: { status: response.status },
    },
  );
}

function redirectError(who: string, status: number, location: string | undefined): ProviderError {
  const target = location === undefined ? 'no address' : excerpt(location);
  return new ProviderError(`${who}: ${status} redirects to ${target}, which is not followed`, {
    hint: 'set model.baseUrl to the final address',
    details: { status },
  });
}

function blockedError(who: string): ProviderError {
  return new ProviderError(`${who}: the provider's content filter refused the prompt`);
}

function cutError(who: string, what: string): ProviderError {
  return new ProviderError(`${who}: ${what}`, { retryable: true });
}

/** Anything that is no AppError here came from the network. */
function toFailure(who: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const text = thrown instanceof Error ? scrubSecrets(thrown.message) : String(thrown);
  const known = NETWORK_TEXTS[code];
  return new ProviderError(
    `${who}: ${known ?? `${text}${code === '' || text.includes(code) ? '' : ` (${code})`}`}`,
    {
      retryable: !CERTIFICATE_CODE.test(code),
      hint: 'check model.baseUrl and that the server runs',
      cause: thrown,
    },
  );
}

/** Bun's wording speaks of its own options. */
const NETWORK_TEXTS: Readonly<Record<string, string>> = {
  ConnectionRefused: 'connection refused',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ConnectionClosed: 'the connection was closed',
  FailedToOpenSocket: 'no connection could be opened',
  ENOTFOUND: 'the host is unknown',
};
