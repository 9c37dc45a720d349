/**
 * Headers from a program of the user's, such as one that fetches a short-lived token: argv without a
 * shell, a clock, bounded output, one JSON object of texts. Every value is a secret.
 */
import { raceAbort, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { type AppError, AuthError } from '../base/errors.ts';
import { headerValueProblem, isConnectionHeader, isHeaderName } from '../base/header-fields.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { type Child, endChild, type Spawn } from '../base/spawn.ts';
import { escapeForTerminal, lastCharacters } from '../base/text.ts';
import { registerHeader } from './headers.ts';

export interface HeadersCommand {
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

/** 5 s. */
export const HEADERS_COMMAND_MS = 5000;
const MAX_STDOUT_BYTES = 64 * 1024;
const MAX_STDERR_BYTES = 4 * 1024;
const MAX_SHOWN_CHARACTERS = 4000;
/** Whatever it left behind is killed at once. */
const NO_WAIT = { inputMs: 0, termMs: 0 };

/**
 * Runs the command once and registers what it gives. Rejects with AuthError that shows the end of its
 * stderr, never its stdout, or with the signal's reason; no process is left in any case.
 */
export async function runHeadersCommand(
  command: HeadersCommand,
  { spawn, clock }: CommandPorts,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  signal.throwIfAborted();
  const { server, argv, env, cwd } = command;
  const [program = '', ...args] = argv;
  let child: Child;
  try {
    child = spawn({ command: program, args, env, cwd });
  } catch (error) {
    throw failed(server, error instanceof Error ? error.message : String(error), '');
  }
  const late = () => failed(server, `${program} gave no answer within 5 s`, '');
  const limit = startLimit(clock, HEADERS_COMMAND_MS, late);
  const stop = AbortSignal.any([signal, limit.signal]);
  try {
    child.endInput();
    const tooMuch = () => failed(server, `${program} printed more than 64 KiB`, '');
    const [stdout, stderr, exit] = await raceAbort(
      Promise.all([readAll(child.stdout, tooMuch), readEnd(child.stderr), child.exited]),
      stop,
    );
    if (exit.code !== 0) {
      const how = exit.code === null ? `ended by ${exit.signal}` : `ended with ${exit.code}`;
      throw failed(server, `${program} ${how}`, stderr);
    }
    return readHeaders(server, program, stdout, stderr);
  } finally {
    limit.dispose();
    await endChild(child, clock, NO_WAIT);
  }
}

function readHeaders(
  server: string,
  program: string,
  stdout: string,
  stderr: string,
): Readonly<Record<string, string>> {
  const value = tryParseJson(stdout.trim());
  if (!isJsonObject(value)) {
    throw failed(server, `${program} has to print one JSON object of texts`, stderr);
  }
  const headers: Record<string, string> = {};
  for (const [name, written] of Object.entries(value)) {
    // Whoever mixes them up prints the token as a name.
    if (!isHeaderName(name)) throw failed(server, `${program} gave a name that is no header`, '');
    if (typeof written !== 'string') throw failed(server, `${program}: ${name} is no text`, '');
    registerHeader(written);
    const problem = isConnectionHeader(name)
      ? 'this header is set by usher itself'
      : headerValueProblem(written.trim());
    if (problem !== undefined) throw failed(server, `${program}: ${name}: ${problem}`, '');
    headers[name.toLowerCase()] = written.trim();
  }
  return headers;
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

function failed(server: string, what: string, stderr: string): AuthError {
  const said = scrubSecrets(stderr).replace(/\s+/g, ' ').trim();
  const shown = lastCharacters(escapeForTerminal(said), MAX_SHOWN_CHARACTERS);
  const tail = said === '' ? '' : `; it said: ${shown}`;
  return new AuthError(`server "${server}": headersCommand: ${scrubSecrets(what)}${tail}`, {
    hint: 'run it by hand with the same variables; it gets few of yours, envPass: names more',
    details: { sent: false },
  });
}
