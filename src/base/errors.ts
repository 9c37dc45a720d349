/**
 * The typed errors that may cross a folder border. Each says what failed, on what, and what to do.
 * Messages are plain text for people; secrets are scrubbed where they are printed (base/log.ts).
 */

import { EXIT, type ExitCode } from './exit.ts';
import type { JsonObject } from './json.ts';

export type ErrorCode =
  | 'failed'
  | 'usage'
  | 'config'
  | 'connect'
  | 'protocol'
  | 'permission'
  | 'auth'
  | 'limit'
  | 'provider'
  | 'unknown_outcome'
  | 'interrupted'
  | 'internal';

export interface ErrorOptions {
  /** The next step for the person, one line, without a trailing full stop. */
  readonly hint?: string;
  /** True when the same work may succeed later without a change. Default false. */
  readonly retryable?: boolean;
  /** JSON-safe facts for `--output json`; never a secret. */
  readonly details?: JsonObject;
  readonly cause?: unknown;
}

export abstract class AppError extends Error {
  abstract readonly code: ErrorCode;
  abstract readonly exit: ExitCode;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly details: JsonObject;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }
}

/** Work failed for a reason that has no class of its own. */
export class FailedError extends AppError {
  readonly code = 'failed';
  readonly exit = EXIT.failed;
}

/** Wrong flags or arguments, unknown command, server or tool. */
export class UsageError extends AppError {
  readonly code = 'usage';
  readonly exit = EXIT.usage;
}

/** A configuration file that cannot be used; the message starts with file:line:col where known. */
export class ConfigError extends AppError {
  readonly code = 'config';
  readonly exit = EXIT.config;
}

/** A server could not be reached or went away. `sent` is in the details where a request was lost. */
export class ConnectError extends AppError {
  readonly code = 'connect';
  readonly exit = EXIT.connect;
}

/** A server answered, but not in the protocol. */
export class ProtocolError extends AppError {
  readonly code = 'protocol';
  readonly exit = EXIT.connect;
}

/** Denied by rule, or nobody to ask. */
export class PermissionError extends AppError {
  readonly code = 'permission';
  readonly exit = EXIT.permission;
}

/** A token is missing, or a server refused the one it got. */
export class AuthError extends AppError {
  readonly code = 'auth';
  readonly exit = EXIT.auth;
}

/** A bound of time, bytes, turns or tokens was reached; `details.limit` names it. */
export class LimitError extends AppError {
  readonly code = 'limit';
  readonly exit = EXIT.limit;
}

/** The model side failed: no final answer. */
export class ProviderError extends AppError {
  readonly code = 'provider';
  readonly exit = EXIT.provider;
}

/** A tool call was sent and never answered: whether it happened is not known. */
export class UnknownOutcomeError extends AppError {
  readonly code = 'unknown_outcome';
  readonly exit = EXIT.unknownOutcome;
}

/** Signals that end a run. */
export type EndSignal = 'SIGINT' | 'SIGQUIT' | 'SIGTERM' | 'SIGHUP';

/** The code that a signal ends with: as a shell names it, but for SIGHUP, which counts as SIGTERM. */
export function signalExit(signal: EndSignal): InterruptedError['exit'] {
  if (signal === 'SIGINT') return EXIT.interrupted;
  return signal === 'SIGQUIT' ? EXIT.quit : EXIT.terminated;
}

/** Ended by SIGINT (130), SIGQUIT (131), SIGTERM or SIGHUP (143). */
export class InterruptedError extends AppError {
  readonly code = 'interrupted';
  readonly exit: typeof EXIT.interrupted | typeof EXIT.quit | typeof EXIT.terminated;
  constructor(signal: EndSignal = 'SIGINT') {
    super(`interrupted by ${signal}`);
    this.exit = signalExit(signal);
  }
}

/** A fault of ours. */
export class InternalError extends AppError {
  readonly code = 'internal';
  readonly exit = EXIT.internal;
}

/** Wraps anything thrown as an AppError; an AppError is returned as it is. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new InternalError(message, { cause: thrown });
}

/** Ends an exhaustive switch: reaching it is a compile error, at run time an InternalError. */
export function assertNever(value: never): never {
  throw new InternalError(`unexpected value ${JSON.stringify(value)}`);
}
