/**
 * Requests to a 2026-07-28 server: each carries all that the server needs to know of us, and its result
 * may take further rounds. There is no session to lose. Source: MCP 2026-07-28.
 */
import { anySignal, startLimit } from '../base/abort.ts';
import { type AppError, ProtocolError, toAppError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { supportedVersions, verdictOfFailure, verdictOfResult } from '../transport/era.ts';
import { type Client, envelopeFor } from '../transport/modern.ts';
import { paramHeaders, readParamHeaders } from '../transport/param-headers.ts';
import { EraContradictedError, isHeaderMismatch, METHOD_NOT_FOUND, RpcError } from './errors.ts';
import { followResult } from './input-rounds.ts';
import type { Peer, RequestHandler, RequestOptions } from './peer.ts';
import type { ConnectionPorts } from './ports.ts';
import { ResultCache } from './result-cache.ts';
import { isRetryable, retryConnecting } from './retry.ts';

export interface ModernOptions {
  readonly name: string;
  readonly ports: ConnectionPorts;
  readonly peer: Peer;
  readonly client: Client;
  readonly version: string;
  /** By method: what the server may ask for in `input_required`. */
  readonly handlers: ReadonlyMap<string, RequestHandler>;
  /** HTTP: the arguments that a tool marks are repeated as headers. */
  readonly hasHeaders: boolean;
  /** As the server listed it. */
  readonly inputSchemaOf: (tool: string) => JsonObject | undefined;
  /** The tool list is too old for the headers of a call. Rejects as a list does. */
  readonly relist: (signal: AbortSignal) => Promise<void>;
  /** False: only an earlier run knows that the server is modern. */
  readonly isConfirmed: boolean;
}

const RECHECK_MS = 3000;
const POST_MS = 2000;
const INVALID_REQUEST = -32_600;

export class ModernRequests {
  readonly cache: ResultCache;
  isConfirmed: boolean;
  readonly #options: ModernOptions;
  #version: string;

  constructor(options: ModernOptions) {
    this.#options = options;
    this.#version = options.version;
    this.isConfirmed = options.isConfirmed;
    this.cache = new ResultCache(options.ports.clock);
  }

  /**
   * The final result. Rejects as `Peer.request` and `followResult` do; with EraContradictedError when the
   * server is legacy after all.
   */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
    const kept = this.cache.get(method, params);
    if (kept !== undefined) return kept;
    const first = await this.#sendChecked(method, params, options);
    const kind = isJsonObject(first) ? first['resultType'] : undefined;
    if (kind !== 'input_required' && kind !== 'task') {
      this.cache.put(method, params, first);
      return first;
    }
    const { name, peer, ports, handlers } = this.#options;
    const { signal } = options;
    const send = (method: string, params: JsonObject) => this.#send(method, params, options);
    return followResult(first, {
      server: name,
      method,
      params,
      signal,
      clock: ports.clock,
      send,
      read: (method, params) =>
        retryConnecting({ name, ports, signal, isWorthIt: isRetryable }, () =>
          send(method, params),
        ),
      post: (method, params) => void this.#post(peer, method, params),
      answer: (method, params, roundSignal) =>
        answerBy(handlers, name, method, params, roundSignal),
      onProgress: (progress) => options.onProgress?.(progress),
      onActivity: () => options.onActivity?.(),
    });
  }

  /** Without the looks at what its failure may say. `server/discover` as well. */
  #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
    const { client, peer } = this.#options;
    return peer.request(method, params, {
      ...options,
      meta: envelopeFor(this.#version, client),
      headers: this.#headersOf(method, params),
    });
  }

  async #sendChecked(
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<JsonValue> {
    const { hasHeaders, relist } = this.#options;
    try {
      const result = await this.#send(method, params, options);
      this.isConfirmed = true;
      return result;
    } catch (error) {
      if (options.signal.aborted) throw error;
      // None of the two was executed, so the request may be sent once more.
      if (isHeaderMismatch(error) && hasHeaders && method === 'tools/call') {
        await relist(options.signal);
        return this.#send(method, params, options);
      }
      const verdict = verdictOfFailure(toAppError(error));
      if (verdict.kind === 'again') {
        this.#version = verdict.version;
        return this.#send(method, params, options);
      }
      if (supportedVersions(error) !== undefined) throw contradiction(error);
      if (!this.isConfirmed && verdict.kind === 'legacy')
        await this.#recheck(error, options.signal);
      throw error;
    }
  }

  /** Rejects with EraContradictedError when the server is legacy now. */
  async #recheck(error: unknown, signal: AbortSignal): Promise<void> {
    const limit = startLimit(this.#options.ports.clock, RECHECK_MS, () => new Error('no answer'));
    let verdict: ReturnType<typeof verdictOfResult>;
    try {
      const answer = await this.#send(
        'server/discover',
        {},
        { signal: anySignal(signal, limit.signal) },
      );
      verdict = verdictOfResult(answer);
    } catch (thrown) {
      signal.throwIfAborted();
      verdict = verdictOfFailure(toAppError(thrown));
    } finally {
      limit.dispose();
    }
    if (verdict.kind === 'legacy') throw contradiction(error);
    if (verdict.kind === 'modern') this.isConfirmed = true;
  }

  #headersOf(method: string, params: JsonObject): Record<string, string> {
    const { hasHeaders, inputSchemaOf } = this.#options;
    const { name, arguments: args } = params;
    if (!hasHeaders || method !== 'tools/call' || typeof name !== 'string') return {};
    const schema = inputSchemaOf(name);
    if (schema === undefined || !isJsonObject(args)) return {};
    const marked = readParamHeaders(schema);
    return marked.kind === 'good' ? paramHeaders(marked.headers, args) : {};
  }

  async #post(peer: Peer, method: string, params: JsonObject): Promise<void> {
    const { client, name, ports } = this.#options;
    const limit = startLimit(ports.clock, POST_MS, () => new Error('no answer'));
    const meta = envelopeFor(this.#version, client);
    try {
      await peer.request(method, params, { signal: limit.signal, meta });
    } catch (error) {
      ports.log('debug', `${name}: ${method}: ${toAppError(error).message}`);
    } finally {
      limit.dispose();
    }
  }
}

async function answerBy(
  handlers: ReadonlyMap<string, RequestHandler>,
  server: string,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue> {
  const handler = handlers.get(method);
  if (handler === undefined) {
    throw new ProtocolError(`server "${server}" asks for ${method}, which is not offered here`);
  }
  return handler(params, signal);
}

/** `thrown` is what a server answered that speaks otherwise than was agreed on. */
export function contradiction(thrown: unknown): EraContradictedError {
  const error = toAppError(thrown);
  return new EraContradictedError(error.message, {
    cause: error,
    details: { ...error.details, sent: !isProvenUnexecuted(error) },
  });
}

/** The request itself was refused, before anything it asks for. */
function isProvenUnexecuted(error: AppError): boolean {
  if (supportedVersions(error) !== undefined) return true;
  if (error instanceof RpcError) {
    return error.rpcCode === METHOD_NOT_FOUND || error.rpcCode === INVALID_REQUEST;
  }
  const { status } = error.details;
  return typeof status === 'number' && status >= 400 && status < 500;
}
