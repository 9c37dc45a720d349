/** What a 2026-07-28 exchange needs while it is not over, and the answers to a server's questions in it. */
import type { Clock } from '../base/clock.ts';
import { LimitError, ProtocolError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ToolProgress } from '../tools/types.ts';

export interface OpenExchange {
  readonly server: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** One request under an id of its own. Rejects as `Peer.request` does. */
  readonly send: (method: string, params: JsonObject) => Promise<JsonValue>;
  /** One request that changes nothing, tried again like a list. */
  readonly read: (method: string, params: JsonObject) => Promise<JsonValue>;
  /** Sends without waiting, after the exchange was given up. */
  readonly post: (method: string, params: JsonObject) => void;
  /** Answers what the server asks. Rejects when it is not offered, or as the answer does. */
  readonly answer: (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonValue>;
  readonly onProgress: (progress: ToolProgress) => void;
  /** The server showed life. */
  readonly onActivity: () => void;
}

/** More at once are nothing that a person can look at. */
const MAX_QUESTIONS = 16;

/**
 * The answers to a map of questions, under the same keys. One that fails withdraws the others. Rejects with
 * LimitError for more than 16.
 */
export async function answerAll(
  requests: JsonValue | undefined,
  { answer, server, signal }: OpenExchange,
): Promise<JsonObject> {
  const entries = isJsonObject(requests) ? Object.entries(requests) : [];
  if (entries.length > MAX_QUESTIONS) {
    throw new LimitError(`server "${server}" asks ${entries.length} questions at once`, {
      details: { limit: 'input questions', questions: MAX_QUESTIONS },
    });
  }
  const round = new AbortController();
  const onAbort = () => round.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const answers = entries.map(async ([key, request]) => {
      const { method, params } = isJsonObject(request) ? request : {};
      if (typeof method !== 'string') {
        throw new ProtocolError(`server "${server}" asks for input without saying which`);
      }
      return [key, await answer(method, isJsonObject(params) ? params : {}, round.signal)] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  } catch (error) {
    round.abort(error);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
