/** Runs one command of a keyring's bridge: its own clock, bounded output, no process left behind. */
import { raceAbort, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { AuthError } from '../base/errors.ts';
import { errorCode } from '../base/files.ts';
import { scrubSecrets } from '../base/redact.ts';
import { type Child, endChild, type Spawn } from '../base/spawn.ts';
import { escapeForTerminal, lastCharacters } from '../base/text.ts';

export interface BridgePorts {
  /** The whole environment of the bridge. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly spawn: Spawn;
}

export interface BridgeCommand {
  /** Absolute. */
  readonly program: string;
  /** Never a secret: others see them. */
  readonly args: readonly string[];
  /** Written to its stdin. */
  readonly input?: string;
  readonly limitMs: number;
}

export interface BridgeAnswer {
  readonly code: number;
  readonly stdout: string;
  /** Its end, fit to be shown. */
  readonly stderr: string;
}

/** The next step when a keyring does not do its work. */
export const KEYRING_HINT = 'unlock the keyring, or set USHER_KEYRING=off and sign in again';
const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_SHOWN_CHARACTERS = 500;
/** Whatever it left behind is killed at once. */
const NO_WAIT = { inputMs: 0, termMs: 0 };

/** Rejects with AuthError when it cannot be started, does not end in time, or says more than 64 KiB. */
export async function runBridge(
  { program, args, input, limitMs }: BridgeCommand,
  { env, clock, spawn }: BridgePorts,
): Promise<BridgeAnswer> {
  let child: Child;
  try {
    child = spawn({ command: program, args, env, cwd: '/' });
  } catch (error) {
    throw keyringFailed(program, error instanceof Error ? error.message : String(error));
  }
  const late = () => keyringFailed(program, `gave no answer within ${limitMs / 1000} s`);
  const limit = startLimit(clock, limitMs, late);
  try {
    const work = Promise.all([
      readAll(child.stdout, program),
      readAll(child.stderr, program),
      child.exited,
      feed(child, input),
    ]);
    const [stdout, stderr, exit] = await raceAbort(work, limit.signal);
    if (exit.code === null) throw keyringFailed(program, `was ended by ${exit.signal}`);
    return { code: exit.code, stdout, stderr: showable(stderr) };
  } finally {
    limit.dispose();
    await endChild(child, clock, NO_WAIT);
  }
}

/** Names the bridge, says what it did, and what helps. */
export function keyringFailed(program: string, what: string): AuthError {
  const name = program.slice(program.lastIndexOf('/') + 1);
  return new AuthError(`the OS keyring does not work: ${name} ${scrubSecrets(what)}`, {
    hint: KEYRING_HINT,
    details: { sent: false },
  });
}

async function feed(child: Child, input: string | undefined): Promise<void> {
  try {
    if (input !== undefined) await child.write(input);
  } catch (error) {
    // EPIPE: a bridge that closed its input says by its exit code what it did.
    if (errorCode(error) === undefined) throw error;
  }
  child.endInput();
}

async function readAll(stream: AsyncIterable<Uint8Array>, program: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) throw keyringFailed(program, 'printed more than 64 KiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function showable(text: string): string {
  const line = scrubSecrets(text).replace(/\s+/g, ' ').trim();
  return lastCharacters(escapeForTerminal(line), MAX_SHOWN_CHARACTERS);
}
