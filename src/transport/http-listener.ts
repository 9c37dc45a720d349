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

export class HttpListener {
  readonly #options: ListenerOptions;
  #timer: Timer | undefined;
  #stream: { readonly control: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Starts soon: a process that only lists is gone by then. */
  schedule(): void {
    if (this.#stream !== undefined) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(DELAY_MS, () => void this.start());
  }

  /** Starts at once what was scheduled. */
  hurry(): void {
    if (this.#timer !== undefined) void this.start();
  }

  /** Starts unless started. The promise settles when there is no stream, or none any more; never rejects. */
  start(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#stream !== undefined) return this.#stream.ended;
    const control = new AbortController();
    const ended = this.#listen(control.signal).catch((error: unknown) => {
      if (!control.signal.aborted) this.#options.onFailure(toAppError(error));
    });
    this.#stream = { control, ended };
    return ended;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#stream?.control.abort(new DOMException('no longer needed', 'AbortError'));
    this.#stream = undefined;
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, open, onMessage, onActivity, onFailure } = this.#options;
    const response = await open(signal, undefined);
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
