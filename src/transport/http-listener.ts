/** The GET stream on which an HTTP server speaks unasked. Optional on both sides: its absence is no failure. */
import type { Clock, Timer } from '../base/clock.ts';
import { AppError, toAppError } from '../base/errors.ts';
import { discardBody } from '../base/http.ts';
import type { JsonObject } from '../base/json.ts';
import { isEventStream, readMessages, resumeMessages, type StreamPosition } from './http-stream.ts';

export interface ListenerOptions {
  readonly clock: Clock;
  /** Asks for the stream. Rejects as `fetch` does. */
  readonly open: (signal: AbortSignal, lastEventId: string | undefined) => Promise<Response>;
  readonly onMessage: (message: JsonObject) => void;
  readonly onActivity: () => void;
  /** Hears why there is no stream any more. */
  readonly onFailure: (error: AppError) => void;
}

const DELAY_MS = 50;
/** Some servers send no headers before their first event. */
const OPEN_MS = 10;

interface Stream {
  readonly control: AbortController;
  /** The server answered, in whatever way. Never rejects. */
  readonly opened: Promise<void>;
  readonly ended: Promise<void>;
}

export class HttpListener {
  readonly #options: ListenerOptions;
  #timer: Timer | undefined;
  #stream: Stream | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Starts soon: a process that only lists is gone by then. */
  schedule(): void {
    if (this.#stream !== undefined) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(DELAY_MS, () => void this.start());
  }

  /**
   * Starts at once what was scheduled, and waits shortly for it: what the server says during a request
   * would be lost before the stream is there.
   */
  async hurry(): Promise<void> {
    if (this.#timer === undefined) return;
    void this.start();
    await this.#openedOrAfter(OPEN_MS);
  }

  /** Starts unless started. The promise settles when there is no stream, or none any more; never rejects. */
  start(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#stream !== undefined) return this.#stream.ended;
    const control = new AbortController();
    const { promise: opened, resolve: onOpened } = Promise.withResolvers<void>();
    const ended = this.#listen(control.signal, onOpened).catch((error: unknown) => {
      if (!control.signal.aborted) this.#options.onFailure(toAppError(error));
      onOpened();
    });
    this.#stream = { control, opened, ended };
    return ended;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#stream?.control.abort(new DOMException('no longer needed', 'AbortError'));
    this.#stream = undefined;
  }

  #openedOrAfter(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(limitMs, resolve);
      void this.#stream?.opened.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  async #listen(signal: AbortSignal, onOpened: () => void): Promise<void> {
    const { clock, open, onMessage, onActivity, onFailure } = this.#options;
    const response = await open(signal, undefined);
    onOpened();
    if (!isEventStream(response)) {
      await discardBody(response);
      return;
    }
    const position: StreamPosition = { lastEventId: undefined, retryMs: undefined };
    const reader = { signal, position, onMessage, onActivity };
    try {
      await readMessages(response, reader);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      onFailure(toAppError(error));
    }
    await resumeMessages({
      ...reader,
      clock,
      open: (lastEventId) => open(signal, lastEventId),
      isDone: () => false,
    });
  }
}
