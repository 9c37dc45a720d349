/** Errors for people: what failed, on what, what to do; a fault of ours with a text to report. */
import { type AppError, toAppError } from '../base/errors.ts';
import type { ExitCode } from '../base/exit.ts';
import type { Log } from '../base/log.ts';
import { VERSION } from '../base/version.ts';

/** Tells the error on stderr and returns its exit code. The stack is shown with `--verbose` only. */
export function reportError(thrown: unknown, log: Log): ExitCode {
  const error = toAppError(thrown);
  if (error.code === 'internal') {
    log.error(
      `a fault of usher ${VERSION}: ${error.message}`,
      'please report it with the output of the same command under --verbose',
    );
  } else {
    log.error(error.message, error.hint);
  }
  for (const line of details(error)) log.debug(line);
  return error.exit;
}

function details(error: AppError): readonly string[] {
  const lines = [error.stack ?? ''];
  for (let cause = error.cause; cause !== undefined; ) {
    lines.push(`caused by ${cause instanceof Error ? (cause.stack ?? cause.message) : cause}`);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return lines;
}
