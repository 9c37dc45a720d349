/**
 * The standing request by which a 2026-07-28 server tells of changes. Held open, opened again after a
 * pause. Source: MCP 2026-07-28, subscriptions.
 */
import { type Clock, sleep } from '../base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { LogSink } from '../transport/types.ts';
import { RpcError } from './errors.ts';

export interface SubscriptionOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly log: LogSink;
  /** Sends `subscriptions/listen`; settles when the server ends it. Rejects as `Peer.request` does. */
  readonly listen: (params: JsonObject, signal: AbortSignal) => Promise<JsonValue>;
  /** Opened again: changes may have been missed. */
  readonly onGap: () => void;
}

/** What a server with these capabilities can tell of; empty when it tells of nothing. */
export function changesOf(capabilities: JsonObject, uris: readonly string[]): JsonObject {
  const tells = (kind: string) => isSet(capabilities[kind], 'listChanged');
  return {
    ...(tells('tools') ? { toolsListChanged: true } : {}),
    ...(tells('prompts') ? { promptsListChanged: true } : {}),
    ...(tells('resources') ? { resourcesListChanged: true } : {}),
    ...(canWatch(capabilities) && uris.length > 0 ? { resourceSubscriptions: uris } : {}),
  };
}

/** True when single resources can be watched. */
export function canWatch(capabilities: JsonObject): boolean {
  return isSet(capabilities['resources'], 'subscribe');
}

function isSet(capability: JsonValue | undefined, flag: string): boolean {
  return isJsonObject(capability) && capability[flag] === true;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;
const MAX_FAILURES = 10;

export class Subscription {
  readonly #options: SubscriptionOptions;
  #control: AbortController | undefined;
  #wanted = '';
  #failures = 0;
  #isGranted = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** Asks for these changes from now on, at once. The same again does nothing; an empty filter ends it. */
  want(filter: JsonObject): void {
    const wanted = JSON.stringify(filter);
    if (wanted === this.#wanted) return;
    this.stop();
    this.#wanted = wanted;
    if (Object.keys(filter).length === 0) return;
    const control = new AbortController();
    this.#control = control;
    this.#failures = 0;
    // It never rejects: each failure is looked at in the loop.
    void this.#run(filter, control.signal);
  }

  /** The server granted what `params` says; the rest is never told. */
  acknowledged(params: JsonObject): void {
    this.#failures = 0;
    this.#isGranted = true;
    const { notifications } = params;
    const granted = isJsonObject(notifications) ? Object.keys(notifications) : [];
    this.#log(`is told of ${granted.length === 0 ? 'no changes' : granted.join(', ')}`);
  }

  stop(): void {
    this.#control?.abort(new DOMException('no longer needed', 'AbortError'));
    this.#control = undefined;
    this.#wanted = '';
  }

  async #run(filter: JsonObject, signal: AbortSignal): Promise<void> {
    const { clock, listen, onGap, random } = this.#options;
    while (!signal.aborted) {
      try {
        await listen({ notifications: filter }, signal);
        this.#log('the server ended the subscription');
      } catch (error) {
        if (signal.aborted) return;
        this.#log(`subscription: ${error instanceof Error ? error.message : String(error)}`);
        // It was understood and refused, so it would be again.
        if (error instanceof RpcError && !this.#isGranted) return;
      }
      this.#failures += 1;
      if (this.#failures > MAX_FAILURES) return;
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
      try {
        await sleep(clock, pauseMs * (0.5 + random() / 2), signal);
      } catch {
        // Only an abort ends the sleep early.
        return;
      }
      onGap();
    }
  }

  #log(text: string): void {
    this.#options.log('debug', `${this.#options.name}: ${text}`);
  }
}
