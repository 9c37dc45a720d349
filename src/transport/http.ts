/**
 * A server over Streamable HTTP: each message is a POST, its answer JSON or an event stream; one GET
 * stream lets the server speak unasked. Source: MCP 2025-11-25, transports; all legacy revisions fit.
 */
import { startLimit } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { ConnectError } from '../base/errors.ts';
import {
  discardBody,
  type Fetch,
  type HttpRequest,
  mediaType,
  readErrorBody,
  readText,
  sendRequest,
} from '../base/http.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { type Exchange, followAnswer } from './http-answer.ts';
import {
  isPassing,
  networkError,
  noAnswerError,
  redirectError,
  sessionGoneError,
  statusError,
  type Target,
} from './http-errors.ts';
import { HttpListener } from './http-listener.ts';
import { isEventStream, type StreamPosition } from './http-stream.ts';
import { isNear, readAnswerText } from './http-text.ts';
import { type Control, InFlight } from './in-flight.ts';
import { answeredId, requestId, rpcError, rpcMessages } from './message.ts';
import { isEnveloped, standardHeaders } from './modern.ts';
import { HttpSession, isSessionGone } from './session.ts';
import type { LogSink, SendOptions, Transport, TransportSink } from './types.ts';

export interface HttpPorts {
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly log: LogSink;
}

export interface HttpOptions {
  readonly name: string;
  readonly url: string;
  /** Configured headers and credentials, ready to send. Those of the protocol win over them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether credentials of ours are among them. */
  readonly hasToken: boolean;
}

/** How long a stream may go on after its answer. */
const LINGER_MS = 2000;
const ERROR_BODY_MS = 2000;
const DELETE_MS = 1000;
const MAX_IGNORED_BODY_BYTES = 64 * 1024;

export class HttpTransport implements Transport {
  readonly kind = 'http';
  lastHeardMs: number | undefined;
  readonly #target: Target;
  readonly #isNear: boolean;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ports: HttpPorts;
  readonly #session = new HttpSession();
  readonly #exchanges = new Map<number, Exchange>();
  readonly #inFlight = new InFlight();
  readonly #listener: HttpListener;
  #sink: TransportSink | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: HttpOptions, ports: HttpPorts) {
    this.#target = options;
    this.#isNear = isNear(options.url);
    this.#ports = ports;
    this.#headers = {
      ...lowerCaseNames(options.headers),
      accept: 'application/json, text/event-stream',
    };
    this.#listener = new HttpListener({
      clock: ports.clock,
      open: (signal, lastEventId) => this.#openStream(signal, lastEventId),
      onMessage: (message) => this.#deliver(message),
      onActivity: () => this.#hear(),
      onFailure: (error) => ports.log('debug', networkError(this.#target, error).message),
    });
  }

  get sessionId(): string | undefined {
    return this.#session.id;
  }

  open(sink: TransportSink): void {
    this.#sink = sink;
  }

  async send(message: JsonObject, options: SendOptions): Promise<void> {
    options.signal.throwIfAborted();
    if (this.#closed !== undefined) {
      throw new ConnectError(`server "${this.#target.name}" is closed`, {
        details: { sent: false },
      });
    }
    const id = requestId(message);
    const control = this.#inFlight.begin(options.signal);
    const exchange = id === undefined ? undefined : this.#expect(id, message);
    // By the time of the answer another request may have found the session gone, too.
    const hadSession = this.#session.id !== undefined;
    try {
      if (exchange !== undefined) await this.#listener.hurry();
      const response = await this.#request('POST', control.signal, JSON.stringify(message), {
        ...options.headers,
        ...standardHeaders(message),
      });
      options.onActivity?.();
      if (!response.ok) await this.#finishRefusal(exchange, response, control.signal, hadSession);
      else if (exchange === undefined) await this.#finishNotification(response);
      else await this.#finishRequest(exchange, response, control, options);
    } catch (error) {
      options.signal.throwIfAborted();
      throw networkError(this.#target, error);
    } finally {
      control.release();
      if (exchange !== undefined) this.#exchanges.delete(exchange.id);
    }
  }

  acceptVersion(protocolVersion: string): void {
    this.#session.acceptVersion(protocolVersion);
  }

  listen(): void {
    if (this.#closed === undefined) this.#listener.schedule();
  }

  forgetSession(): void {
    this.#listener.stop();
    this.#session.forget();
  }

  diagnostics(): string {
    return '';
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#listener.stop();
    const closed = new ConnectError(`server "${this.#target.name}" is closed`, {
      details: { sent: true },
    });
    this.#inFlight.abortAll(closed);
    if (this.#session.id === undefined) return;
    const limit = startLimit(this.#ports.clock, DELETE_MS, () => closed);
    try {
      const response = await this.#request('DELETE', limit.signal);
      await discardBody(response);
    } catch (error) {
      this.#ports.log('debug', networkError(this.#target, error).message);
    } finally {
      limit.dispose();
    }
  }

  async #request(
    method: HttpRequest['method'],
    signal: AbortSignal,
    body?: string,
    extra?: Record<string, string>,
  ): Promise<Response> {
    const headers = { ...this.#headers, ...this.#session.headers(), ...extra };
    const request =
      body === undefined
        ? { method, headers, signal }
        : { method, headers: { ...headers, 'content-type': 'application/json' }, signal, body };
    const response = await sendRequest(this.#ports.fetch, this.#target.url, request);
    if ('kind' in response) throw redirectError(this.#target, response);
    this.#hear();
    return response;
  }

  async #finishNotification(response: Response): Promise<void> {
    if (mediaType(response) === 'text/event-stream') await discardBody(response);
    else await readText(response, MAX_IGNORED_BODY_BYTES);
  }

  async #finishRequest(
    exchange: Exchange,
    response: Response,
    control: Control,
    options: SendOptions,
  ): Promise<void> {
    const onActivity = () => {
      this.#hear();
      options.onActivity?.();
    };
    if (exchange.method === 'initialize') this.#session.takeId(response);
    if (isEventStream(response)) {
      await this.#readAnswerStream(exchange, response, control, onActivity);
      return;
    }
    const { clock } = this.#ports;
    const text = await readAnswerText(response, { clock, isNear: this.#isNear, onActivity });
    const value = tryParseJson(text);
    for (const message of rpcMessages(value)) this.#deliver(message);
    if (!exchange.isAnswered && isJsonObject(value)) this.#deliverError(exchange, value);
    if (!exchange.isAnswered) {
      throw noAnswerError(this.#target, exchange.method, response, text.slice(0, 8192));
    }
  }

  async #readAnswerStream(
    exchange: Exchange,
    response: Response,
    control: Control,
    onActivity: () => void,
  ): Promise<void> {
    let linger: Timer | undefined;
    exchange.onAnswer = () => {
      linger ??= this.#ports.clock.after(LINGER_MS, () => control.abort(STREAM_DONE));
    };
    const position: StreamPosition = { lastEventId: undefined, retryMs: undefined };
    const onMessage = (message: JsonObject) => this.#deliver(message);
    const reader = { signal: control.signal, position, onMessage, onActivity };
    try {
      await followAnswer(exchange, response, reader, {
        clock: this.#ports.clock,
        target: this.#target,
        open: (lastEventId) => this.#openStream(control.signal, lastEventId),
        listen: () => this.#listener.start(),
      });
    } finally {
      linger?.cancel();
    }
  }

  /** A JSON-RPC error in the body of a refusal is the answer; anything else is thrown. */
  async #finishRefusal(
    exchange: Exchange | undefined,
    response: Response,
    signal: AbortSignal,
    hadSession: boolean,
  ): Promise<void> {
    const { status } = response;
    const body = await this.#readErrorBody(response, signal);
    if (hadSession && isSessionGone(status, body)) {
      throw sessionGoneError(this.#target, response, body);
    }
    const value = tryParseJson(body);
    const mayAnswer = isRefusalOfRequest(status) && isJsonObject(value);
    if (exchange !== undefined && mayAnswer && !isAboutAddress(exchange, status, value)) {
      this.#deliverError(exchange, value, ` (HTTP ${status})`);
    }
    if (exchange?.isAnswered === true) return;
    throw statusError(this.#target, response, body, this.#ports.clock.date());
  }

  async #readErrorBody(response: Response, signal: AbortSignal): Promise<string> {
    const limit = startLimit(this.#ports.clock, ERROR_BODY_MS, () => STREAM_DONE);
    const body = await readErrorBody(response, limit.signal);
    limit.dispose();
    signal.throwIfAborted();
    return body;
  }

  /**
   * Servers that refuse before reading the id answer with `id: null`; a POST has one answer, so it is
   * ours. `remark` is added to what the server said.
   */
  #deliverError(exchange: Exchange, value: JsonObject, remark = ''): void {
    const isOurs = answeredId(value) === exchange.id || (value['id'] ?? null) === null;
    const error = isJsonObject(value['error']) ? rpcError(value) : undefined;
    if (!isOurs || error === undefined) return;
    if (value['jsonrpc'] !== '2.0' && error.code === undefined) return;
    this.#deliver({
      jsonrpc: '2.0',
      id: exchange.id,
      error: { ...error, message: `${error.message}${remark}` },
    });
  }

  #deliver(message: JsonObject): void {
    const id = answeredId(message);
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    this.#sink?.onMessage(message);
    if (exchange === undefined) return;
    exchange.isAnswered = true;
    exchange.onAnswer?.();
  }

  #openStream(signal: AbortSignal, lastEventId: string | undefined): Promise<Response> {
    return this.#request('GET', signal, undefined, {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
  }

  #expect(id: number, message: JsonObject): Exchange {
    const method = String(message['method']);
    const exchange: Exchange = {
      id,
      method,
      isModern: isEnveloped(message),
      isAnswered: false,
      onAnswer: undefined,
    };
    this.#exchanges.set(id, exchange);
    return exchange;
  }

  #hear(): void {
    this.lastHeardMs = this.#ports.clock.now();
  }
}

/** The handshake was refused before anybody read it: nobody speaks Streamable HTTP at this address. */
function isAboutAddress({ id, method }: Exchange, status: number, value: JsonObject): boolean {
  return method === 'initialize' && [404, 405].includes(status) && answeredId(value) !== id;
}

/** Not about credentials, and not about a server that is only busy. */
function isRefusalOfRequest(status: number): boolean {
  return status !== 401 && status !== 403 && !isPassing(status);
}

/** Why a stream of ours was ended without being a failure. */
const STREAM_DONE = new DOMException('no longer needed', 'AbortError');

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
