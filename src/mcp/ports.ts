/** What a connection needs from outside. */
import type { Interaction, LoginStore, Subject } from '../auth/types.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { TransportPorts } from '../transport/create.ts';
import type { EraMemory } from './era-memory.ts';

/**
 * Answers what a server asks of its client. `signal` aborts when the server withdraws the question or is
 * gone. Throwing gives the server an internal error with the message.
 */
export type AnswerServer = (
  server: string,
  params: JsonObject,
  signal: AbortSignal,
) => Promise<JsonValue>;

export interface NamedLogin {
  readonly subject: Subject;
  /** Its addresses may be private ones, and http. */
  readonly allowPrivate: boolean;
}

export interface ConnectionPorts extends TransportPorts {
  /** Sign-ins that are kept. Absent: none. */
  readonly logins?: LoginStore;
  /** A person who may sign in while a request waits. Absent: it fails and names the command. */
  readonly signInBy?: Interaction | undefined;
  /** What a person types after `usher mcp login` for this server, a bare URL with its flags. Absent: its name. */
  readonly loginWords?: string | undefined;
  /** A login of `logins:`; `undefined`: there is none of that name. */
  readonly namedLogin?: (name: string) => NamedLogin | undefined;
  /** Our working directory, absolute: the root that servers are told. */
  readonly cwd: string;
  /** Our version, as servers are told. */
  readonly version: string;
  /** By method; ping and roots/list are answered without. Others get "method not found". */
  readonly serverRequests: ReadonlyMap<string, AnswerServer>;
  /** As declared to every server. */
  readonly clientCapabilities: JsonObject;
  /** The least of the log messages that are wanted, `debug` … `emergency`; absent: none. */
  readonly logLevel?: string;
  /** What earlier runs found out about servers; absent: each is met for the first time. */
  readonly memory?: EraMemory;
  /**
   * Whether a tool list of an earlier run may stand in for a new one while its server lets it: one request
   * less for a single call. Default false.
   */
  readonly usesKeptTools?: boolean;
  /** Between 0 and 1; jitter. Default Math.random. */
  readonly random?: () => number;
  /** URIs of resources of `server` whose updates are wanted, asked for between turns; absent: none. */
  readonly watchedResources?: (server: string) => readonly string[];
  /** Hears every notification but progress and cancellation. Must not throw. */
  readonly onNotification: (server: string, method: string, params: JsonObject) => void;
}
