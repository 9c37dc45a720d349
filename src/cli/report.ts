/** Errors for people: what failed, on what, what to do; a fault of ours with a text to report. */
import { AppError, toAppError } from '../base/errors.ts';
import type { ExitCode } from '../base/exit.ts';
import { errorCode } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { VERSION } from '../base/version.ts';

/**
 * Tells the error on stderr and returns its exit code. `usage` goes with a usage error. With `--verbose` the
 * causes are named; the stack is shown of a fault of ours only: elsewhere it says nothing that helps.
 */
export function reportError(thrown: unknown, log: Log, usage?: string): ExitCode {
  const error = toAppError(thrown);
  if (error.code === 'internal') {
    log.error(
      `a fault of usher ${VERSION}: ${error.message}`,
      'please report it with the output of the same command under --verbose',
    );
  } else if (error.code === 'usage' && usage !== undefined) {
    log.error(error.message, error.hint === undefined ? usage : `${error.hint}\n${usage}`);
  } else {
    log.error(error.message, error.hint);
  }
  for (const line of details(error)) log.debug(line);
  return error.exit;
}

/** An error's causes are its own word; a chain that leads back to itself ends somewhere. */
const MAX_CAUSES = 8;

function details(error: AppError): readonly string[] {
  const isFault = error.code === 'internal';
  const lines = [isFault ? (error.stack ?? named(error)) : named(error)];
  let { cause } = error;
  while (cause !== undefined && lines.length <= MAX_CAUSES) {
    const stack = isFault && cause instanceof Error ? cause.stack : undefined;
    lines.push(`caused by ${stack ?? named(cause)}`);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return lines;
}

/** `[connect] what failed`, `Error [ECONNREFUSED]: what it says`. The names of our classes do not outlive a build. */
function named(thrown: unknown): string {
  if (thrown instanceof AppError) return `[${thrown.code}] ${thrown.message}`;
  if (!(thrown instanceof Error)) return String(thrown);
  const code = errorCode(thrown);
  return `${thrown.name}${code === undefined ? '' : ` [${code}]`}: ${thrown.message}`;
}
