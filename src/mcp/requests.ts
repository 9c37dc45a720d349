/**
 * What the host asks of one server: two clocks per request, what may be sent again, and what became of
 * it. Knows no state of the server; the connection gives the link and hears of the outcome.
 */
import { type AppError, LimitError, toAppError, UnknownOutcomeError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import type { SourceCall, ToolResult } from '../tools/types.ts';
import { adaptResult } from './adapt.ts';
import { type CallClocks, startCallClocks } from './call-clocks.ts';
import { EraContradictedError, isOutcomeUnknown, unknownOutcome } from './errors.ts';
import type { Link } from './link.ts';
import type { ConnectionPorts } from './ports.ts';
import { isRetryable, isUnsent, retryConnecting } from './retry.ts';
import type { ServerRequestOptions } from './types.ts';

export interface RequestsOptions {
  readonly config: ServerConfig;
  readonly ports: ConnectionPorts;
  /** Connects where there is no link. Rejects with AppError or the signal's reason. */
  readonly readyLink: (signal: AbortSignal) => Promise<Link>;
  readonly onAnswered: () => void;
  /** A call that was sent over `link` ran out of time; `startedMs` by the clock. */
  readonly onTimedOut: (link: Link, startedMs: number) => void;
  /** The server at the end of `link` is not of the era that was remembered. */
  readonly onContradicted: (link: Link) => void;
  /** Has a person sign in where that helps. True: the request was refused unread and may be sent again. */
  readonly signIn: (error: unknown, signal: AbortSignal) => Promise<boolean>;
}

export class Requests {
  readonly #options: RequestsOptions;
  readonly #clocks = new Set<CallClocks>();
  #asking = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** See `ToolSource`. */
  async call(call: SourceCall): Promise<ToolResult> {
    try {
      return await this.#againIfContradicted(call.signal, (link) => this.#callOver(link, call));
    } catch (error) {
      if (call.signal.aborted) throw error;
      throw outcomeOf(error, this.#options.config.name, call.tool);
    }
  }

  async #callOver(link: Link, call: SourceCall): Promise<ToolResult> {
    const { name } = this.#options.config;
    const clocks = this.#startClocks(call.tool, call.signal);
    const params = { name: call.tool, arguments: call.arguments };
    let isSent = false;
    const send = async () => {
      await link.settle(clocks.signal);
      isSent = true;
      return link.request('tools/call', params, {
        signal: clocks.signal,
        onProgress: call.onProgress,
        onActivity: clocks.touch,
      });
    };
    try {
      const result = await this.#retrying(clocks.signal, isUnsent, send);
      this.#options.onAnswered();
      return adaptResult(result);
    } catch (error) {
      if (call.signal.aborted) throw call.signal.reason;
      if (error instanceof EraContradictedError) throw error;
      if (isSent && error === clocks.signal.reason && error instanceof LimitError) {
        this.#options.onTimedOut(link, clocks.startedMs);
        throw unknownOutcome(name, call.tool, error);
      }
      throw outcomeOf(error, name, call.tool);
    } finally {
      this.#endClocks(clocks);
    }
  }

  /** See `Connection`. */
  request(method: string, params: JsonObject, options: ServerRequestOptions): Promise<JsonValue> {
    return this.#againIfContradicted(options.signal, (link) =>
      this.#requestOver(link, method, params, options),
    );
  }

  async #requestOver(
    link: Link,
    method: string,
    params: JsonObject,
    { signal, onProgress }: ServerRequestOptions,
  ): Promise<JsonValue> {
    const clocks = this.#startClocks(method, signal);
    const options = {
      signal: clocks.signal,
      onActivity: clocks.touch,
      ...(onProgress === undefined ? {} : { onProgress }),
    };
    try {
      return await this.#retrying(clocks.signal, isRetryable, () =>
        link.request(method, params, options),
      );
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toAppError(error);
    } finally {
      this.#endClocks(clocks);
    }
  }

  /** Holds every clock of silence while `work`, in which a question of the server is answered, runs. */
  async whileAsked<T>(work: () => Promise<T>): Promise<T> {
    this.#asking += 1;
    for (const clocks of this.#clocks) clocks.pause();
    try {
      return await work();
    } finally {
      this.#asking -= 1;
      for (const clocks of this.#clocks) clocks.resume();
    }
  }

  /** Once more after a sign-in, and over a new link when the remembered era was wrong and nothing was executed. */
  async #againIfContradicted<T>(signal: AbortSignal, work: (link: Link) => Promise<T>): Promise<T> {
    const { onContradicted, readyLink, signIn } = this.#options;
    const link = await readyLink(signal);
    try {
      return await work(link);
    } catch (error) {
      if (await signIn(error, signal)) return work(await readyLink(signal));
      if (!(error instanceof EraContradictedError)) throw error;
      onContradicted(link);
      // What the server answered is the answer where it may have acted on the request.
      if (isOutcomeUnknown(error)) throw error.cause;
      return work(await readyLink(signal));
    }
  }

  #startClocks(what: string, signal: AbortSignal): CallClocks {
    const clocks = startCallClocks(this.#options.ports.clock, this.#options.config, what, signal);
    for (let held = 0; held < this.#asking; held += 1) clocks.pause();
    this.#clocks.add(clocks);
    return clocks;
  }

  #endClocks(clocks: CallClocks): void {
    this.#clocks.delete(clocks);
    clocks.dispose();
  }

  #retrying<T>(
    signal: AbortSignal,
    isWorthIt: (error: unknown) => boolean,
    work: () => Promise<T>,
  ): Promise<T> {
    const { config, ports } = this.#options;
    return retryConnecting({ name: config.name, ports, signal, isWorthIt }, work);
  }
}

/** The error of a call: one that nobody answered has an unknown outcome. */
function outcomeOf(error: unknown, server: string, tool: string): AppError {
  if (error instanceof UnknownOutcomeError || !isOutcomeUnknown(error)) return toAppError(error);
  return unknownOutcome(server, tool, error);
}
