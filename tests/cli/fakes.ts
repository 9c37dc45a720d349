/** Small stand-ins for the ports of the command line. */
import type { RunResult } from '../../src/agent/types.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { FdWriter } from '../../src/base/fd-writer.ts';
import type { CallOutcome } from '../../src/calls/types.ts';
import { createOutput, type Output } from '../../src/cli/output.ts';
import type { Parts } from '../../src/cli/parts.ts';
import { runCli } from '../../src/cli/root.ts';
import { createScreen, type Screen } from '../../src/cli/screen.ts';
import type { Interrupts } from '../../src/cli/signals.ts';
import type { Stdin } from '../../src/cli/stdin.ts';
import type { Config } from '../../src/config/types.ts';
import type { OfferRequest } from '../../src/host/offer-call.ts';
import type { SignIns } from '../../src/host/sign-ins.ts';
import type { Host, HostOptions, StartReport } from '../../src/host/types.ts';
import type { ServerStatus } from '../../src/mcp/types.ts';
import { searchTools } from '../../src/tools/search.ts';
import type { RegisteredTool, RegistrySnapshot } from '../../src/tools/types.ts';

export interface ManualClock extends Clock {
  /** Moves time on and runs what is due. */
  advance(ms: number): void;
}

export function manualClock(): ManualClock {
  let now = 0;
  const timers = new Set<{ at: number; action: () => void }>();
  return {
    now: () => now,
    date: () => new Date(Date.UTC(2026, 0, 1) + now),
    after(delayMs, action) {
      const timer = { at: now + delayMs, action };
      timers.add(timer);
      return { cancel: () => timers.delete(timer) };
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.action();
      }
    },
  };
}

/** Keeps what is written. */
export function memoryWriter(): FdWriter & { readonly text: () => string } {
  let text = '';
  return {
    write(data) {
      text += typeof data === 'string' ? data : new TextDecoder().decode(data);
    },
    flush: () => Promise.resolve(),
    pendingBytes: () => 0,
    error: () => undefined,
    text: () => text,
  };
}

/** Ends after the pieces; a promise among them is waited for, so it can keep the pipe silent. */
export function stdinOf(
  pieces: readonly (string | Uint8Array | Promise<never>)[],
  isTerminal = false,
): Stdin {
  return {
    isTerminal,
    async *read() {
      for (const piece of pieces) {
        const bytes = await piece;
        yield typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
      }
    },
  };
}

export const silence = (): Promise<never> => new Promise(() => undefined);

export function memoryScreen(
  options: { readonly isTerminal?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
): { readonly screen: Screen; readonly text: () => string } {
  const writer = memoryWriter();
  const screen = createScreen(writer, {
    env: options.env ?? { LANG: 'C.UTF-8' },
    noColor: true,
    breakLine: () => undefined,
    isTerminal: options.isTerminal ?? false,
    columns: () => 80,
  });
  return { screen, text: writer.text };
}

export function memoryOutput(isTerminal = false): Output & { readonly shown: () => string } {
  const writer = memoryWriter();
  return { ...createOutput(writer, isTerminal), shown: writer.text };
}

export const emptyConfig: Config = {
  files: ['/home/me/config.yaml'],
  model: undefined,
  mcp: { permissions: 'ask', naming: 'server_tool', patienceMs: 2000 },
  defaultTools: { hasMeta: false, without: [] },
  servers: [],
  warnings: [],
  skipped: [],
};

export function toolOf(server: string, name: string, description = 'Does it.'): RegisteredTool {
  const raw = { name, description, inputSchema: { type: 'object' } };
  return {
    server,
    name,
    publicName: `${server}_${name}`,
    definition: {
      name,
      title: undefined,
      description,
      inputSchema: { type: 'object', properties: {} },
      outputSchema: undefined,
      annotations: {},
      raw,
    },
    hidden: undefined,
    exposure: 'direct',
    source: {
      name: server,
      kind: 'http',
      identity: server,
      call: () => Promise.reject(new Error('not called')),
    },
  };
}

export function snapshotOf(
  tools: readonly RegisteredTool[],
  hidden: readonly RegisteredTool[] = [],
): RegistrySnapshot {
  return {
    tools,
    reachable: tools,
    hidden,
    resolve(name) {
      const tool = [...tools, ...hidden].find((one) => `${one.server}/${one.name}` === name);
      return tool === undefined ? { kind: 'unknown', nearest: [] } : { kind: 'found', tool };
    },
  };
}

export function statusOf(name: string, changes: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name,
    kind: 'http',
    state: 'ready',
    era: 'legacy',
    protocolVersion: '2025-11-25',
    serverInfo: undefined,
    instructions: undefined,
    capabilities: {},
    tools: [],
    dropped: [],
    notices: [],
    error: undefined,
    readyMs: changes.state === undefined || changes.state === 'ready' ? 12 : undefined,
    ...changes,
  };
}

export function reportOf(
  servers: readonly ServerStatus[],
  changes: Partial<StartReport> = {},
): StartReport {
  return { servers, readyMs: 12.4, fatal: undefined, warnings: [], ...changes };
}

export const goodRun: RunResult = {
  answer: 'All is well.',
  exit: 0,
  error: undefined,
  turns: 1,
  usage: { inputTokens: 10, outputTokens: 3 },
  toolCalls: [],
  denied: [],
  unknownOutcome: [],
  warnings: [],
};

export interface FakeHost {
  readonly report: StartReport;
  readonly snapshot: RegistrySnapshot;
  readonly prompt: (text: string, options: HostOptions, signal: AbortSignal) => Promise<RunResult>;
  readonly call: Host['call'];
  readonly offers: ReturnType<Host['offers']>;
  readonly read: (request: OfferRequest) => Promise<CallOutcome>;
}

export interface CliRun {
  readonly host?: Partial<FakeHost> | undefined;
  readonly config?: Config | Error;
  readonly stdin?: Stdin;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdoutIsTerminal?: boolean;
  readonly interrupt?: AbortSignal;
  readonly signIns?: SignIns;
}

export interface CliOutcome {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the host was built with, and what was done with it, in order. */
  readonly options: HostOptions | undefined;
  readonly steps: readonly string[];
}

/** Runs a command line against a fake host; nothing of it leaves the process. */
export async function cli(words: readonly string[], run: CliRun = {}): Promise<CliOutcome> {
  const steps: string[] = [];
  let used: HostOptions | undefined;
  const stderr = memoryScreen();
  const output = memoryOutput(run.stdoutIsTerminal);
  const interrupts: Interrupts = {
    signal: run.interrupt ?? new AbortController().signal,
    takeSigint: () => () => undefined,
    onKill: () => undefined,
    kill: () => undefined,
    dispose: () => undefined,
  };
  const parts: Parts = {
    loadConfig: ({ configFlag }) => {
      steps.push(`config ${configFlag ?? ''}`.trim());
      const config = run.config ?? emptyConfig;
      return config instanceof Error ? Promise.reject(config) : Promise.resolve(config);
    },
    createHost: (options) => {
      used = options;
      steps.push('create');
      return Promise.resolve(fakeHost(options, run.host ?? {}, steps));
    },
    examineServer: ({ name }) => Promise.reject(new Error(`${name} is not examined here`)),
    createSignIns: () => {
      const { signIns } = run;
      return signIns === undefined
        ? Promise.reject(new Error('nobody signs in here'))
        : Promise.resolve(signIns);
    },
    locks: () => Promise.reject(new Error('nothing is locked here')),
    configSchema: () => Promise.resolve('{}\n'),
    configExample: () => Promise.resolve('# example\n'),
    createRepl: () => Promise.reject(new Error('no session in these tests')),
  };
  const exit = await runCli(words, {
    env: run.env ?? {},
    cwd: '/srv/here',
    clock: manualClock(),
    stdin: run.stdin ?? stdinOf([]),
    output,
    outputClosed: new AbortController().signal,
    openScreen: () => stderr.screen,
    interrupts,
    parts,
  });
  return { exit, stdout: output.shown(), stderr: stderr.text(), options: used, steps };
}

function fakeHost(options: HostOptions, fake: Partial<FakeHost>, steps: string[]): Host {
  const report = fake.report ?? reportOf([]);
  return {
    modelLabel: 'scripted/one',
    start: (signal) => {
      steps.push('start');
      signal.throwIfAborted();
      return Promise.resolve(report);
    },
    status: () => report.servers,
    snapshot: () => fake.snapshot ?? snapshotOf([]),
    find: (query, limit) =>
      Promise.resolve(searchTools((fake.snapshot ?? snapshotOf([])).reachable, query, limit)),
    prompt: (text, signal) => {
      steps.push(`prompt ${text}`);
      return fake.prompt?.(text, options, signal) ?? Promise.resolve(goodRun);
    },
    call: (call, signal) => {
      steps.push(`call ${call.name} ${JSON.stringify(call.arguments)}`);
      return (
        fake.call?.(call, signal) ??
        Promise.resolve({ kind: 'cancelled', tool: undefined, sent: false, text: 'cancelled' })
      );
    },
    offers: () => fake.offers ?? [],
    read: (request) => {
      steps.push(`read ${JSON.stringify(request)}`);
      return (
        fake.read?.(request) ??
        Promise.resolve({ kind: 'cancelled', tool: undefined, sent: false, text: 'cancelled' })
      );
    },
    signIn: () => Promise.reject(new Error('nobody signs in here')),
    parseArguments: (_tool, words) =>
      Promise.resolve(
        words[0]?.startsWith('{')
          ? JSON.parse(words[0])
          : Object.fromEntries(words.map((word) => word.split('='))),
      ),
    runScript: () => Promise.reject(new Error('not used')),
    checkScript: () => Promise.resolve([]),
    checkArguments: (_tool, args) => ('bad' in args ? ['bad: not known'] : []),
    reconnect: () => Promise.reject(new Error('not used')),
    permissions: () => ({
      mode: 'mcp.permissions: ask',
      rules: [],
      hooks: [],
      tools: [],
      grants: [],
    }),
    explain: ({ server, name }) => ({
      server,
      tool: name,
      effect: 'ask',
      why: 'mcp.permissions: ask',
      sometimes: [{ effect: 'deny', why: 'c.yaml:2 deny "fs/*" when path: "secrets/*"' }],
    }),
    forgetGrants: () => 0,
    killNow: () => undefined,
    close: () => {
      steps.push('close');
      return Promise.resolve();
    },
  };
}
