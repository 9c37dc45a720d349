/**
 * The one writer of stdout. Whole, in order, scrubbed of secrets, and never cut short: `finish` is
 * awaited before the process ends. Knows no format beyond text and JSON.
 */

import { EXIT, type ExitCode } from '../base/exit.ts';
import { type FdWriter, fdPort, openFdWriter } from '../base/fd-writer.ts';
import { fileReason } from '../base/files.ts';
import { scrubPart, scrubSecrets } from '../base/redact.ts';
import { escapeForTerminal } from '../base/text.ts';
import { isTerminal } from '../base/tty.ts';

const DEFAULT_COLUMNS = 80;

export interface Output {
  readonly isTerminal: boolean;
  /** The terminal's width; `undefined` where stdout is none. */
  columns(): number | undefined;
  /** Text of a server or model: escaped on a terminal, as it is on a pipe. */
  text(text: string): void;
  /** One JSON document on a line of its own. */
  json(value: unknown): void;
  /** Starts a new line on a terminal when the last one is not finished. */
  breakLine(): void;
  /** True once the reader is gone or the disk is full. */
  isClosed(): boolean;
  /**
   * Waits until everything is written. Returns the exit code: `exit` as given; 0 when the reader went
   * away; 1 when stdout cannot be written, said by `complain`.
   */
  finish(exit: ExitCode, complain: (message: string) => void): Promise<ExitCode>;
}

/** stdout of this process. `onClosed` is called once when it can take no more. */
export function openStdout(onClosed: () => void): Output {
  return createOutput(
    openFdWriter(fdPort(1), onClosed),
    isTerminal(1),
    () => process.stdout.columns,
  );
}

export function createOutput(
  writer: FdWriter,
  isTerminal: boolean,
  columns: () => number | undefined = () => undefined,
): Output {
  let atLineStart = true;
  const write = (text: string) => {
    if (text === '') return;
    atLineStart = text.endsWith('\n');
    writer.write(text);
  };
  return {
    isTerminal,
    // Some terminals say 0.
    columns: () => (isTerminal ? columns() || DEFAULT_COLUMNS : undefined),
    text(text) {
      const scrubbed = scrubSecrets(text);
      write(isTerminal ? escapeForTerminal(scrubbed) : scrubbed);
    },
    json(value) {
      write(`${scrubbedJson(value, isTerminal)}\n`);
    },
    breakLine() {
      if (isTerminal && !atLineStart) write('\n');
    },
    isClosed: () => writer.error() !== undefined,
    async finish(exit, complain) {
      await writer.flush();
      const error = writer.error();
      if (error === undefined) return exit;
      if (error.code === 'EPIPE') return EXIT.ok;
      complain(`stdout cannot be written: ${fileReason(error)}`);
      return EXIT.failed;
    },
  };
}

/** Secrets are scrubbed inside the strings and keys, so that the document stays JSON. */
function scrubbedJson(value: unknown, isTerminal: boolean): string {
  const json =
    JSON.stringify(value, (_key, part: unknown) => scrubPart(part), isTerminal ? 2 : undefined) ??
    'null';
  return isTerminal ? escapeForTerminal(json) : json;
}
