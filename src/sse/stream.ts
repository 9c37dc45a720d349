/** Reads a response body as events. Joins the pure parser to a stream, a signal and a consumer. */
import { raceAbort } from '../base/abort.ts';
import { createSseParser } from './parser.ts';
import type { SseEvent, SseParserOptions } from './types.ts';

export interface SseStreamOptions extends Pick<SseParserOptions, 'onRetry' | 'maxBytes'> {
  /** Ends the reading: the iteration rejects with the signal's reason and the body is cancelled. */
  readonly signal: AbortSignal;
  /** Called for every chunk, comments included, before its events: the peer shows life. */
  readonly onActivity?: ((bytes: number) => void) | undefined;
}

/** Events in order. For one `for await`: the body can be read once. */
export interface SseStream extends AsyncIterable<SseEvent, void, void> {
  /**
   * Set once the body has ended: the event whose blank line never came. Undefined when nothing was
   * pending, or when the reading ended early. The standard drops it; see `SseParser.end`.
   */
  readonly leftover: SseEvent | undefined;
  /**
   * The last event id among the events handed out, for a resume; undefined before the first one. An
   * event still waiting for the consumer does not count. Stays after the end.
   */
  readonly lastEventId: string | undefined;
}

/**
 * Events of a `text/event-stream` body (the caller has checked the type). Nothing is read before the
 * iteration starts, nor ahead of the consumer. However the iteration ends (break, throw, abort, error),
 * the body is cancelled, without waiting for it, and its lock released.
 * Rejects with LimitError (`SseParser.feed`), after the whole events before it; with the signal's reason;
 * or with the body's own error, as it was thrown: the caller wraps it.
 */
export function openSseStream(
  body: ReadableStream<Uint8Array>,
  options: SseStreamOptions,
): SseStream {
  const ready: SseEvent[] = [];
  const parser = createSseParser({ ...options, onEvent: (event) => ready.push(event) });
  let leftover: SseEvent | undefined;
  let lastEventId: string | undefined;

  async function* readEvents(): AsyncGenerator<SseEvent, void, void> {
    for await (const chunk of readChunks(body, options.signal)) {
      options.onActivity?.(chunk.byteLength);
      const failure = feedCatching(chunk);
      for (const event of ready.splice(0)) {
        options.signal.throwIfAborted();
        lastEventId = event.id ?? lastEventId;
        yield event;
      }
      // An id may also come without data, hence without an event.
      lastEventId = parser.lastEventId;
      if (failure !== undefined) throw failure.error;
    }
    leftover = parser.end();
  }

  /** An error must not swallow the events that came before it in the same chunk. */
  function feedCatching(chunk: Uint8Array): { readonly error: unknown } | undefined {
    try {
      parser.feed(chunk);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  return {
    [Symbol.asyncIterator]: readEvents,
    get leftover() {
      return leftover;
    },
    get lastEventId() {
      return lastEventId;
    },
  };
}

async function* readChunks(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await raceAbort(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Safe to ignore: a body that has failed or ended rejects or ignores the cancel.
    reader.cancel(signal.reason).catch(() => undefined);
    reader.releaseLock();
  }
}
