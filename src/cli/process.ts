/** The command line in the real process: its streams, signals and last resort for faults. */
import { systemClock } from '../base/clock.ts';
import { processEnv } from '../base/env.ts';
import { FailedError, InternalError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { createLog } from '../base/log.ts';
import { openStdout } from './output.ts';
import { realParts } from './parts.ts';
import { reportError } from './report.ts';
import { runCli } from './root.ts';
import { openStderr, type Screen } from './screen.ts';
import { type Interrupts, watchSignals } from './signals.ts';
import { processStdin } from './stdin.ts';

/** Runs the words of this process. Resolves with the exit code when everything is written. */
export async function runProcess(words: readonly string[]): Promise<ExitCode> {
  const env = processEnv();
  const closed = new AbortController();
  const output = openStdout(() => closed.abort(new FailedError('stdout is closed')));
  const openScreen = (noColor: boolean) =>
    openStderr({ env, noColor, breakLine: output.breakLine });
  const interrupts = watchSignals({
    source: process,
    clock: systemClock,
    exit: (code) => process.exit(code),
  });
  catchFaults(openScreen(true), interrupts, words.some(isVerbose));
  try {
    return await runCli(words, {
      env,
      cwd: process.cwd(),
      clock: systemClock,
      stdin: processStdin(),
      output,
      outputClosed: closed.signal,
      openScreen,
      interrupts,
      parts: realParts,
    });
  } finally {
    interrupts.dispose();
  }
}

/** `--verbose`, `-v`, `-qv`. A fault may come before the words are read, or be their reader's. */
function isVerbose(word: string): boolean {
  return word === '--verbose' || /^-[A-Za-z]*v[A-Za-z]*$/.test(word);
}

/** What nobody caught is a fault of ours: a short text, with `verbose` the stack, children killed, exit 70. */
function catchFaults(screen: Screen, interrupts: Interrupts, verbose: boolean): void {
  const fail = (thrown: unknown) => {
    const level = verbose ? 'debug' : 'warn';
    const log = createLog({ level, colour: false, writeLine: screen.line });
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    reportError(new InternalError(message, { cause: thrown }), log);
    interrupts.kill();
    screen.flush().then(
      () => process.exit(EXIT.internal),
      () => process.exit(EXIT.internal),
    );
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
}
