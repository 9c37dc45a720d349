/** How a call that a person typed ended without a result, told on stderr, and its exit code. */
import { type AppError, LimitError, toAppError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { CallOutcome } from '../calls/types.ts';
import type { Context } from './context.ts';
import { reportError } from './report.ts';

export function tellFailure(
  context: Context,
  outcome: Exclude<CallOutcome, { kind: 'result' }>,
): ExitCode {
  const { log, signal } = context;
  switch (outcome.kind) {
    case 'invalid':
      log.error(outcome.text);
      return EXIT.usage;
    case 'denied':
      log.error(outcome.text, outcome.remedy);
      return EXIT.permission;
    case 'unknown': {
      log.error(outcome.error.message, outcome.error.hint);
      const isClock = outcome.error.cause instanceof LimitError;
      return isClock ? EXIT.limit : EXIT.unknownOutcome;
    }
    case 'failed':
      return tellError(context, outcome.error);
    case 'cancelled':
      if (outcome.sent && outcome.tool !== undefined) {
        const { server, name } = outcome.tool;
        log.error(`${server}/${name}: the call was sent but not answered; it may have happened`);
      }
      return signal.aborted ? reportError(toAppError(signal.reason), log) : EXIT.failed;
  }
}

/** A server that is there and answered with an error: the request failed, not the connection. */
export function tellError({ log }: Context, error: AppError): ExitCode {
  const exit = reportError(error, log);
  return error.code === 'protocol' ? EXIT.failed : exit;
}
