/** Test driver: feeds pieces to a new parser and writes down all that it gives. */
import { createSseParser } from '../../src/sse/parser.ts';
import type { SseEvent } from '../../src/sse/types.ts';

export interface Reading {
  readonly events: readonly SseEvent[];
  readonly retries: readonly number[];
  readonly lastEventId: string | undefined;
  readonly pending: SseEvent | undefined;
}

export function readAll(pieces: readonly (Uint8Array | string)[], maxBytes?: number): Reading {
  const events: SseEvent[] = [];
  const retries: number[] = [];
  const parser = createSseParser({
    onEvent: (event) => events.push(event),
    onRetry: (retryMs) => retries.push(retryMs),
    maxBytes,
  });
  for (const piece of pieces) parser.feed(piece);
  const { lastEventId } = parser;
  return { events, retries, lastEventId, pending: parser.end() };
}

export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Bytes or text in pieces of `size`; text is cut between UTF-16 units, pairs included. */
export function cutEvery<T extends Uint8Array | string>(whole: T, size: number): T[] {
  const pieces: T[] = [];
  for (let at = 0; at < whole.length; at += size) {
    // `slice` of bytes gives bytes, of text text.
    pieces.push(whole.slice(at, at + size) as T);
  }
  return pieces;
}
