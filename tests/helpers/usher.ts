/** Runs the compiled binary from outside, in a place of its own. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ConfigShape, writeConfig } from './config.ts';
import { newFolder, writeFiles } from './places.ts';

/** The binary under test: `$USHER_BIN`, else what `bun run build` makes. */
export const usherBinary = Bun.env['USHER_BIN'] ?? resolve(import.meta.dir, '../../dist/usher');

/**
 * `nothing`: /dev/null. `closed`: no descriptor 0. `silent`: a pipe that nobody writes to or closes. `fifo`: a
 * named pipe that its opener holds open.
 */
export type StdinKind =
  | 'nothing'
  | 'closed'
  | 'silent'
  | 'fifo'
  | { readonly bytes: string | Uint8Array };

export interface UsherOptions {
  /** Written to a file and named by `--config`, unless `configFlag` is false. */
  readonly config?: ConfigShape | string;
  /** Files in the working directory, by relative name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `nothing`. */
  readonly stdin?: StdinKind;
  /** `head`: the reader takes ten bytes and goes; `slow`: it starts after a second. Default: all at once. */
  readonly stdout?: 'head' | 'slow';
  /** In place of the binary, before the arguments: a wrapping shell. */
  readonly command?: readonly string[] | undefined;
  /** HOME; default a fresh folder. */
  readonly home?: string;
  /** Default a fresh folder. */
  readonly cwd?: string;
  /** The run is killed and the promise rejected after this. Default 20 s. */
  readonly timeoutMs?: number;
}

export interface UsherOutcome {
  readonly stdout: string;
  readonly stderr: string;
  /** 128 + n when ended by a signal, as a shell says it. */
  readonly code: number;
  readonly ms: number;
  readonly home: string;
  readonly cwd: string;
}

export interface RunningUsher {
  readonly pid: number;
  readonly done: Promise<UsherOutcome>;
  /** Standard error so far. */
  stderrSoFar(): string;
  kill(signal: NodeJS.Signals): void;
}

/** Runs to the end. */
export async function runUsher(
  args: readonly string[],
  options: UsherOptions = {},
): Promise<UsherOutcome> {
  return startUsher(args, options).done;
}

export function startUsher(args: readonly string[], options: UsherOptions = {}): RunningUsher {
  const plan = planRun(args, options);
  const startedAt = performance.now();
  const isPipe = typeof options.stdin === 'object' || options.stdin === 'silent';
  const child = Bun.spawn(plan.command, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: [isPipe ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  if (typeof options.stdin === 'object' && child.stdin !== undefined) {
    feed(child.stdin, options.stdin.bytes);
  }
  let stderr = '';
  const collect = async (): Promise<UsherOutcome> => {
    const stdout = readStdout(child.stdout, options.stdout);
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) stderr += decoder.decode(chunk, { stream: true });
    const bytes = await stdout;
    const code = await child.exited;
    return {
      stdout: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
      stderr,
      code,
      ms: performance.now() - startedAt,
      home: plan.home,
      cwd: plan.cwd,
    };
  };
  return {
    pid: child.pid,
    done: withLimit(collect(), options.timeoutMs ?? 20_000, () => {
      child.kill('SIGKILL');
      return `usher ${args.join(' ')} did not end; stderr so far:\n${stderr}`;
    }),
    stderrSoFar: () => stderr,
    kill: (signal) => child.kill(signal),
  };
}

export interface RunPlan {
  readonly command: string[];
  readonly env: Record<string, string>;
  readonly home: string;
  readonly cwd: string;
}

/** Places, config file and environment of a run. */
export function planRun(args: readonly string[], options: UsherOptions): RunPlan {
  if (!existsSync(usherBinary)) throw new Error(`${usherBinary} is missing: bun run build`);
  const home = options.home ?? newFolder();
  const cwd = writeFiles(options.cwd ?? newFolder(), options.files ?? {});
  const flag = options.config === undefined ? [] : ['--config', writeConfig(home, options.config)];
  const command = [...(options.command ?? [usherBinary]), ...args, ...flag];
  return {
    command: [...shellFor(options.stdin), ...command],
    env: { PATH: String(Bun.env['PATH']), HOME: home, TMPDIR: tmpOf(home), ...options.env },
    home,
    cwd,
  };
}

/** A shell that arranges what a spawn option cannot say. */
function shellFor(stdin: StdinKind | undefined): readonly string[] {
  if (stdin === 'closed') return ['sh', '-c', 'exec "$0" "$@" <&-'];
  const held = 'mkfifo "$HOME/held" && exec 3<>"$HOME/held" && exec "$0" "$@" <"$HOME/held"';
  return stdin === 'fifo' ? ['sh', '-c', held] : [];
}

function tmpOf(home: string): string {
  writeFiles(home, { 'tmp/.keep': '' });
  return join(home, 'tmp');
}

function feed(stdin: Bun.FileSink, bytes: string | Uint8Array): void {
  stdin.write(bytes);
  // The reader may be gone before all is written; its exit code tells the story.
  Promise.resolve(stdin.end()).catch(() => undefined);
}

async function readStdout(
  stream: ReadableStream<Uint8Array>,
  manner: UsherOptions['stdout'],
): Promise<Uint8Array> {
  if (manner === 'slow') await Bun.sleep(1000);
  if (manner !== 'head') return new Response(stream).bytes();
  const reader = stream.getReader();
  const first = await reader.read();
  await reader.cancel();
  return (first.value ?? new Uint8Array()).subarray(0, 10);
}

async function withLimit<T>(work: Promise<T>, ms: number, onLimit: () => string): Promise<T> {
  return new Promise((resolvePromise, reject) => {
    const timer = setTimeout(() => reject(new Error(onLimit())), ms);
    work.then(resolvePromise, reject).finally(() => clearTimeout(timer));
  });
}
