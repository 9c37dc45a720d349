/**
 * A server over the deprecated HTTP+SSE: one GET stream carries every answer, messages are POSTed to the
 * endpoint it names, within the same origin. Source: MCP 2024-11-05, transports, HTTP with SSE.
 */
import { raceAbort, startLimit } from '../base/abort.ts';
import type { Timer } from '../base/clock.ts';
import { AppError, ConnectError } from '../base/errors.ts';
import { discardBody, mediaType, readErrorBody, readText, sendRequest } from '../base/http.ts';
import { type JsonObject, tryParseJson } from '../base/json.ts';
import type { HttpOptions, HttpPorts } from './http.ts';
import { networkError, redirectError, type Target } from './http-errors.ts';
import { readMessages } from './http-stream.ts';
import { InFlight } from './in-flight.ts';
import { answeredId, requestId, rpcMessages } from './message.ts';
import { openSseChannel, type SseChannel } from './sse-channel.ts';
import { postRefusedError } from './sse-endpoint.ts';
import type { SendOptions, Transport, TransportSink } from './types.ts';
import { Waiting } from './waiting.ts';

/** How long a POST may stay open after its request was answered on the stream. */
const LINGER_MS = 2000;
const BODY_MS = 2000;

export class SseTransport implements Transport {
  readonly kind = 'sse';
  lastHeardMs: number | undefined;
  readonly #target: Target;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ports: HttpPorts;
  readonly #inFlight = new InFlight();
  readonly #waiting = new Waiting();
  #sink: TransportSink | undefined;
  #channel: SseChannel | undefined;
  /** The stream broke, and nobody has asked for a new session since. */
  #lost: AppError | undefined;
  #hadHandshake = false;
  #isClosed = false;

  constructor(options: HttpOptions, ports: HttpPorts) {
    this.#target = options;
    this.#headers = options.headers;
    this.#ports = ports;
  }

  /** The endpoint names the session. */
  get sessionId(): string | undefined {
    return this.#channel?.url;
  }

  open(sink: TransportSink): void {
    this.#sink = sink;
  }

  /**
   * Waits until the server has named its endpoint; `send` does so by itself. Rejects with AppError, or
   * with the signal's reason.
   */
  async connect(signal: AbortSignal): Promise<void> {
    await raceAbort(this.#openChannel().endpoint, signal);
  }

  async send(message: JsonObject, options: SendOptions): Promise<void> {
    options.signal.throwIfAborted();
    const channel = this.#openChannel();
    const control = this.#inFlight.begin(options.signal);
    const id = requestId(message);
    let isPosting = true;
    let linger: Timer | undefined;
    if (id !== undefined) {
      const onAnswer = () => {
        if (!isPosting) return;
        linger = this.#ports.clock.after(LINGER_MS, () => control.abort(POST_DONE));
      };
      this.#waiting.add(id, options, { onAnswer });
    }
    let endpoint = this.#target.url;
    try {
      endpoint = await raceAbort(channel.endpoint, control.signal);
      await this.#post(endpoint, message, control.signal, options);
    } catch (error) {
      if (id !== undefined) this.#waiting.forget(id);
      options.signal.throwIfAborted();
      throw networkError({ ...this.#target, url: endpoint }, error);
    } finally {
      isPosting = false;
      linger?.cancel();
      control.release();
    }
  }

  acceptVersion(): void {
    this.#hadHandshake = true;
  }

  listen(): void {
    // The server may speak at any time on its stream.
  }

  forgetSession(): void {
    this.#channel?.close(this.#closedError());
    this.#channel = undefined;
    this.#lost = undefined;
    this.#hadHandshake = false;
  }

  diagnostics(): string {
    return '';
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#channel?.close(this.#closedError());
    this.#inFlight.abortAll(this.#closedError());
    this.#waiting.clear();
  }

  #openChannel(): SseChannel {
    if (this.#isClosed) {
      throw new ConnectError(`server "${this.#target.name}" is closed`, {
        details: { sent: false },
      });
    }
    if (this.#lost !== undefined) {
      throw new ConnectError(this.#lost.message, { cause: this.#lost, details: { sent: false } });
    }
    if (this.#channel !== undefined) return this.#channel;
    const channel: SseChannel = openSseChannel({
      clock: this.#ports.clock,
      fetch: this.#ports.fetch,
      target: this.#target,
      headers: this.#headers,
      onMessage: (message) => this.#deliver(message),
      onActivity: () => this.#hear(),
      onEnd: (error) => this.#lose(channel, error),
    });
    this.#channel = channel;
    return channel;
  }

  async #post(
    endpoint: string,
    message: JsonObject,
    signal: AbortSignal,
    options: SendOptions,
  ): Promise<void> {
    const response = await sendRequest(this.#ports.fetch, endpoint, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal,
    });
    if ('kind' in response) throw redirectError(this.#target, response);
    this.#hear();
    options.onActivity?.();
    if (response.ok) await this.#readReply(response, signal, options);
    else await this.#refuse(endpoint, response, signal);
  }

  async #refuse(endpoint: string, response: Response, signal: AbortSignal): Promise<never> {
    const body = await this.#readShortly(response);
    signal.throwIfAborted();
    const hadHandshake = this.#hadHandshake;
    const reply = { response, body, hadHandshake };
    throw postRefusedError(this.#target, endpoint, reply, this.#ports.clock.date());
  }

  /** Accepted. Some servers answer right here instead of on the stream. */
  async #readReply(response: Response, signal: AbortSignal, options: SendOptions): Promise<void> {
    const onActivity = () => {
      this.#hear();
      options.onActivity?.();
    };
    const onMessage = (message: JsonObject) => this.#deliver(message);
    const type = mediaType(response);
    try {
      if (type === 'text/event-stream') {
        const position = { lastEventId: undefined, retryMs: undefined };
        await readMessages(response, { signal, position, onMessage, onActivity });
      } else if (type === 'application/json') {
        const text = await readText(response, undefined, onActivity);
        for (const message of rpcMessages(tryParseJson(text))) onMessage(message);
      } else if (response.headers.get('content-length') === '0') {
        await discardBody(response);
      } else await this.#readShortly(response);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      // The message was accepted before, so its answer may still come on the stream.
      this.#ports.log('debug', networkError(this.#target, error).message);
    }
  }

  async #readShortly(response: Response): Promise<string> {
    const limit = startLimit(this.#ports.clock, BODY_MS, () => POST_DONE);
    const body = await readErrorBody(response, limit.signal);
    limit.dispose();
    return body;
  }

  #deliver(message: JsonObject): void {
    const id = answeredId(message);
    this.#sink?.onMessage(message);
    if (id !== undefined) this.#waiting.answered(id);
  }

  /** What waits for an answer hears of the stream first; it was sent. */
  #lose(channel: SseChannel, error: AppError): void {
    if (this.#isClosed || channel !== this.#channel) return;
    this.#channel = undefined;
    this.#lost = error;
    this.#waiting.clear();
    this.#sink?.onClose(error);
    this.#inFlight.abortAll(error);
  }

  #hear(): void {
    this.lastHeardMs = this.#ports.clock.now();
    this.#waiting.touch();
  }

  #closedError(): ConnectError {
    return new ConnectError(`server "${this.#target.name}" is closed`, { details: { sent: true } });
  }
}

/** Why a POST of ours was ended without being a failure. */
const POST_DONE = new DOMException('no longer needed', 'AbortError');
