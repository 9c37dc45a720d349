/**
 * Reads a response body as events, all of a chunk at a time: for readers that take what there is in one go
 * and cannot afford a promise for each event. `stream.ts` gives the same events one by one.
 */
import { createSseParser } from './parser.ts';
import type { SseStreamOptions } from './stream.ts';
import type { SseEvent } from './types.ts';

/** For one reader: `next` must not be called again before it has settled. */
export interface SseBatches {
  /**
   * The events of the next chunk that completes any, in order; `undefined` once the body has ended. Rejects
   * with LimitError (`SseParser.feed`), after the whole events before it; with the signal's reason; or with
   * the body's own error. After that, and after the end, it gives `undefined`.
   */
  next(): Promise<readonly SseEvent[] | undefined>;
  /** Gives the body up, without waiting for it. Idempotent; not needed after the end or an error. */
  close(): void;
  /** Set once the body has ended: the event whose blank line never came; see `SseParser.end`. */
  readonly leftover: SseEvent | undefined;
  /** The last event id among the events given so far, for a resume; undefined before the first one. */
  readonly lastEventId: string | undefined;
}

/** Batches of a `text/event-stream` body (the caller has checked the type). Locks the body; reads nothing ahead of `next`. */
export function openSseBatches(
  body: ReadableStream<Uint8Array>,
  options: SseStreamOptions,
): SseBatches {
  const { signal, onActivity } = options;
  const reader = body.getReader();
  let ready: SseEvent[] = [];
  const parser = createSseParser({ ...options, onEvent: (event) => ready.push(event) });
  let failure: { readonly error: unknown } | undefined;
  let leftover: SseEvent | undefined;
  let lastEventId: string | undefined;
  let isClosed = false;

  // Cancelling ends a read that waits, so one listener serves all reads. Safe to ignore: a body that has
  // failed or ended rejects or ignores it.
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });

  const release = () => {
    isClosed = true;
    signal.removeEventListener('abort', cancel);
    reader.releaseLock();
  };
  const close = () => {
    if (isClosed) return;
    cancel();
    release();
  };
  const feed = (chunk: Uint8Array) => {
    onActivity?.(chunk.byteLength);
    ready = [];
    try {
      parser.feed(chunk);
    } catch (error) {
      // The events before it in the same chunk are given first.
      failure = { error };
    }
    lastEventId = parser.lastEventId;
  };
  const read = async (): Promise<readonly SseEvent[] | undefined> => {
    for (;;) {
      if (failure !== undefined) throw failure.error;
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      feed(value);
      if (ready.length > 0) return ready;
    }
    leftover = parser.end();
    release();
    return undefined;
  };

  return {
    async next() {
      if (isClosed) return undefined;
      try {
        return await read();
      } catch (error) {
        close();
        throw signal.aborted ? signal.reason : error;
      }
    },
    close,
    get leftover() {
      return leftover;
    },
    get lastEventId() {
      return lastEventId;
    },
  };
}
