/** The answer to one request over an event stream, wherever the stream is continued. */
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { closedStreamError, type Target } from './http-errors.ts';
import { readMessages, resumeMessages, type StreamReader } from './http-stream.ts';

/** A request whose answer has not come yet; it may come on the GET stream as well. */
export interface Exchange {
  readonly id: number;
  readonly method: string;
  /** Of a revision whose streams are neither resumed nor answered on another one. */
  readonly isModern: boolean;
  isAnswered: boolean;
  onAnswer: (() => void) | undefined;
}

export interface AnswerSource {
  readonly clock: Clock;
  readonly target: Target;
  /** Opens the same stream again. Rejects as `fetch` does. */
  readonly open: (lastEventId: string | undefined) => Promise<Response>;
  /** Starts the server's own stream; settles when there is none. Never rejects. */
  readonly listen: () => Promise<void>;
}

/** How long an answer may come late over the GET stream after the POST's own stream ended without it. */
const LATE_ANSWER_MS = 2000;

/**
 * Reads the reply's stream to its end. One that ends before the answer is resumed where it gave event
 * ids; otherwise the answer may still come over the GET stream within 2 s. Rejects with ProtocolError
 * (details: sent true) when it does not, with LimitError, or with the signal's reason.
 */
export async function followAnswer(
  exchange: Exchange,
  response: Response,
  reader: StreamReader,
  source: AnswerSource,
): Promise<void> {
  const { signal, position } = reader;
  let cut: unknown;
  try {
    await readMessages(response, reader);
  } catch (error) {
    if (error instanceof AppError || (signal.aborted && !exchange.isAnswered)) throw error;
    cut = error;
  }
  if (exchange.isAnswered) return;
  if (exchange.isModern) throw closedStreamError(source.target, exchange.method, cut);
  if (position.lastEventId !== undefined) {
    const isDone = () => exchange.isAnswered;
    await resumeMessages({ ...reader, clock: source.clock, open: source.open, isDone });
  } else if (cut === undefined && exchange.method !== 'initialize') {
    await awaitLateAnswer(exchange, signal, source);
  }
  if (!exchange.isAnswered) throw closedStreamError(source.target, exchange.method, cut);
}

async function awaitLateAnswer(
  exchange: Exchange,
  signal: AbortSignal,
  { clock, listen }: AnswerSource,
): Promise<void> {
  const ended = listen();
  await new Promise<void>((resolve) => {
    const timer = clock.after(LATE_ANSWER_MS, resolve);
    const stop = () => {
      timer.cancel();
      signal.removeEventListener('abort', stop);
      resolve();
    };
    exchange.onAnswer = stop;
    signal.addEventListener('abort', stop, { once: true });
    void ended.then(stop);
  });
  signal.throwIfAborted();
}
