/** Runs one hook: JSON on its stdin, its answer from stdout. A process group of its own, a clock, a bound, no shell. */
import { raceAbort, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { LimitError } from '../base/errors.ts';
import { type JsonObject, type JsonValue, tryParseJson } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import { repeatedKey } from '../base/repeated-key.ts';
import { type Child, endChild, type Spawn } from '../base/spawn.ts';
import { shorten } from '../base/text.ts';
import type { HookCommand } from '../config/types.ts';
import { sanitizeLabel } from '../results/sanitize.ts';

export type HookRun =
  /** `undefined`: nothing to say. */
  | { readonly kind: 'answered'; readonly answer: JsonValue | undefined }
  /** Exit code 2; the reason is what it wrote to stderr, harmless, perhaps empty. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Rejects with the signal's reason only. */
export type RunHook = (
  hook: HookCommand,
  input: JsonObject,
  signal: AbortSignal,
) => Promise<HookRun>;

export interface HookPorts {
  readonly spawn: Spawn;
  readonly clock: Clock;
  /** The whole environment of a hook. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

export const HOOK_LIMIT_MS = 5000;
/** Of stdout and of stderr. */
export const MAX_HOOK_BYTES = 64 * 1024;
const REFUSED = 2;
const MAX_REASON = 500;
/** Whatever it left behind is killed at once. */
const NO_WAIT = { inputMs: 0, termMs: 0 };

export function createHookRunner(ports: HookPorts): RunHook {
  return async (hook, input, signal) => {
    signal.throwIfAborted();
    let child: Child;
    try {
      const { command, args } = hook;
      child = ports.spawn({ command, args, env: ports.env, cwd: ports.cwd });
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error) };
    }
    const limit = startLimit(
      ports.clock,
      HOOK_LIMIT_MS,
      () => new LimitError('no answer within 5s'),
    );
    const stop = AbortSignal.any([signal, limit.signal]);
    // Killing the group ends the reads below as well.
    const onStop = () => child.signalGroup('SIGKILL');
    stop.addEventListener('abort', onStop, { once: true });
    try {
      const [stdout, stderr, exit] = await raceAbort(
        Promise.all([
          readAll(child.stdout, child),
          readAll(child.stderr, child),
          child.exited,
          send(child, input),
        ]),
        stop,
      );
      if (exit.code === REFUSED) return { kind: 'refused', reason: harmless(stderr) };
      if (exit.code !== 0) return { kind: 'failed', reason: exitText(exit, stderr) };
      if (stdout.trim() === '') return { kind: 'answered', answer: undefined };
      return readAnswer(stdout);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'failed', reason: reasonOf(error) };
    } finally {
      limit.dispose();
      stop.removeEventListener('abort', onStop);
      await endChild(child, ports.clock, NO_WAIT);
    }
  };
}

/** Two answers in one, such as a deny behind an allow, are none. */
function readAnswer(stdout: string): HookRun {
  const answer = tryParseJson(stdout);
  if (answer === undefined) return { kind: 'failed', reason: 'its answer is no JSON' };
  const key = repeatedKey(stdout);
  return key === undefined
    ? { kind: 'answered', answer }
    : { kind: 'failed', reason: harmless(`its answer says ${JSON.stringify(key)} twice`) };
}

async function readAll(stream: AsyncIterable<Uint8Array>, child: Child): Promise<string> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of stream) {
    total += chunk.length;
    if (total > MAX_HOOK_BYTES) {
      child.signalGroup('SIGKILL');
      throw new LimitError(`it wrote more than ${MAX_HOOK_BYTES / 1024} KiB`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function send(child: Child, input: JsonObject): Promise<void> {
  try {
    await child.write(`${JSON.stringify(input)}\n`);
  } catch (error) {
    // A hook need not read what it is told: its exit and its answer count.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  child.endInput();
}

function exitText(exit: { code: number | null; signal: string | null }, stderr: string): string {
  const how = exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`;
  const said = harmless(stderr);
  return said === '' ? how : `${how}: ${said}`;
}

function reasonOf(error: unknown): string {
  return harmless(error instanceof Error ? error.message : String(error));
}

/** A hook's own words on one line, without secrets and control characters. */
export function harmless(text: string): string {
  return sanitizeLabel(scrubSecrets(shorten(text.trim(), 4 * MAX_REASON)), MAX_REASON);
}
