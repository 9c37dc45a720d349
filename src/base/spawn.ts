/**
 * Child processes, each the leader of its own process group: a Ctrl-C of the terminal does not reach
 * them, and ending one ends its grandchildren. Nothing here knows what the child is for.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type Clock, sleep } from './clock.ts';
import { ConnectError } from './errors.ts';

export interface SpawnOptions {
  /** An executable: a path, or a name looked up in the PATH of `env`. Never a shell line. */
  readonly command: string;
  /** Passed verbatim. */
  readonly args: readonly string[];
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

export interface ChildExit {
  /** `null` after a signal. */
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly pid: number;
  /** To be read once, from the start; a child that never stops writing does not hold up timers and signals. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** The leader's end; others of its group may live on. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Resolves when the pipe took everything. Rejects with the system's error (EPIPE) otherwise. */
  write(text: string): Promise<void>;
  endInput(): void;
  /** Signals every process of the group; `false` when there is none any more. */
  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): boolean;
  isGroupAlive(): boolean;
}

/** Starts a process. Throws ConnectError (details: sent false) in plain words when it cannot be started. */
export type Spawn = (options: SpawnOptions) => Child;

/** Children whose group may still have a living member. */
const living = new Set<Child>();

export const spawnChild: Spawn = (options) => {
  const started = start(options);
  const { pid, stdin, stdout, stderr } = started;
  const child: Child = {
    pid,
    stdout: giveWay(stdout),
    stderr: giveWay(stderr),
    exited: started.exited.then(
      () => howEnded(started),
      () => howEnded(started),
    ),
    async write(text) {
      // Both report a broken pipe, by a throw or by a rejection (Bun 1.4.5).
      await stdin.write(text);
      await stdin.flush();
    },
    endInput() {
      const ended = attempt(() => stdin.end());
      // Safe to ignore: the reader is gone, and closing was all we wanted.
      if (ended instanceof Promise) ended.catch(() => undefined);
    },
    signalGroup: (signal) => sendSignal(pid, signal),
    isGroupAlive: () => sendSignal(pid, 0) && !isAllDead(pid),
  };
  living.add(child);
  return child;
};

/** A reader lets timers and signals run after this much. */
const GIVE_WAY_BYTES = 64 * 1024;

/** While data is there, Bun 1.4.5 hands it out without a turn of the event loop, for megabytes. */
async function* giveWay(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let taken = 0;
  for await (const chunk of stream) {
    yield chunk;
    taken += chunk.length;
    if (taken < GIVE_WAY_BYTES) continue;
    taken = 0;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

export interface EndWaits {
  /** After the end of its input. Default 500. */
  readonly inputMs: number;
  /** After SIGTERM. Default 2,000. */
  readonly termMs: number;
}

const DEFAULT_WAITS: EndWaits = { inputMs: 500, termMs: 2000 };
/** A killed process is gone once the kernel says so; a zombie that nobody reaps may never be. */
const KILL_WAIT_MS = 500;
const LOOK_EVERY_MS = 20;

/**
 * Ends a child and its whole group: end of input, SIGTERM, SIGKILL, each only while somebody is alive.
 * Resolves `true` when nobody of the group is left. Never rejects; takes at most 3 s by default.
 */
export async function endChild(
  child: Child,
  clock: Clock,
  waits: EndWaits = DEFAULT_WAITS,
): Promise<boolean> {
  child.endInput();
  // A leader that obeys leaves its group behind at once; there is nothing to wait for then.
  await Promise.race([child.exited, waitUntilGone(child, clock, waits.inputMs)]);
  if (child.isGroupAlive()) child.signalGroup('SIGTERM');
  if (!(await waitUntilGone(child, clock, waits.termMs))) {
    child.signalGroup('SIGKILL');
    await waitUntilGone(child, clock, KILL_WAIT_MS);
  }
  living.delete(child);
  return !child.isGroupAlive();
}

/** SIGKILL to every group that may be alive, synchronously: for the second Ctrl-C and for exit. */
export function killAll(): void {
  for (const child of living) child.signalGroup('SIGKILL');
  living.clear();
}

async function waitUntilGone(child: Child, clock: Clock, limitMs: number): Promise<boolean> {
  const until = clock.now() + limitMs;
  while (child.isGroupAlive()) {
    if (clock.now() >= until) return false;
    await sleep(clock, LOOK_EVERY_MS);
  }
  return true;
}

function start(options: SpawnOptions) {
  try {
    return Bun.spawn([options.command, ...options.args], {
      cwd: options.cwd,
      env: options.env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
    });
  } catch (error) {
    throw new ConnectError(explain(options, error), { cause: error, details: { sent: false } });
  }
}

function howEnded(started: ReturnType<typeof start>): ChildExit {
  const { exitCode, signalCode } = started;
  return { code: exitCode, signal: signalCode === null ? null : String(signalCode) };
}

function explain(options: SpawnOptions, error: unknown): string {
  const { command, cwd } = options;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return `cannot start ${command}: the working directory ${cwd} does not exist`;
  }
  if (code === 'ENOENT') {
    return command.includes('/')
      ? `cannot start ${command}: no such file`
      : `cannot start ${command}: not found in PATH`;
  }
  if (code === 'EACCES') return `cannot start ${command}: it is not an executable file`;
  return `cannot start ${command}: ${error instanceof Error ? error.message : String(error)}`;
}

/** Signal 0 asks only whether somebody is there. */
function sendSignal(groupId: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  return attempt(() => process.kill(-groupId, signal)) === true;
}

/**
 * True when every process of the group is a zombie that its new parent has not reaped, as in containers
 * whose first process reaps nobody: signal 0 still finds those. Where /proc tells nothing, false.
 */
function isAllDead(groupId: number): boolean {
  if (process.platform !== 'linux') return false;
  const states = attempt(() =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => attempt(() => readFileSync(`/proc/${name}/stat`, 'utf8')) ?? '')
      .map((stat) => /\) (\S) \d+ (\d+) /.exec(stat.slice(stat.lastIndexOf(')'))))
      .filter((fields) => Number(fields?.[2]) === groupId)
      .map((fields) => fields?.[1]),
  );
  return states?.every((state) => state === 'Z' || state === 'X') ?? false;
}

/** The outcome, or `undefined` after a system error: the process or pipe is gone, which is no failure here. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
