/**
 * Our side of JSON-RPC with one server, over any transport: ids, cancellation, progress, and answers to
 * what the server asks. Knows no MCP method but those of these three jobs. Lenient on what it reads.
 * Source: JSON-RPC 2.0; MCP 2025-11-25, basic protocol, utilities.
 */
import { type AppError, FailedError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ToolProgress } from '../tools/types.ts';
import { answeredId, rpcError } from '../transport/message.ts';
import type { LogSink, Transport } from '../transport/types.ts';
import { METHOD_NOT_FOUND, RpcError } from './errors.ts';
import { readProgress } from './handlers/progress.ts';
import { INTERNAL_FAULT, RefusedRequest } from './handlers/refusal.ts';

/**
 * Answers a server's request; throwing gives it an internal error. `signal` aborts when the server
 * withdraws the request or is gone: the answer is not sent then.
 */
export type RequestHandler = (
  params: JsonObject,
  signal: AbortSignal,
) => JsonValue | Promise<JsonValue>;

export interface PeerOptions {
  readonly name: string;
  readonly transport: Transport;
  readonly log: LogSink;
  /** By method; anything else is answered "method not found". */
  readonly requests: ReadonlyMap<string, RequestHandler>;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

export interface RequestOptions {
  /** Ends the waiting: the server is told, and the request rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Progress, or any byte on a stream of this request alone. */
  readonly onActivity?: () => void;
  /** Added to `_meta`. */
  readonly meta?: JsonObject;
  /** See `SendOptions`. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Pending {
  readonly method: string;
  readonly options: RequestOptions;
  readonly resolve: (result: JsonValue) => void;
  readonly reject: (reason: unknown) => void;
}

const HANDSHAKES = new Set(['initialize', 'server/discover']);
/** Handshakes report no progress, and old servers look closely at them. */
const WITHOUT_PROGRESS = new Set([...HANDSHAKES, 'subscriptions/listen']);
const NEVER = new AbortController().signal;

export class Peer {
  /** The end of a request's own exchange tells the server that it is cancelled; no message does. */
  cancelsByClosing = false;
  readonly #options: PeerOptions;
  readonly #pending = new Map<number, Pending>();
  /** What the server asked and waits for, by its own id. */
  readonly #asked = new Map<JsonValue, AbortController>();
  #lastId = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and waits for its answer. Rejects with RpcError (the server's error), the
   * transport's AppError (see `Transport`), or the signal's reason.
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
    const { signal } = options;
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#lastId += 1;
    const id = this.#lastId;
    const token = WITHOUT_PROGRESS.has(method) ? {} : { progressToken: id };
    const sentParams = withMeta(params, { ...options.meta, ...token });
    const message = { jsonrpc: '2.0', id, method, params: sentParams };
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#cancel(id);
      const settled = () => signal.removeEventListener('abort', onAbort);
      this.#pending.set(id, {
        method,
        options,
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (reason) => {
          settled();
          reject(reason);
        },
      });
      signal.addEventListener('abort', onAbort, { once: true });
      const sent = this.#options.transport.send(message, {
        signal,
        onActivity: () => options.onActivity?.(),
        ...(options.headers === undefined ? {} : { headers: options.headers }),
      });
      sent.catch((error: unknown) => this.#take(id)?.reject(error));
    });
  }

  /** Sends a notification. Never rejects: nobody waits for its outcome. Resolves when it is out. */
  notify(method: string, params?: JsonObject): Promise<void> {
    return this.#post({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  /** Takes one message of the server. Never throws. */
  receive(message: JsonObject): void {
    const { method, id } = message;
    if (typeof method !== 'string') this.#settle(message);
    else if (id === undefined || id === null) this.#notice(method, paramsOf(message));
    else void this.#answer(method, id, paramsOf(message));
  }

  /** The way to the server is gone: everything that waits for an answer fails with `error`. */
  failAll(error: AppError): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
    for (const control of this.#asked.values()) control.abort(error);
  }

  #settle(message: JsonObject): void {
    const id = answeredId(message);
    const pending = id === undefined ? undefined : this.#take(id);
    if (pending === undefined) {
      this.#log(`ignored an answer to no request of ours, id ${JSON.stringify(message['id'])}`);
      return;
    }
    const error = rpcError(message);
    if (error === undefined) pending.resolve(message['result'] ?? {});
    else pending.reject(new RpcError(this.#options.name, pending.method, error));
  }

  #notice(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') this.#progress(params);
    else if (method === 'notifications/cancelled') {
      this.#asked
        .get(params['requestId'] ?? null)
        ?.abort(new FailedError('the server withdrew its question'));
    } else this.#options.onNotification(method, params);
  }

  #progress(params: JsonObject): void {
    const { token, progress } = readProgress(params);
    const pending = token === undefined ? undefined : this.#pending.get(token);
    if (pending === undefined) return;
    pending.options.onActivity?.();
    if (progress !== undefined) pending.options.onProgress?.(progress);
  }

  async #answer(method: string, id: JsonValue, params: JsonObject): Promise<void> {
    const handler = this.#options.requests.get(method);
    if (handler === undefined) {
      const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
      await this.#post({ jsonrpc: '2.0', id, error });
      return;
    }
    const control = new AbortController();
    this.#asked.set(id, control);
    try {
      const result = await handler(params, control.signal);
      if (!control.signal.aborted) await this.#post({ jsonrpc: '2.0', id, result });
    } catch (thrown) {
      if (control.signal.aborted) return;
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      this.#log(`${method} of the server failed: ${message}`);
      const code = thrown instanceof RefusedRequest ? thrown.rpcCode : INTERNAL_FAULT;
      await this.#post({ jsonrpc: '2.0', id, error: { code, message } });
    } finally {
      this.#asked.delete(id);
    }
  }

  #cancel(id: number): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    const { reason } = pending.options.signal;
    pending.reject(reason);
    // The specification forbids to cancel the handshake; old servers take the probe for one.
    if (HANDSHAKES.has(pending.method) || this.cancelsByClosing) return;
    const text = reason instanceof Error ? reason.message : 'cancelled';
    void this.notify('notifications/cancelled', { requestId: id, reason: text });
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  async #post(message: JsonObject): Promise<void> {
    try {
      await this.#options.transport.send(message, { signal: NEVER });
    } catch (error) {
      this.#log(`not delivered: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #log(text: string): void {
    this.#options.log('debug', `${this.#options.name}: ${text}`);
  }
}

/** A progress token is the id itself: unique among the requests in flight. */
function withMeta(params: JsonObject, added: JsonObject): JsonObject {
  if (Object.keys(added).length === 0) return params;
  const meta = params['_meta'];
  return { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), ...added } };
}

function paramsOf(message: JsonObject): JsonObject {
  const { params } = message;
  return isJsonObject(params) ? params : {};
}
