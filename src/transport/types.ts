/** How messages travel. A transport knows JSON-RPC's shape, but no method beyond what it must carry. */
import type { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { LogLevel } from '../base/log.ts';

/** Where a transport and the layer above report what they did; the surface decides what is shown. */
export type LogSink = (level: LogLevel, message: string) => void;

/** Whom a transport tells what came in. Set once, by `open`. */
export interface TransportSink {
  /** One JSON-RPC message; batches arrive one by one. */
  onMessage(message: JsonObject): void;
  /** A fact for the person, shown once. */
  onNotice(notice: string): void;
  /** The first bytes of a process came, on stdout or stderr. */
  onHeard?(): void;
  /** The way to the server is gone; nothing follows. Not called after `close`. */
  onClose(error: AppError): void;
}

export interface SendOptions {
  /** Ends the exchange of a request: over HTTP its POST is closed. */
  readonly signal: AbortSignal;
  /** Bytes came that belong to this request alone, keep-alive comments included. */
  readonly onActivity?: () => void;
  /** Sent with this message alone, in lower case; only HTTP has any. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One way to one server.
 *
 * Errors of `send` and `onClose` are AppErrors whose details tell about the request: `sent: false` means
 * proven not executed; `sent: true` means that it went out and no answer came; absent means that the
 * server answered and refused. `retryable` says that the same request may succeed later.
 */
export interface Transport {
  readonly kind: 'http' | 'sse' | 'ws' | 'stdio';
  /** Starts the way, without waiting for the server. Throws ConnectError, AuthError or ConfigError. */
  open(sink: TransportSink): void;
  /**
   * Carries one message. Resolves when it is out and, for a request over HTTP, when its answer has come;
   * a request over stdio is answered through the sink alone. Rejects with AppError, or with the signal's
   * reason.
   */
  send(message: JsonObject, options: SendOptions): Promise<void>;
  /** After the handshake: the version that holds from now on. */
  acceptVersion(protocolVersion: string): void;
  /** Lets the server speak unasked, where that needs a stream of its own. Returns at once. */
  listen(): void;
  /** Forgets the server's session, if there is one, so that a new handshake can follow. */
  forgetSession(): void;
  /** The server's session; `undefined` where there is none. */
  readonly sessionId: string | undefined;
  /** When bytes last came from the server, by the clock; `undefined` before the first. */
  readonly lastHeardMs: number | undefined;
  /** What the server said beside the protocol, for failure texts: the end of stderr, or empty. */
  diagnostics(): string;
  /** Idempotent, within 4 s; leaves no child, stream or timer. Never rejects. */
  close(): Promise<void>;
}
