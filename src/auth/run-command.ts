/**
 * Runs a program of the user's that prints credentials: argv without a shell, a clock, bounded output. What it
 * prints to stdout is never shown, of its stderr the end, without secrets.
 */
import { raceAbort, startLimit } from '../base/abort.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { type AppError, AuthError } from '../base/errors.ts';
import { scrubSecrets } from '../base/redact.ts';
import { type Child, endChild, type Spawn } from '../base/spawn.ts';
import { escapeForTerminal, lastCharacters } from '../base/text.ts';

export interface CredentialCommand {
  readonly server: string;
  /** The executable, then its arguments, passed verbatim. */
  readonly argv: readonly string[];
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

export interface CommandPorts {
  readonly spawn: Spawn;
  readonly clock: Clock;
}

export interface CommandOutput {
  /** At most 64 KiB. */
  readonly stdout: string;
  /** The error for an output that is none: `what` about the program, then what it said on stderr. */
  readonly refused: (what: string, showsStderr?: boolean) => AuthError;
}

const MAX_STDOUT_BYTES = 64 * 1024;
const MAX_STDERR_BYTES = 4 * 1024;
const MAX_SHOWN_CHARACTERS = 4000;
/** Long enough to read what a program that has ended had written. */
const LEFT_MS = 250;
/** Whatever it left behind is killed at once. */
const NO_WAIT = { inputMs: 0, termMs: 0 };

/**
 * Runs the command once. `key` is where it stands in the configuration, for texts. Rejects with AuthError, or with
 * the signal's reason; no process is left in any case.
 */
export async function runCredentialCommand(
  command: CredentialCommand,
  { key, limitMs }: { readonly key: string; readonly limitMs: number },
  { spawn, clock }: CommandPorts,
  signal: AbortSignal,
): Promise<CommandOutput> {
  signal.throwIfAborted();
  const { server, argv, env, cwd } = command;
  const [program = '', ...args] = argv;
  const failed = (what: string, stderr = '') => failure(`server "${server}": ${key}`, what, stderr);
  let child: Child;
  try {
    child = spawn({ command: program, args, env, cwd });
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error));
  }
  const late = () => failed(`${program} gave no answer within ${limitMs / 1000} s`);
  const limit = startLimit(clock, limitMs, late);
  const stop = AbortSignal.any([signal, limit.signal]);
  const ended = new AbortController();
  try {
    child.endInput();
    // Its output ends with it: what it leaves running may hold the pipe for ever. Fails when all is read before.
    void child.exited
      .then(() => sleep(clock, LEFT_MS, ended.signal))
      .then(() => endChild(child, clock, NO_WAIT))
      .catch(() => undefined);
    const tooMuch = () => failed(`${program} printed more than 64 KiB`);
    const [stdout, stderr, exit] = await raceAbort(
      Promise.all([readAll(child.stdout, tooMuch), readEnd(child.stderr), child.exited]),
      stop,
    );
    if (exit.code !== 0) {
      const how = exit.code === null ? `ended by ${exit.signal}` : `ended with ${exit.code}`;
      throw failed(`${program} ${how}`, stderr);
    }
    return {
      stdout,
      refused: (what, showsStderr = false) =>
        failed(`${program}${what}`, showsStderr ? stderr : ''),
    };
  } finally {
    limit.dispose();
    ended.abort();
    await endChild(child, clock, NO_WAIT);
  }
}

async function readAll(
  stream: AsyncIterable<Uint8Array>,
  tooMuch: () => AppError,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_STDOUT_BYTES) throw tooMuch();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Its last 4 KiB. */
async function readEnd(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    kept = Buffer.concat([kept, chunk]).subarray(-MAX_STDERR_BYTES);
  }
  return kept.toString();
}

function failure(subject: string, what: string, stderr: string): AuthError {
  const said = scrubSecrets(stderr).replace(/\s+/g, ' ').trim();
  const shown = lastCharacters(escapeForTerminal(said), MAX_SHOWN_CHARACTERS);
  const tail = said === '' ? '' : `; it said: ${shown}`;
  return new AuthError(`${subject}: ${scrubSecrets(what)}${tail}`, {
    hint: 'run it by hand with the same variables; it gets few of yours, envPass: names more',
    details: { sent: false },
  });
}
