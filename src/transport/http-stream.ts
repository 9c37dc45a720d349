/** Messages out of event streams, and their resume after a cut. Source: MCP 2025-11-25, Streamable HTTP. */
import { type Clock, sleep } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { discardBody, mediaType } from '../base/http.ts';
import { type JsonObject, tryParseJson } from '../base/json.ts';
import { openSseBatches } from '../sse/batches.ts';
import type { SseEvent } from '../sse/types.ts';
import { rpcMessages } from './message.ts';

/** Where a stream stands, for its resume. One per stream: servers give each its own pause. */
export interface StreamPosition {
  lastEventId: string | undefined;
  /** As the server sent it, in milliseconds. */
  retryMs: number | undefined;
}

export interface StreamReader {
  readonly signal: AbortSignal;
  readonly position: StreamPosition;
  readonly onMessage: (message: JsonObject) => void;
  readonly onActivity: () => void;
}

/**
 * Reads a `text/event-stream` answer to its end. Events of other types and data that is no JSON-RPC
 * count as life only. A last event without its blank line is taken when it is one whole message.
 * Returns the number of events. Rejects with LimitError, the signal's reason, or the network's error.
 */
export async function readMessages(response: Response, reader: StreamReader): Promise<number> {
  const { position, signal, onActivity } = reader;
  if (response.body === null) return 0;
  const batches = openSseBatches(response.body, {
    signal,
    onActivity,
    onRetry: (retryMs) => {
      position.retryMs = retryMs;
    },
  });
  let events = 0;
  try {
    for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) {
      for (const event of batch) {
        signal.throwIfAborted();
        events += 1;
        position.lastEventId = event.id ?? position.lastEventId;
        giveMessages(event, reader);
      }
    }
    if (batches.leftover !== undefined) giveMessages(batches.leftover, reader);
  } finally {
    // An id may also come without data, hence without an event.
    if (!signal.aborted) position.lastEventId = batches.lastEventId ?? position.lastEventId;
    batches.close();
  }
  return events;
}

export interface Resume extends StreamReader {
  readonly clock: Clock;
  /** Opens the stream again after `lastEventId`. Rejects as `fetch` does. */
  readonly open: (lastEventId: string | undefined) => Promise<Response>;
  /** True once nothing more is expected. */
  readonly isDone: () => boolean;
}

const MAX_EMPTY_RESUMES = 5;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 30_000;
const DEFAULT_RETRY_MS = 500;
const BACKOFF_MS = 250;

/**
 * Opens a stream that was cut again and again until nothing more is expected: after the pause the server
 * asked for, between 100 ms and 30 s, longer after each resume that brought nothing. Five of those in a
 * row, or an answer that is no stream, end it. Rejects with LimitError or the signal's reason.
 */
export async function resumeMessages(resume: Resume): Promise<void> {
  const { clock, signal, position } = resume;
  for (let empty = 0; empty < MAX_EMPTY_RESUMES && !resume.isDone(); ) {
    await sleep(clock, pauseMs(position.retryMs, empty), signal);
    if (resume.isDone()) return;
    const outcome = await resumeOnce(resume);
    if (outcome === 'refused') return;
    empty = outcome === 'empty' ? empty + 1 : 0;
  }
}

async function resumeOnce(resume: Resume): Promise<'refused' | 'empty' | 'read'> {
  const { signal } = resume;
  try {
    const response = await resume.open(resume.position.lastEventId);
    if (!isEventStream(response)) {
      await discardBody(response);
      return 'refused';
    }
    return (await readMessages(response, resume)) === 0 ? 'empty' : 'read';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    // The network failed: like a stream that brought nothing.
    return 'empty';
  }
}

export function isEventStream(response: Response): boolean {
  return response.status === 200 && mediaType(response) === 'text/event-stream';
}

function pauseMs(askedMs: number | undefined, empty: number): number {
  const asked = Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, askedMs ?? DEFAULT_RETRY_MS));
  return empty === 0 ? asked : Math.min(MAX_RETRY_MS, Math.max(asked, BACKOFF_MS * 2 ** empty));
}

function giveMessages(event: SseEvent, reader: StreamReader): void {
  if (event.event !== undefined && event.event !== 'message') return;
  for (const message of rpcMessages(tryParseJson(event.data))) reader.onMessage(message);
}
