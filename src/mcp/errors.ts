/** The sentences of this layer: what a server answered, which clock ran out, what became of a call. */
import {
  AppError,
  ConnectError,
  InternalError,
  ProtocolError,
  UnknownOutcomeError,
} from '../base/errors.ts';
import { isJsonObject, type JsonValue, stableStringify } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { shorten } from '../base/text.ts';

const MAX_DATA_CHARACTERS = 500;
/** For people; the model gets more of it. Source: design 6. */
const MAX_SAID_CHARACTERS = 500;
const MAX_WHOLE_CHARACTERS = 4000;

/**
 * A JSON-RPC error as the answer to a request of ours. The message holds 500 characters of what the server
 * said; where that is not all, `details.wholeMessage` holds up to 4,000.
 */
export class RpcError extends ProtocolError {
  readonly rpcCode: number | undefined;
  readonly data: JsonValue | undefined;

  constructor(server: string, method: string, error: RpcFailure) {
    // Before the cut, which may leave half a secret.
    const said = scrubSecrets(error.message.trim());
    const data = error.data === undefined ? '' : ` ${dataText(error.data)}`;
    const code = error.code === undefined ? '' : ` (${error.code})`;
    const sentence = (text: string) =>
      `server "${server}" answered ${method} with an error: ${text === '' ? 'no reason given' : text}${data}${code}`;
    const shown = shorten(said, MAX_SAID_CHARACTERS);
    const hint = error.code === MISSING_CAPABILITY ? capabilityHint(error.data) : undefined;
    super(sentence(shown), {
      ...(hint === undefined ? {} : { hint }),
      details: {
        ...(error.code === undefined ? {} : { rpcCode: error.code }),
        ...(error.data === undefined ? {} : { data: error.data }),
        ...(shown === said ? {} : { wholeMessage: shorten(sentence(said), MAX_WHOLE_CHARACTERS) }),
      },
    });
    this.rpcCode = error.code;
    this.data = error.data;
  }
}

export interface RpcFailure {
  readonly code: number | undefined;
  readonly message: string;
  readonly data: JsonValue | undefined;
}

export const METHOD_NOT_FOUND = -32601;
/** Something that a client may offer, and we did not. Nothing was executed. */
const MISSING_CAPABILITY = -32_021;

export function isMethodNotFound(error: unknown): boolean {
  return error instanceof RpcError && error.rpcCode === METHOD_NOT_FOUND;
}

/** The headers do not say what the body says: nothing was executed. */
const HEADER_MISMATCH = -32_020;

export function isHeaderMismatch(error: unknown): boolean {
  return error instanceof RpcError && error.rpcCode === HEADER_MISMATCH;
}

/**
 * A server taken for modern by an earlier run that turns out to be legacy. `cause` is what it answered;
 * `details.sent` false: the request was not executed.
 */
export class EraContradictedError extends ConnectError {}

/** The process ended before it answered the probe; another one may answer `initialize`. */
export class ProbeLossError extends ConnectError {}

/** True when the request went out and nobody knows what became of it. See `Transport`. */
export function isOutcomeUnknown(error: unknown): error is AppError {
  return error instanceof AppError && error.details['sent'] === true;
}

/** True when the server does not know our session and did not act on the request. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof AppError && error.details['session'] === 'gone';
}

/** The error of a call that was sent and not answered. */
export function unknownOutcome(server: string, tool: string, cause: AppError): UnknownOutcomeError {
  return new UnknownOutcomeError(`${cause.message}; whether ${server}/${tool} ran is not known`, {
    cause,
    details: { ...cause.details, sent: true },
    hint: 'check on the server before calling it again',
  });
}

/** `phase` is the method that was not answered. */
export function connectTimeout(server: string, phase: string, limitMs: number): ConnectError {
  return new ConnectError(
    `server "${server}" did not answer ${phase} within ${durationText(limitMs)} (timeout.connect)`,
    { details: { limit: CONNECT_LIMIT, limitMs } },
  );
}

const CONNECT_LIMIT = 'timeout.connect';

export function isConnectTimeout(error: unknown): boolean {
  return error instanceof ConnectError && error.details['limit'] === CONNECT_LIMIT;
}

/** A server that stayed silent may have said why on stderr; other errors hold that already. */
export function withDiagnostics(error: AppError, said: string): AppError {
  if (said === '' || error.details['limit'] !== CONNECT_LIMIT) return error;
  return new ConnectError(`${error.message}; its stderr ends:\n${said}`, {
    cause: error,
    details: error.details,
  });
}

/** A fault of ours on the way to a server is not told as the server's. */
export function connectFault(server: string, version: string, fault: InternalError): InternalError {
  return new InternalError(
    `a fault of usher ${version} while connecting to server "${server}": ${fault.message}`,
    {
      cause: fault,
      details: fault.details,
      hint: 'please report it with the output of the same command under --verbose',
    },
  );
}

/** `250ms`, `60s`, `15m`: the spelling of the configuration. */
export function durationText(ms: number): string {
  if (ms > 60_000 && ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** What would offer it; `undefined` where nothing here does. */
function capabilityHint(data: JsonValue | undefined): string | undefined {
  const needed = isJsonObject(data) ? data['requiredCapabilities'] : undefined;
  return isJsonObject(needed) && 'sampling' in needed
    ? 'set sampling: ask in its entry'
    : undefined;
}

function dataText(data: JsonValue): string {
  return shorten(typeof data === 'string' ? data : stableStringify(data), MAX_DATA_CHARACTERS);
}

/** Of what was thrown first, where it is known. */
export function stackOf(fault: InternalError): string {
  const origin = fault.cause instanceof Error ? fault.cause : fault;
  return origin.stack ?? origin.message;
}

/** Whoever waited for the connection gave up. */
export function cancelled(name: string): ConnectError {
  return new ConnectError(`connecting to server "${name}" was cancelled`);
}
