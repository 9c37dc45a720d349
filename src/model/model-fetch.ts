/**
 * The `fetch` a provider package gets, for one request. Keeps our clocks, bounds and redirect rule,
 * normalises the event stream, ends it at the format's terminal event even if the socket stays open,
 * and remembers why it failed, since the packages hide or reword that.
 */
import { type Limit, startLimit } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { type Fetch, readErrorBody, sendRequest } from '../base/http.ts';
import { openSseBatches, type SseBatches } from '../sse/batches.ts';
import type { SseEvent } from '../sse/types.ts';
import {
  blockedError,
  checkStreamType,
  clockError,
  cutError,
  redirectError,
  toNetworkError,
} from './exchange-errors.ts';
import { statusError, streamError } from './failure.ts';
import type { ModelFamily } from './family.ts';
import { closingEvent, readSign, type StreamSign } from './signs.ts';

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

/** Stands where a package insists on a key and there is none; never sent. */
export const NO_KEY = 'no-key-configured';

const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];
/** 1 s: what a server may take between the finish reason and usage or terminal event. */
const FINISH_GRACE_MS = 1000;
/** 100 ms once only the end of the body is missing: long enough to let the socket be used again. */
const USAGE_GRACE_MS = 100;

/** One request and its reply. Not to be used twice; the owner calls `close`. */
export class Exchange {
  readonly #options: ExchangeOptions;
  /** Not AbortSignal.any: what it makes stays with a signal that lives on for the whole run (Bun 1.4.5). */
  readonly #stop = new AbortController();
  readonly #signal = this.#stop.signal;
  readonly #onCaller = () => this.#stop.abort(this.#options.signal.reason);
  readonly #firstByte: Limit;
  #idle: Limit | undefined;
  #graceTimer: Timer | undefined;
  #failure: unknown;
  #isFinished = false;
  #isComplete = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    if (options.signal.aborted) this.#onCaller();
    options.signal.addEventListener('abort', this.#onCaller, { once: true });
    this.#firstByte = this.#startClock('firstByte', options.limits.firstByteMs, 'no reply');
  }

  /** Why it failed: an AppError, or the signal's reason. It goes before what the package throws. */
  get failure(): unknown {
    return this.#failure;
  }

  /** True once the provider said how the reply ended. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Ends the request if it still runs. Idempotent. */
  close(): void {
    this.#stopClocks();
    this.#options.signal.removeEventListener('abort', this.#onCaller);
    if (!this.#isComplete) this.#stop.abort();
  }

  /** To be given to the package. Resolves with a clean event stream; rejects with `failure`. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { who, fetch, clock, keyName, query } = this.#options;
    try {
      const headers = Object.fromEntries(new Headers(init?.headers));
      if (keyName === undefined) dropPlaceholderKeys(headers);
      const url = withQuery(input instanceof Request ? input.url : String(input), query);
      const body = typeof init?.body === 'string' ? { body: init.body } : {};
      const request = { method: 'POST', headers, ...body, signal: this.#signal } as const;
      const response = await sendRequest(fetch, url, request);
      if ('kind' in response) throw redirectError(who, response.status, response.location);
      if (!response.ok) {
        const text = await readErrorBody(response, this.#signal);
        this.#signal.throwIfAborted();
        throw statusError(who, response, text, clock.date(), keyName);
      }
      await checkStreamType(who, response, this.#signal);
      return new Response(toBody(this.#relay(response)), {
        headers: { 'content-type': 'text/event-stream' },
      });
    } catch (error) {
      throw this.#fail(error);
    }
  };

  /** The events of the reply as text, ended where the format ends, or an error where it did not end. */
  async *#relay(response: Response): AsyncGenerator<string, void, void> {
    const { who, family } = this.#options;
    try {
      if (response.body === null) throw cutError(who, 'the answer has no body');
      yield* this.#readTexts(response.body);
      if (!this.#isComplete) throw cutError(who, 'the reply broke off before its end');
      const closing = closingEvent(family);
      if (closing !== undefined) yield spell(closing);
    } catch (error) {
      const failure = this.#fail(error);
      await handedOn();
      throw failure;
    } finally {
      this.#graceTimer?.cancel();
      this.#stopClocks();
    }
  }

  /** What came at once is handed on at once: each piece goes through five streams of the package. */
  async *#readTexts(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
    const onActivity = () => this.#showLife();
    const batches = openSseBatches(body, { signal: this.#signal, onActivity });
    let isHandedOn = false;
    try {
      for (let next = await batches.next(); next !== undefined; next = await batches.next()) {
        const { text, isEnd, failure } = this.#readBatch(next);
        if (isEnd) {
          isHandedOn = true;
          void this.#drain(batches);
        }
        if (text !== '') yield text;
        if (failure !== undefined) throw failure.error;
        if (isEnd) return;
      }
      const { leftover } = batches;
      if (leftover !== undefined && this.#readSign(leftover) !== 'noise') yield spell(leftover);
    } catch (error) {
      // After the finish nothing is missing but the terminal event.
      const isWhole = this.#isFinished && !(error instanceof AppError);
      if (!isWhole || this.#options.signal.aborted) throw error;
    } finally {
      if (!isHandedOn) batches.close();
    }
  }

  /** The events up to the terminal one, or to one that tells of a failure, which comes after them. */
  #readBatch(events: readonly SseEvent[]): {
    readonly text: string;
    readonly isEnd: boolean;
    readonly failure: { readonly error: unknown } | undefined;
  } {
    let text = '';
    try {
      for (const event of events) {
        const sign = this.#readSign(event);
        if (sign !== 'noise') text += spell(event);
        if (sign === 'end') return { text, isEnd: true, failure: undefined };
      }
      return { text, isEnd: false, failure: undefined };
    } catch (error) {
      return { text, isEnd: false, failure: { error } };
    }
  }

  #readSign(event: SseEvent): StreamSign {
    const { family, who } = this.#options;
    const sign = readSign(family, event, this.#isFinished);
    if (sign === 'error') throw streamError(who, event.data);
    if (sign === 'blocked') throw blockedError(who);
    if (sign === 'finish') this.#waitAtMost(FINISH_GRACE_MS);
    if (sign === 'usage') this.#waitAtMost(USAGE_GRACE_MS);
    this.#isFinished ||= sign === 'finish' || sign === 'usage';
    this.#isComplete = this.#isFinished || sign === 'end';
    return sign;
  }

  #waitAtMost(graceMs: number): void {
    this.#graceTimer?.cancel();
    this.#graceTimer = this.#options.clock.after(graceMs, () => this.#stop.abort());
  }

  /** Reads what follows the terminal event for a moment, so that the connection can serve the next request. Never rejects. */
  async #drain(batches: SseBatches): Promise<void> {
    const timer = this.#options.clock.after(USAGE_GRACE_MS, () => this.#stop.abort());
    try {
      while ((await batches.next()) !== undefined);
    } catch {
      // The reply is whole; how the connection ends does not matter any more.
      this.#stop.abort();
    } finally {
      timer.cancel();
    }
  }

  #startClock(key: 'firstByte' | 'idle', limitMs: number, what: string): Limit {
    const { clock, who } = this.#options;
    const reason = () => clockError(who, `model.timeout.${key}`, limitMs, what);
    const limit = startLimit(clock, limitMs, reason);
    const stop = () => this.#stop.abort(limit.signal.reason);
    limit.signal.addEventListener('abort', stop, { once: true });
    return limit;
  }

  /** The first byte ends one clock and starts the other. */
  #showLife(): void {
    if (this.#idle === undefined) {
      this.#firstByte.dispose();
      this.#idle = this.#startClock(
        'idle',
        this.#options.limits.idleMs,
        'the reply stopped coming',
      );
    } else this.#idle.reset();
  }

  #stopClocks(): void {
    this.#firstByte.dispose();
    this.#idle?.dispose();
  }

  /** Names the cause once; later ones are consequences. */
  #fail(thrown: unknown): unknown {
    const isAbort = this.#signal.aborted && !(thrown instanceof AppError);
    this.#failure ??= isAbort ? this.#signal.reason : toNetworkError(this.#options.who, thrown);
    this.#stopClocks();
    return this.#failure;
  }
}

/** A stream that fails drops what waits in it. The package's streams are emptied by promises alone: one turn of the loop later they are. */
function handedOn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function withQuery(url: string, query: string): string {
  if (query === '') return url;
  return url.includes('?') ? `${url}&${query.slice(1)}` : url + query;
}

function dropPlaceholderKeys(headers: Record<string, string>): void {
  for (const name of KEY_HEADERS) {
    if (headers[name]?.endsWith(NO_KEY) === true) delete headers[name];
  }
}

/** The stream a package reads: every event in the plainest spelling, LF only, no byte order mark. */
function toBody(texts: AsyncGenerator<string, void, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await texts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await texts.return();
    },
  });
}

function spell({ event, data }: SseEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`;
}
