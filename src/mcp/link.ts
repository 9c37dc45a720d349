/**
 * One live way to a server: its transport, its peer and their handshake. Renews the session once when
 * the server has forgotten it. Knows nothing of tools, states or call limits.
 */
import { anySignal, raceAbort, startLimit } from '../base/abort.ts';
import { type AppError, AuthError, ConnectError, toAppError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Transport } from '../transport/types.ts';
import { durationText, isSessionLost } from './errors.ts';
import { listRoots } from './handlers/roots.ts';
import { type Handshake, shakeHands } from './handshake.ts';
import { Peer, type RequestHandler, type RequestOptions } from './peer.ts';
import type { ConnectionPorts } from './ports.ts';

export interface LinkOptions {
  readonly name: string;
  readonly transport: Transport;
  /** Limit of a handshake that renews the session. */
  readonly connectMs: number;
  readonly ports: ConnectionPorts;
  readonly onNotice: (notice: string) => void;
  readonly onToolsChanged: () => void;
  /** Runs `work`, which answers a question of the server, while no clock of silence runs. */
  readonly whileAsked: <T>(work: () => Promise<T>) => Promise<T>;
  /** The way is gone for good; what waited has been rejected. */
  readonly onLost: (error: AppError) => void;
}

/** A near server has answered by then; a far one is not waited for, to spare a round trip. */
const ACKNOWLEDGE_MS = 10;

export class Link {
  readonly transport: Transport;
  /** Settles once `notifications/initialized` is out and, over HTTP, answered; `undefined` afterwards. */
  acknowledging: Promise<void> | undefined;
  readonly #options: LinkOptions;
  readonly #peer: Peer;
  readonly #closing = new AbortController();
  #renewing: Promise<void> | undefined;
  #isStale = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.transport = options.transport;
    this.#peer = new Peer({
      name: options.name,
      transport: options.transport,
      log: options.ports.log,
      requests: requestHandlers(options),
      onNotification: (method, params) => {
        if (method === 'notifications/tools/list_changed') options.onToolsChanged();
        options.ports.onNotification(options.name, method, params);
      },
    });
  }

  /** Throws as `Transport.open` does. */
  open(): void {
    this.transport.open({
      onMessage: (message) => this.#peer.receive(message),
      onNotice: this.#options.onNotice,
      onClose: (error) => {
        this.#peer.failAll(error);
        this.#options.onLost(error);
      },
    });
  }

  /** Rejects as `shakeHands` and `Peer.request` do. May be repeated. */
  async shakeHands(signal: AbortSignal): Promise<Handshake> {
    const { name, ports } = this.#options;
    this.transport.forgetSession();
    const handshake = await shakeHands(
      (params) => this.#peer.request('initialize', params, { signal }),
      name,
      ports,
    );
    this.transport.acceptVersion(handshake.protocolVersion);
    // Over HTTP what follows may overtake it on another connection, so a quick answer is waited for.
    this.acknowledging = this.#peer.notify('notifications/initialized').then(() => {
      this.acknowledging = undefined;
    });
    await this.#orAfter(this.acknowledging, ACKNOWLEDGE_MS);
    return handshake;
  }

  /**
   * One request. When the server has forgotten our session, and so did not act on it, a new session is
   * made, once for all requests that wait, and the request is sent once more.
   */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
    await this.settle(options.signal);
    const session = this.transport.sessionId;
    try {
      return await this.#peer.request(method, params, options);
    } catch (error) {
      if (!isSessionLost(error)) throw error;
      if (this.transport.sessionId === session) this.#startRenewal();
      if (this.#renewing !== undefined) await raceAbort(this.#renewing, options.signal);
      return this.#peer.request(method, params, options);
    }
  }

  /** Waits until no new session is being made; afterwards a request is sent at once. */
  async settle(signal: AbortSignal): Promise<void> {
    if (this.#isStale) this.#startRenewal();
    if (this.#renewing !== undefined) await raceAbort(this.#renewing, signal);
  }

  /** A new session is made before the next request. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Lets the server speak unasked. */
  listen(): void {
    this.transport.listen();
  }

  /** Idempotent; what waits is rejected. */
  close(): Promise<void> {
    const { name } = this.#options;
    const closed = new ConnectError(`server "${name}" is closed`, { details: { sent: true } });
    this.#closing.abort(closed);
    this.#peer.failAll(closed);
    return this.transport.close();
  }

  /** Settles when `work`, which never rejects, does, or after the limit. */
  #orAfter(work: Promise<void>, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.ports.clock.after(limitMs, resolve);
      void work.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #startRenewal(): void {
    this.#isStale = false;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    // Whoever waits for it hears of its failure; without anybody waiting it is nobody's.
    this.#renewing.catch(() => undefined);
  }

  async #renew(): Promise<void> {
    const { name, connectMs, ports } = this.#options;
    ports.log('debug', `${name}: making a new session`);
    const limit = startLimit(
      ports.clock,
      connectMs,
      () =>
        new ConnectError(
          `no answer to initialize within ${durationText(connectMs)} (timeout.connect)`,
        ),
    );
    try {
      await this.shakeHands(anySignal(limit.signal, this.#closing.signal));
      this.listen();
      // A server that forgot its sessions was most likely started anew, maybe with other tools.
      this.#options.onToolsChanged();
    } catch (thrown) {
      this.#isStale = true;
      const error = toAppError(thrown);
      if (error instanceof AuthError) throw error;
      throw new ConnectError(
        `server "${name}" ended our session, and a new one failed: ${error.message}`,
        {
          cause: error,
          details: { sent: false },
        },
      );
    } finally {
      limit.dispose();
    }
  }
}

function requestHandlers({ name, ports, whileAsked }: LinkOptions): Map<string, RequestHandler> {
  const handlers = new Map<string, RequestHandler>([
    ['ping', () => ({})],
    ['roots/list', () => listRoots(ports.cwd)],
  ]);
  for (const [method, answer] of ports.serverRequests) {
    handlers.set(method, (params, signal) => whileAsked(() => answer(name, params, signal)));
  }
  return handlers;
}
