/**
 * Streamable HTTP, and legacy HTTP+SSE in its place where the server turns out to speak only that: its
 * URL refuses `initialize` as such (404, 405) and answers GET with an `endpoint` event. Any other failure
 * is the failure. Source: MCP 2025-11-25, transports, backwards compatibility.
 */
import { anySignal, startLimit } from '../base/abort.ts';
import {
  type AppError,
  AuthError,
  ConnectError,
  ProtocolError,
  toAppError,
} from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { type HttpOptions, type HttpPorts, HttpTransport } from './http.ts';
import { SseTransport } from './sse-legacy.ts';
import type { SendOptions, Transport, TransportSink } from './types.ts';

/** Short: the first answer must be told before the connect limit hides it. */
const ENDPOINT_MS = 3000;

export class HttpOrSseTransport implements Transport {
  readonly #options: HttpOptions;
  readonly #ports: HttpPorts;
  #active: Transport;
  #trial: SseTransport | undefined;
  /** Why Streamable HTTP was given up. */
  #refusal: AppError | undefined;
  #sink: TransportSink | undefined;
  #isClosed = false;

  constructor(options: HttpOptions, ports: HttpPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#active = new HttpTransport(options, ports);
  }

  get kind(): Transport['kind'] {
    return this.#active.kind;
  }

  get sessionId(): string | undefined {
    return this.#active.sessionId;
  }

  get lastHeardMs(): number | undefined {
    return this.#active.lastHeardMs;
  }

  open(sink: TransportSink): void {
    this.#sink = sink;
    this.#active.open(sink);
  }

  async send(message: JsonObject, options: SendOptions): Promise<void> {
    if (message['method'] === 'initialize') await this.#initialize(message, options);
    else await this.#active.send(message, options);
  }

  acceptVersion(protocolVersion: string): void {
    this.#active.acceptVersion(protocolVersion);
  }

  listen(): void {
    this.#active.listen();
  }

  forgetSession(): void {
    this.#active.forgetSession();
  }

  diagnostics(): string {
    return this.#active.diagnostics();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#active.close(), this.#trial?.close()]);
  }

  async #initialize(message: JsonObject, options: SendOptions): Promise<void> {
    try {
      await this.#active.send(message, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (this.#refusal !== undefined) throw bothErrors(this.#refusal, toAppError(error));
      if (!isWrongAddress(error)) throw error;
      await this.#turnToSse(error, options.signal);
      await this.#initialize(message, options);
    }
  }

  async #turnToSse(first: AppError, caller: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports;
    const { name } = this.#options;
    log('debug', `${name}: ${first.message}; trying legacy HTTP+SSE`);
    const sse = new SseTransport(this.#options, this.#ports);
    this.#trial = sse;
    const limit = startLimit(clock, ENDPOINT_MS, () => new ConnectError('no endpoint event came'));
    try {
      if (this.#sink !== undefined) sse.open(this.#sink);
      if (this.#isClosed) await sse.close();
      await sse.connect(anySignal(caller, limit.signal));
    } catch (second) {
      await sse.close();
      caller.throwIfAborted();
      throw bothErrors(first, toAppError(second));
    } finally {
      limit.dispose();
      this.#trial = undefined;
    }
    await this.#active.close();
    this.#active = sse;
    this.#refusal = first;
    this.#sink?.onNotice(
      `server "${name}" speaks only the deprecated HTTP+SSE transport; transport: sse in its entry spares the first attempt`,
    );
  }
}

function isWrongAddress(error: unknown): error is ProtocolError {
  if (!(error instanceof ProtocolError)) return false;
  const { status } = error.details;
  return status === 404 || status === 405;
}

/**
 * The first failure is the one that counts, unless all the server wants is a login. The second is told where
 * it says something else.
 */
function bothErrors(first: AppError, second: AppError): AppError {
  const message =
    second.message === first.message
      ? first.message
      : `${first.message} (tried as legacy HTTP+SSE: ${second.message})`;
  if (second instanceof AuthError) {
    const { hint, details } = second;
    return new AuthError(message, {
      cause: second,
      details,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const { hint, details } = first;
  return new ProtocolError(message, {
    cause: first,
    details,
    retryable: second.retryable,
    ...(hint === undefined ? {} : { hint }),
  });
}
