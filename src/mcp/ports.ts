/** What a connection needs from outside. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { TransportPorts } from '../transport/create.ts';

/**
 * Answers what a server asks of its client. `signal` aborts when the server withdraws the question or is
 * gone. Throwing gives the server an internal error with the message.
 */
export type AnswerServer = (
  server: string,
  params: JsonObject,
  signal: AbortSignal,
) => Promise<JsonValue>;

export interface ConnectionPorts extends TransportPorts {
  /** Our working directory, absolute: the root that servers are told. */
  readonly cwd: string;
  /** Our version, as servers are told. */
  readonly version: string;
  /** By method; ping and roots/list are answered without. Others get "method not found". */
  readonly serverRequests: ReadonlyMap<string, AnswerServer>;
  /** As declared to every server. */
  readonly clientCapabilities: JsonObject;
  /** Hears every notification but progress and cancellation. Must not throw. */
  readonly onNotification: (server: string, method: string, params: JsonObject) => void;
}
