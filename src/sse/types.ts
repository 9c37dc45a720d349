/** What the SSE parser gives and takes. Terms of WHATWG HTML 9.2. */

export interface SseEvent {
  /** The `event` field. Undefined when absent or empty: the standard then says "message". */
  readonly event?: string | undefined;
  /** All `data` fields of the event, joined by LF. May be empty: `data:` alone is an event. */
  readonly data: string;
  /**
   * The `id` field sent with this very event, may be empty; undefined when it had none. The id that
   * stays from earlier events is `SseParser.lastEventId`.
   */
  readonly id?: string | undefined;
}

export interface SseParserOptions {
  /** Called inside `feed` as soon as the blank line of an event is complete. */
  readonly onEvent: (event: SseEvent) => void;
  /** Called inside `feed` for each valid `retry` field, in milliseconds, as sent: the caller clamps. */
  readonly onRetry?: ((retryMs: number) => void) | undefined;
  /**
   * Bound in bytes of one event: its data, event, id and retry lines, without line ends, the unfinished
   * line included. Comments and unknown fields are dropped and do not count; a sequence that is not UTF-8
   * counts as its replacement, three bytes. Default 16 MiB.
   */
  readonly maxBytes?: number | undefined;
}

export interface SseParser {
  /**
   * Takes the next piece, cut anywhere: UTF-8 bytes, or text (where a surrogate pair may be cut too).
   * The bytes are not kept by reference. Throws LimitError (details: limit, maxBytes) when an event
   * passes `maxBytes`; complete events before it were given. After that, or after an error thrown by a
   * callback, call `reset`. Callbacks must not call back into the parser.
   */
  feed(chunk: Uint8Array | string): void;
  /**
   * Ends the stream and makes the parser new. The standard drops an event without its blank line;
   * so no callback sees it, but it is returned (its last line taken as complete) for callers who can
   * tell that it is whole. Undefined when no data was pending.
   */
  end(): SseEvent | undefined;
  /** Forgets everything, `lastEventId` and a LimitError included, for a new stream. */
  reset(): void;
  /** The last event id of this stream ("" when the server cleared it); undefined before the first. */
  readonly lastEventId: string | undefined;
}

/** 16 MiB. */
export const DEFAULT_MAX_EVENT_BYTES = 16 * 1024 * 1024;
