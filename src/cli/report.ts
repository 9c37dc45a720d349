/** Errors for people: what failed, on what, what to do; a fault of ours with a text to report. */
import { type AppError, toAppError } from '../base/errors.ts';
import type { ExitCode } from '../base/exit.ts';
import type { Log } from '../base/log.ts';
import { VERSION } from '../base/version.ts';
import type { CommandName } from './command-table.ts';
import { usageLine } from './usage.ts';

/**
 * Tells the error on stderr and returns its exit code. The usage of `command` goes with a usage error.
 * The stack is shown with `--verbose` only.
 */
export function reportError(thrown: unknown, log: Log, command?: CommandName): ExitCode {
  const error = toAppError(thrown);
  if (error.code === 'internal') {
    log.error(
      `a fault of usher ${VERSION}: ${error.message}`,
      'please report it with the output of the same command under --verbose',
    );
  } else if (error.code === 'usage' && command !== undefined) {
    const hint = error.hint === undefined ? '' : `${error.hint}\n`;
    log.error(error.message, `${hint}usage: ${usageLine(command)}`);
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
