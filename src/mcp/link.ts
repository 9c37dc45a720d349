/**
 * One live way to a server: its transport, its peer, and what the two sides agreed on. Renews a legacy
 * session once when the server has forgotten it. Knows nothing of tools, states or call limits.
 */
import { anySignal, raceAbort, startLimit } from '../base/abort.ts';
import { type AppError, AuthError, ConnectError, toAppError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import { isModernOnly } from '../transport/era.ts';
import { type Client, envelopeFor } from '../transport/modern.ts';
import type { Transport } from '../transport/types.ts';
import { durationText, isSessionLost } from './errors.ts';
import { listRoots } from './handlers/roots.ts';
import { type Handshake, shakeHands } from './handshake.ts';
import { contradiction, ModernRequests } from './modern-requests.ts';
import { type Agreement, type NegotiateOptions, negotiate } from './negotiate.ts';
import { Peer, type RequestHandler, type RequestOptions } from './peer.ts';
import type { ConnectionPorts } from './ports.ts';
import { canWatch, changesOf, Subscription } from './subscription.ts';
import { TASKS_EXTENSION } from './task.ts';

export interface LinkOptions {
  readonly name: string;
  readonly transport: Transport;
  /** Limit of a handshake that renews the session. */
  readonly connectMs: number;
  readonly ports: ConnectionPorts;
  /** A process that may be fetched before it starts. */
  readonly mayDownload: boolean;
  readonly onNotice: (notice: string) => void;
  readonly onToolsChanged: () => void;
  /** Runs `work`, which answers a question of the server, while no clock of silence runs. */
  readonly whileAsked: <T>(work: () => Promise<T>) => Promise<T>;
  /** See `ModernOptions`. */
  readonly inputSchemaOf: (tool: string) => JsonObject | undefined;
  readonly relist: (signal: AbortSignal) => Promise<void>;
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
  readonly #handlers: ReadonlyMap<string, RequestHandler>;
  readonly #client: Client;
  readonly #peer: Peer;
  readonly #subscription: Subscription;
  readonly #closing = new AbortController();
  readonly #heard = Promise.withResolvers<void>();
  /** Agreed on 2026-07-28 or later. */
  #modern: ModernRequests | undefined;
  /** By session and URI. */
  readonly #watched = new Set<string>();
  #renewing: Promise<void> | undefined;
  #isStale = false;

  constructor(options: LinkOptions) {
    const { name, ports, transport } = options;
    this.#options = options;
    this.transport = transport;
    this.#handlers = requestHandlers(options);
    this.#client = clientOf(ports);
    this.#peer = new Peer({
      name,
      transport,
      log: ports.log,
      requests: this.#handlers,
      onNotification: (method, params) => this.#notice(method, params),
    });
    this.#subscription = new Subscription({
      name,
      clock: ports.clock,
      random: ports.random ?? Math.random,
      log: ports.log,
      listen: (params, signal) => this.request('subscriptions/listen', params, { signal }),
      onGap: options.onToolsChanged,
    });
  }

  /** Throws as `Transport.open` does. */
  open(): void {
    this.transport.open({
      onMessage: (message) => this.#peer.receive(message),
      onNotice: this.#options.onNotice,
      onHeard: () => this.#heard.resolve(),
      onClose: (error) => {
        this.#subscription.stop();
        this.#peer.failAll(error);
        this.#options.onLost(error);
      },
    });
  }

  /** Finds out how the server speaks. Rejects as `negotiate` does. May be repeated. */
  async agree(
    protocol: ServerConfig['protocol'],
    probes: NegotiateOptions['probes'],
    signal: AbortSignal,
  ): Promise<Agreement> {
    const { name, connectMs, ports } = this.#options;
    // Only those two ways are in the modern specification; others are tried when it is asked for.
    const isProbed = protocol === '2026-07-28' || ['http', 'stdio'].includes(this.transport.kind);
    const agreement = await negotiate(
      {
        discover: (version, probeSignal) =>
          this.#peer.request(
            'server/discover',
            {},
            { signal: probeSignal, meta: envelopeFor(version, this.#client) },
          ),
        initialize: (ownSignal) => this.#shakeHands(ownSignal),
        isProcess: this.transport.kind === 'stdio',
        heard: this.#options.mayDownload ? this.#heard.promise : undefined,
      },
      {
        name,
        clock: ports.clock,
        protocol,
        probes: isProbed ? probes : 'never',
        connectMs,
        signal,
      },
    );
    this.adopt(agreement, true);
    return agreement;
  }

  /** False: only an earlier run knows how the server speaks, and nothing has come of it yet. */
  get isConfirmed(): boolean {
    return this.#modern?.isConfirmed ?? true;
  }

  /** Goes on from what was agreed on; `isConfirmed`: by this link, not by an earlier run. */
  adopt(agreement: Agreement, isConfirmed: boolean): void {
    if (agreement.era === 'legacy') return;
    const { name, ports, inputSchemaOf, relist } = this.#options;
    const isHttp = this.transport.kind === 'http';
    this.#peer.cancelsByClosing = isHttp;
    this.#modern = new ModernRequests({
      name,
      ports,
      peer: this.#peer,
      client: this.#client,
      version: agreement.protocolVersion,
      handlers: this.#handlers,
      hasHeaders: isHttp,
      inputSchemaOf,
      relist,
      isConfirmed,
    });
  }

  /**
   * One request, to its final result. When a legacy server has forgotten our session, and so did not act on
   * it, a new session is made, once for all requests that wait, and the request is sent once more. Rejects
   * with EraContradictedError when the server speaks otherwise than was agreed on.
   */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
    if (this.#modern !== undefined) return this.#modern.request(method, params, options);
    await this.settle(options.signal);
    const session = this.transport.sessionId;
    try {
      return await this.#peer.request(method, params, options);
    } catch (error) {
      if (isModernOnly(error)) throw contradiction(error);
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

  /** A new session, where there are sessions, is made before the next request. */
  markStale(): void {
    this.#isStale = this.#modern === undefined;
  }

  /** Lets a legacy server speak unasked. */
  listen(): void {
    if (this.#modern === undefined) this.transport.listen();
  }

  /** Asks to be told of changes and of updates of `uris`, as far as the server can. Returns at once. */
  subscribe(capabilities: JsonObject, uris: readonly string[]): void {
    if (this.#modern !== undefined) this.#subscription.want(changesOf(capabilities, uris));
    else if (canWatch(capabilities)) for (const uri of uris) void this.#watch(uri);
  }

  /** Idempotent; what waits is rejected. */
  close(): Promise<void> {
    const { name } = this.#options;
    const closed = new ConnectError(`server "${name}" is closed`, { details: { sent: true } });
    this.#subscription.stop();
    this.#closing.abort(closed);
    this.#peer.failAll(closed);
    return this.transport.close();
  }

  #notice(method: string, params: JsonObject): void {
    const { name, ports, onToolsChanged } = this.#options;
    if (method === 'notifications/subscriptions/acknowledged') {
      this.#subscription.acknowledged(params);
      return;
    }
    this.#modern?.cache.notice(method, params);
    if (method === 'notifications/tools/list_changed') onToolsChanged();
    ports.onNotification(name, method, params);
  }

  /** A legacy server forgets it with the session; the next turn asks again. Never rejects. */
  async #watch(uri: string): Promise<void> {
    const { name, ports } = this.#options;
    const key = `${this.transport.sessionId} ${uri}`;
    if (this.#watched.has(key)) return;
    this.#watched.add(key);
    try {
      await this.request('resources/subscribe', { uri }, { signal: this.#closing.signal });
    } catch (error) {
      ports.log('debug', `${name}: resources/subscribe: ${toAppError(error).message}`);
    }
  }

  /** Rejects as `shakeHands` and `Peer.request` do. May be repeated. */
  async #shakeHands(signal: AbortSignal): Promise<Handshake> {
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
      await this.#shakeHands(anySignal(limit.signal, this.#closing.signal));
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

/** Of the modern era, in which a client declares itself with every request. */
function clientOf({ version, clientCapabilities, logLevel }: ConnectionPorts): Client {
  const { extensions } = clientCapabilities;
  const capabilities = {
    ...clientCapabilities,
    extensions: { ...(isJsonObject(extensions) ? extensions : {}), [TASKS_EXTENSION]: {} },
  };
  return { version, capabilities, logLevel };
}
