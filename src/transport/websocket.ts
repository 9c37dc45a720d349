/**
 * A server over WebSocket: one JSON-RPC message per text frame, both ways. MCP does not specify it; this
 * is what servers that offer it do, with the subprotocol `mcp`.
 */
import { raceAbort } from '../base/abort.ts';
import type { Timer } from '../base/clock.ts';
import { type AppError, ConnectError, LimitError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import type { JsonObject } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';
import { readFrame } from './frames.ts';
import type { HttpOptions } from './http.ts';
import { answeredId, requestId } from './message.ts';
import type { LogSink, SendOptions, Transport, TransportSink } from './types.ts';
import { Waiting } from './waiting.ts';
import { type DialPorts, dialWebSocket } from './ws-dial.ts';

export interface WebSocketPorts extends DialPorts {
  readonly log: LogSink;
}

/** 16 MiB. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** While a call is out: middleboxes cut what stays silent, most of them after a minute. */
const PING_MS = 30_000;
/** How long the server may take to agree to the end. */
const CLOSE_MS = 1000;
const NOTICE_CHARACTERS = 120;
const NORMAL = 1000;
const TOO_BIG = 1009;

/** One attempt to have a socket, and the socket. */
interface Line {
  readonly control: AbortController;
  readonly opened: Promise<WebSocket>;
}

export class WebSocketTransport implements Transport {
  readonly kind = 'ws';
  readonly sessionId = undefined;
  lastHeardMs: number | undefined;
  readonly #options: HttpOptions;
  readonly #ports: WebSocketPorts;
  readonly #waiting = new Waiting();
  #sink: TransportSink | undefined;
  #line: Line | undefined;
  /** The socket broke, and nobody has asked for a new session since. */
  #lost: AppError | undefined;
  #ping: Timer | undefined;
  #hasNoticed = false;
  #closed: Promise<void> | undefined;

  constructor(options: HttpOptions, ports: WebSocketPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  open(sink: TransportSink): void {
    this.#sink = sink;
  }

  async send(message: JsonObject, options: SendOptions): Promise<void> {
    options.signal.throwIfAborted();
    const line = this.#openLine();
    const socket = await raceAbort(line.opened, options.signal);
    if (line !== this.#line || socket.readyState !== WebSocket.OPEN) throw this.#unsent();
    const id = requestId(message);
    if (id !== undefined) {
      // Its pong tells whether the server, or only that request, hangs.
      this.#waiting.add(id, options, { onGiveUp: () => ping(socket) });
      this.#schedulePing(socket);
    }
    socket.send(JSON.stringify(message));
  }

  acceptVersion(): void {
    // Only HTTP repeats the version with every message.
  }

  listen(): void {
    // The server may speak at any time.
  }

  forgetSession(): void {
    void this.#drop();
    this.#lost = undefined;
  }

  diagnostics(): string {
    return '';
  }

  close(): Promise<void> {
    this.#closed ??= this.#drop();
    return this.#closed;
  }

  #openLine(): Line {
    if (this.#closed !== undefined || this.#lost !== undefined) throw this.#unsent();
    if (this.#line !== undefined) return this.#line;
    const control = new AbortController();
    const line: Line = { control, opened: this.#dial(control.signal, () => line) };
    this.#line = line;
    // Whoever sends hears of it.
    line.opened.catch(() => undefined);
    return line;
  }

  async #dial(signal: AbortSignal, lineOf: () => Line): Promise<WebSocket> {
    const { name, headers } = this.#options;
    const socket = await dialWebSocket(this.#options, headers, this.#ports, signal);
    const isCurrent = () => this.#line === lineOf();
    this.#hear();
    const onFrame = (event: MessageEvent<unknown>) => {
      if (isCurrent()) this.#receive(socket, event.data);
    };
    socket.addEventListener('message', onFrame);
    for (const kind of ['ping', 'pong']) {
      socket.addEventListener(kind, () => {
        this.lastHeardMs = this.#ports.clock.now();
      });
    }
    socket.addEventListener('error', (event) =>
      this.#ports.log('debug', `${name}: ${event instanceof ErrorEvent ? event.message : 'error'}`),
    );
    socket.addEventListener('close', ({ code, reason }) => {
      if (isCurrent()) this.#lose(closedError(name, code, reason));
    });
    return socket;
  }

  #receive(socket: WebSocket, data: unknown): void {
    this.#hear();
    const frame = decode(data);
    if (frame === undefined) {
      this.#lose(frameLimitError(this.#options.name));
      void this.#end(socket, TOO_BIG);
      return;
    }
    const { messages, stray } = readFrame(frame);
    if (stray !== undefined) this.#ignore(stray);
    for (const message of messages) {
      const id = answeredId(message);
      this.#sink?.onMessage(message);
      if (id !== undefined) this.#waiting.answered(id);
    }
  }

  #ignore(text: string): void {
    const { name } = this.#options;
    const shown = escapeForTerminal(shorten(scrubSecrets(text), NOTICE_CHARACTERS));
    this.#ports.log('debug', `${name}: frame: ${shown}`);
    if (this.#hasNoticed) return;
    this.#hasNoticed = true;
    this.#sink?.onNotice(`server "${name}" sends frames that are no protocol messages: ${shown}`);
  }

  /** Nothing is sent while nobody waits for anything. */
  #schedulePing(socket: WebSocket): void {
    this.#ping ??= this.#ports.clock.after(PING_MS, () => {
      this.#ping = undefined;
      if (this.#waiting.size === 0) return;
      ping(socket);
      this.#schedulePing(socket);
    });
  }

  #lose(error: AppError): void {
    this.#forgetLine();
    this.#lost = error;
    this.#sink?.onClose(error);
  }

  #forgetLine(): Line | undefined {
    const line = this.#line;
    this.#line = undefined;
    this.#waiting.clear();
    this.#ping?.cancel();
    this.#ping = undefined;
    return line;
  }

  async #drop(): Promise<void> {
    const line = this.#forgetLine();
    if (line === undefined) return;
    line.control.abort(
      new ConnectError(`server "${this.#options.name}" is closed`, { details: { sent: false } }),
    );
    const socket = await line.opened.catch(() => undefined);
    if (socket !== undefined) await this.#end(socket, NORMAL);
  }

  #end(socket: WebSocket, code: number): Promise<void> {
    if (socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#ports.clock.after(CLOSE_MS, () => {
        socket.terminate();
        resolve();
      });
      socket.addEventListener('close', () => {
        timer.cancel();
        resolve();
      });
      socket.close(code);
    });
  }

  #unsent(): ConnectError {
    const text = this.#lost?.message ?? `server "${this.#options.name}" is closed`;
    return new ConnectError(text, { cause: this.#lost, details: { sent: false } });
  }

  #hear(): void {
    this.lastHeardMs = this.#ports.clock.now();
    this.#waiting.touch();
  }
}

function ping(socket: WebSocket): void {
  if (socket.readyState === WebSocket.OPEN) socket.ping();
}

/** Text of a frame, binary ones as UTF-8; `undefined` beyond the bound. */
function decode(data: unknown): string | undefined {
  if (typeof data === 'string') {
    const mayPass = data.length * 3 > MAX_FRAME_BYTES;
    return mayPass && Buffer.byteLength(data) > MAX_FRAME_BYTES ? undefined : data;
  }
  if (!(data instanceof ArrayBuffer)) return '';
  return data.byteLength > MAX_FRAME_BYTES ? undefined : new TextDecoder().decode(data);
}

function closedError(name: string, code: number, reason: string): ConnectError {
  const said = excerpt(reason);
  return new ConnectError(
    `server "${name}" closed the WebSocket (${code}${said === '' ? '' : `: ${said}`})`,
    { retryable: code !== NORMAL, details: { sent: true, closeCode: code } },
  );
}

function frameLimitError(name: string): LimitError {
  const maxMiB = MAX_FRAME_BYTES / 1024 / 1024;
  return new LimitError(`server "${name}": a message is larger than ${maxMiB} MiB`, {
    details: { limit: 'ws_message', maxBytes: MAX_FRAME_BYTES, sent: true },
  });
}
