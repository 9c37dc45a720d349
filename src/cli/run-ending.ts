/**
 * The end of a run, told once and as soon as it is known: closing the servers afterwards may take
 * seconds, or be cut short by a second Ctrl-C, and must cost nobody the answer.
 */
import type { RunResult } from '../agent/types.ts';
import { toAppError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { Context } from './context.ts';
import { reportError } from './report.ts';
import { failedRun } from './run-shape.ts';
import type { RunView } from './run-view.ts';
import { usageColumns, usageText } from './usage.ts';

export interface RunEnding {
  /** What was told on stderr so far, filled by whoever tells. */
  readonly warnings: string[];
  tell(result: RunResult): void;
  /** The run failed outside the agent. After `tell` it changes nothing but says so on stderr. */
  fail(thrown: unknown): void;
  isTold(): boolean;
  exit(): ExitCode;
}

export function createRunEnding({ output, log, screen }: Context, view: RunView): RunEnding {
  const warnings: string[] = [];
  let exit: ExitCode | undefined;
  const end = (result: RunResult) => {
    exit = result.exit;
    view.end({ ...result, warnings: [...new Set([...warnings, ...result.warnings])] });
  };
  return {
    warnings,
    isTold: () => exit !== undefined,
    exit: () => exit ?? EXIT.internal,
    tell(result) {
      if (exit !== undefined) return;
      const { error } = result;
      // A reader that went away, or a full disk, is the writer's story; a warning has said it already.
      if (error !== undefined && !output.isClosed() && !warnings.includes(error.message)) {
        log.error(error.message, error.hint);
      }
      end(result);
    },
    fail(thrown) {
      if (!output.isClosed()) reportError(thrown, log, usageText('', [], usageColumns(screen)));
      if (exit === undefined) end(failedRun(toAppError(thrown), warnings));
    },
  };
}
