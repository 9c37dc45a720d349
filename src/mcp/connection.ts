/**
 * Owns all about one server: connects, discovers, calls, notices its end and starts it again. The only
 * place that changes its state.
 */

import { readCredentials } from '../auth/headers.ts';
import type { SignIn } from '../auth/sign-in.ts';
import { anySignal, raceAbort, startLimit } from '../base/abort.ts';
import {
  type AppError,
  AuthError,
  ConnectError,
  InternalError,
  toAppError,
} from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import type { SourceCall, ToolResult } from '../tools/types.ts';
import { createTransport, type RemoteEndpoint } from '../transport/create.ts';
import { mayDownload } from '../transport/launchers.ts';
import { type Credentials, openCredentials, signInFor } from './credentials.ts';
import { cancelled, connectFault, connectTimeout, stackOf, withDiagnostics } from './errors.ts';
import { HangWatch } from './hang-watch.ts';
import { identityOf } from './identity.ts';
import { Link } from './link.ts';
import { meet } from './meet.ts';
import type { Agreement } from './negotiate.ts';
import type { ConnectionPorts } from './ports.ts';
import { Requests } from './requests.ts';
import { ServerMemory } from './server-memory.ts';
import { StatusBoard } from './states.ts';
import { ToolList } from './tool-list.ts';
import type { Connection, ServerRequestOptions, ServerStatus } from './types.ts';

/** A connection to a server outside this process. Nothing is started before `connect`. */
export function createConnection(config: ServerConfig, ports: ConnectionPorts): Connection {
  if (config.endpoint.kind === 'builtin') {
    throw new InternalError(`server "${config.name}" is a built-in, not a connection`);
  }
  return new ServerConnection(config, config.endpoint, ports);
}

class ServerConnection implements Connection {
  readonly name: string;
  readonly kind: RemoteEndpoint['kind'];
  readonly identity: string;
  readonly config: ServerConfig;
  readonly #endpoint: RemoteEndpoint;
  readonly #ports: ConnectionPorts;
  readonly #board: StatusBoard;
  readonly #hangs: HangWatch;
  readonly #requests: Requests;
  readonly #memory: ServerMemory;
  readonly #tools: ToolList;
  readonly #credentials: Credentials;
  readonly #closing = new AbortController();
  /** Links on their way out; `close` waits for them. */
  readonly #leaving = new Set<Promise<void>>();
  #link: Link | undefined;
  #connecting: Promise<void> | undefined;
  #hasConnected = false;
  /** Why calls do not start the server again by themselves. */
  #blocked: AppError | undefined;
  #closed: Promise<void> | undefined;

  constructor(config: ServerConfig, endpoint: RemoteEndpoint, ports: ConnectionPorts) {
    this.name = config.name;
    this.kind = endpoint.kind;
    this.config = config;
    this.identity = identityOf(endpoint);
    this.#endpoint = endpoint;
    this.#ports = ports;
    this.#board = new StatusBoard(config);
    this.#hangs = new HangWatch(ports.clock);
    this.#requests = new Requests({
      config,
      ports,
      readyLink: (signal) => this.#readyLink(signal),
      onAnswered: () => this.#hangs.reset(),
      onTimedOut: (link, startedMs) => this.#timedOut(link, startedMs),
      onContradicted: (link) => this.#contradicted(link),
      signIn: (error, signal) => this.#signIn(error, signal),
    });
    this.#credentials = openCredentials(config.name, endpoint, ports, this.#closing.signal);
    const memory = new ServerMemory(config, endpoint, ports, this.signIn);
    this.#memory = memory;
    this.#tools = new ToolList({ config, ports, board: this.#board, memory });
  }

  get signIn(): SignIn | undefined {
    return this.#credentials.signIn;
  }

  status(): ServerStatus {
    return this.#board.current;
  }

  onChange(listener: () => void): () => void {
    return this.#board.listen(listener);
  }

  connect(signal: AbortSignal): Promise<void> {
    if (!this.config.enabled || this.#closed !== undefined) return Promise.resolve();
    this.#blocked = undefined;
    this.#hangs.reset();
    return this.#start(signal);
  }

  tryAgain(signal: AbortSignal): Promise<void> {
    if (this.#closed !== undefined || this.status().state !== 'failed') return Promise.resolve();
    return this.#start(signal, true);
  }

  call(call: SourceCall): Promise<ToolResult> {
    return this.#requests.call(call);
  }

  request(method: string, params: JsonObject, options: ServerRequestOptions): Promise<JsonValue> {
    return this.#requests.request(method, params, options);
  }

  refresh(signal: AbortSignal): Promise<void> {
    const link = this.#link;
    if (link === undefined || this.status().state !== 'ready') return Promise.resolve();
    // Not before: whoever only lists or makes one call is gone by then.
    link.subscribe(this.status().capabilities, this.#ports.watchedResources?.(this.name) ?? []);
    if (!this.#tools.isDirty) return Promise.resolve();
    return this.#tools.refresh(link, anySignal(signal, this.#closing.signal));
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #start(signal: AbortSignal, isQuiet = false): Promise<void> {
    this.#connecting ??= this.#connectOnce(signal, isQuiet).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connectOnce(caller: AbortSignal, isQuiet: boolean): Promise<void> {
    const { clock } = this.#ports;
    this.#credentials.source?.reset();
    try {
      for (let link: Link | undefined; link === undefined; ) {
        const startedAt = clock.now();
        link = await this.#meetOnce(caller, isQuiet).catch(async (thrown: unknown) => {
          if (await this.#signIn(thrown, caller)) return undefined;
          throw thrown;
        });
        if (link === undefined) continue;
        this.#board.update({ state: 'ready', error: undefined, readyMs: clock.now() - startedAt });
        link.listen();
      }
    } catch (thrown) {
      this.#connectFailed(caller.aborted ? cancelled(this.name) : thrown);
    }
  }

  /** One attempt within the connect limit. Rejects with AppError or the signal's reason. */
  async #meetOnce(caller: AbortSignal, isQuiet: boolean): Promise<Link> {
    const { clock } = this.#ports;
    const { connectMs } = this.config.timeout;
    if (!isQuiet) {
      this.#board.update({ state: 'connecting', error: undefined, readyMs: undefined });
    }
    this.#dropLink();
    // Two processes of one server may fight over its files.
    if (this.kind === 'stdio') await Promise.all(this.#leaving);
    let phase = 'initialize';
    const limit = startLimit(clock, connectMs, () => connectTimeout(this.name, phase, connectMs));
    const signal = anySignal(caller, limit.signal, this.#closing.signal);
    try {
      signal.throwIfAborted();
      const mayUseKept = !this.#hasConnected;
      this.#hasConnected = true;
      return await meet({
        config: this.config,
        ports: this.#ports,
        memory: this.#memory,
        signal,
        mayUseKept,
        openLink: () => this.#openLink(),
        dropLink: () => {
          this.#dropLink();
          return Promise.all(this.#leaving);
        },
        onAgreed: (over, agreement) => {
          phase = 'tools/list';
          this.#agreedOn(over, agreement, isQuiet ? {} : { state: 'discovering' });
        },
        tools: this.#tools,
      });
    } finally {
      limit.dispose();
    }
  }

  /** Has a person sign in where that helps, however long it takes. True: the same request may succeed now. */
  #signIn(error: unknown, signal: AbortSignal): Promise<boolean> {
    const { signIn } = this.#credentials;
    return signInFor(error, signIn, this.#ports.signInBy, anySignal(signal, this.#closing.signal));
  }

  #agreedOn(link: Link, agreement: Agreement, shown: Pick<Partial<ServerStatus>, 'state'>): void {
    const { era, protocolVersion, capabilities, serverInfo, instructions } = agreement;
    this.#board.update({
      ...shown,
      kind: link.transport.kind,
      era,
      protocolVersion,
      serverInfo,
      instructions,
      capabilities,
    });
    this.#board.notice(agreement.notices);
  }

  #openLink(): Link {
    const { name, config } = this;
    const ports = this.#ports;
    const { source, refusedHint } = this.#credentials;
    const transport = createTransport(
      name,
      this.#endpoint,
      (http) => ({
        ...readCredentials(name, http, ports.env),
        ...(refusedHint === undefined ? {} : { hasToken: true, refusedHint }),
      }),
      source === undefined ? ports : { ...ports, dress: source.wrap },
    );
    const link: Link = new Link({
      name,
      transport,
      connectMs: config.timeout.connectMs,
      ports,
      mayDownload:
        this.#endpoint.kind === 'stdio' && mayDownload(this.#endpoint.command, this.#endpoint.args),
      onNotice: (notice) => this.#board.notice([notice]),
      onToolsChanged: () => {
        this.#tools.isDirty = true;
      },
      whileAsked: (work) => this.#requests.whileAsked(work),
      inputSchemaOf: (tool) => this.status().tools.find((one) => one.name === tool)?.inputSchema,
      relist: (signal) => this.#tools.read(link, signal),
      onLost: (error) => this.#lost(link, error),
    });
    this.#link = link;
    link.open();
    return link;
  }

  #connectFailed(thrown: unknown): void {
    const said = this.#link?.transport.diagnostics() ?? '';
    this.#dropLink();
    if (this.#closing.signal.aborted) return;
    const { log, version } = this.#ports;
    const found = toAppError(thrown);
    const isFault = found instanceof InternalError;
    const error = isFault ? connectFault(this.name, version, found) : found;
    if (isFault) log('debug', `${this.name}: ${stackOf(found)}`);
    this.#board.update({
      state: error instanceof AuthError ? 'needs_auth' : 'failed',
      error: withDiagnostics(error, said),
    });
  }

  /** The link to call over, connecting first where there is none. */
  async #readyLink(signal: AbortSignal): Promise<Link> {
    signal.throwIfAborted();
    if (this.#connecting !== undefined) await raceAbort(this.#connecting, signal);
    const { state } = this.status();
    if (state === 'closed' || state === 'disabled') {
      throw new ConnectError(`server "${this.name}" is ${state}`, { details: { sent: false } });
    }
    if (this.#blocked !== undefined) throw this.#blocked;
    if (this.#link === undefined || state !== 'ready') {
      // Under its own limit: whoever stops waiting does not stop it for others.
      await raceAbort(this.#start(this.#closing.signal), signal);
    }
    if (this.#link !== undefined && this.status().state === 'ready') return this.#link;
    const error = this.status().error;
    if (error instanceof AuthError) throw error;
    throw new ConnectError(error?.message ?? `server "${this.name}" is ${this.status().state}`, {
      cause: error,
      details: { ...error?.details, sent: false },
    });
  }

  #timedOut(link: Link, startedMs: number): void {
    if (!link.isConfirmed) this.#memory.forget();
    if (link !== this.#link) return;
    if (this.#hangs.count(startedMs)) {
      this.#blocked = new ConnectError(
        `server "${this.name}": several calls in a row ran out of time`,
        {
          hint: `/mcp reconnect ${this.name}`,
          details: { sent: false },
        },
      );
      this.#dropLink();
      this.#board.notice([`${this.#blocked.message}; it is not called any more`]);
      this.#board.update({ state: 'failed', error: this.#blocked });
    } else if (link.transport.kind === 'http') link.markStale();
    else if (this.config.restartOnTimeout) {
      this.#hangs.watch(link.transport, () => {
        this.#dropLink();
        this.#board.update({ state: 'idle' });
      });
    }
  }

  #contradicted(link: Link): void {
    this.#memory.forget();
    if (link !== this.#link) return;
    this.#dropLink();
    this.#board.update({ state: 'idle' });
  }

  #lost(link: Link, error: AppError): void {
    if (!link.isConfirmed) this.#memory.forget();
    if (link !== this.#link) return;
    const wasReady = this.status().state === 'ready';
    // While connecting, the request that waits reports it.
    if (!wasReady) return;
    this.#dropLink();
    this.#board.update({ state: 'failed', error });
  }

  #dropLink(): void {
    this.#hangs.cancel();
    const link = this.#link;
    if (link === undefined) return;
    this.#link = undefined;
    const leaving = link.close().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  async #end(): Promise<void> {
    this.#closing.abort(
      new ConnectError(`server "${this.name}" is closed`, { details: { sent: false } }),
    );
    this.#dropLink();
    await this.#connecting;
    await Promise.all(this.#leaving);
    this.#board.update({ state: 'closed' });
  }
}
