/** What scripts need of the house; the host passes it in. */
import type { Clock } from '../base/clock.ts';
import type { Executor } from '../calls/execute.ts';
import type { CallOrigin, RegisteredTool, RegistrySnapshot } from '../tools/types.ts';
import type { Bridge } from './bridge.ts';

/** A server, as a script asks about it. Texts are clean and without secrets. */
export interface ScriptServer {
  readonly name: string;
  readonly description: string | undefined;
  readonly instructions: string | undefined;
  /** Why it is not there. */
  readonly problem: string | undefined;
}

export interface ScriptPorts {
  readonly clock: Clock;
  readonly bridge: Bridge;
  /** The one road. */
  readonly executor: Pick<Executor, 'admit'>;
  readonly snapshot: () => RegistrySnapshot;
  readonly servers: () => readonly ScriptServer[];
  /** Names of the servers that may still bring tools; asked before each call. */
  readonly pending: () => readonly string[];
  /** Resolves when this server is ready or has failed; rejects with the signal's reason only. */
  readonly awaitServer: (server: string, signal: AbortSignal) => Promise<void>;
  /** Ranks tools for a query, best first. */
  readonly search: (
    tools: readonly RegisteredTool[],
    query: string,
    limit: number,
  ) => readonly RegisteredTool[];
  /** Text of a server for a model: harmless, without secrets. */
  readonly clean: (text: string) => string;
  /** Keeps values from one script to the next. */
  readonly store: Map<string, string>;
  /** Pauses a script's clock while a person is asked. Returns the way to stop. */
  readonly onAsking: (listener: (isAsking: boolean) => void) => () => void;
  readonly origin: CallOrigin;
}
