/**
 * A bounded soak: many servers, thousands of calls, servers killed and started again all the while, storms of
 * announced changes. Prints a verdict; exit 1 when a call was lost or repeated, memory grew, or a descriptor
 * or child is left.
 *
 *   bun scripts/bench/soak.ts [--short]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOutcome } from '../../src/calls/types.ts';
import type { Host } from '../../src/host/types.ts';
import { openBenchHost } from './host.ts';

interface Plan {
  readonly servers: number;
  /** Of them, over stdio; the others listen, `perProcess` of them in one process. */
  readonly stdio: number;
  readonly perProcess: number;
  readonly tools: number;
  readonly calls: number;
  /** Calls under way at once. */
  readonly lanes: number;
  readonly delayMs: number;
  readonly killEveryMs: number;
}

const FULL: Plan = {
  servers: 50,
  stdio: 10,
  perProcess: 10,
  tools: 20,
  calls: 2000,
  lanes: 8,
  delayMs: 150,
  killEveryMs: 2500,
};
const SHORT: Plan = {
  ...FULL,
  servers: 12,
  stdio: 3,
  perProcess: 3,
  calls: 240,
  lanes: 6,
  delayMs: 60,
  killEveryMs: 600,
};
const PROGRAM = join(import.meta.dir, 'soak-server.ts');
/** Every so many calls one goes through a prompt, which re-reads changed lists between turns. */
const PROMPT_EVERY = 20;
/** What the runtime may keep for itself, beside a tenth. */
const SLACK_MIB = 24;

const plan = process.argv.includes('--short') ? SHORT : FULL;
const folder = mkdtempSync(join(tmpdir(), 'usher-soak-'));
const effects = join(folder, 'effects');
await Bun.write(effects, '');
const startedAt = performance.now();
const facts = await soak().finally(() => rmSync(folder, { recursive: true, force: true }));
const problems = judge(facts);
report(facts, problems);
process.exit(problems.length === 0 ? 0 : 1);

interface Facts {
  readonly outcomes: ReadonlyMap<string, CallOutcome['kind']>;
  readonly effects: readonly string[];
  readonly kills: number;
  readonly rssMiB: readonly number[];
  readonly descriptors: { readonly before: number; readonly after: number };
  readonly children: readonly number[];
  readonly closeMs: number;
}

async function soak(): Promise<Facts> {
  const pool = await startListeners();
  const descriptors = countDescriptors();
  const host = await openHost(pool.ports);
  const outcomes = new Map<string, CallOutcome['kind']>();
  const rssMiB: number[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < plan.calls; at = next++) {
      const id = `call-${at}`;
      outcomes.set(id, at % PROMPT_EVERY === 0 ? await prompt(host, at) : await call(host, at));
      if (at % Math.ceil(plan.calls / 40) === 0) rssMiB.push(takeMemory());
    }
  };
  const killer = startKiller(pool);
  await Promise.all(Array.from({ length: plan.lanes }, lane));
  const kills = killer.stop();
  const closing = performance.now();
  await host.close();
  const closeMs = performance.now() - closing;
  await pool.close();
  // What a closed socket still holds goes with the next turns of the loop.
  await Bun.sleep(200);
  return {
    outcomes,
    effects: readFileSync(effects, 'utf8').split('\n').filter(Boolean),
    kills,
    rssMiB,
    descriptors: { before: descriptors, after: countDescriptors() },
    children: childrenOf(process.pid),
    closeMs,
  };
}

async function openHost(ports: readonly number[]): Promise<Host> {
  const stdio = Array.from({ length: plan.stdio }, (_, at) => ({
    name: `p${at}`,
    command: process.execPath,
    args: [PROGRAM, effects, String(plan.tools), String(plan.delayMs)],
  }));
  const http = ports.map((port, at) => ({ name: `h${at}`, url: `http://127.0.0.1:${port}/mcp` }));
  const configFlag = join(folder, 'config.yaml');
  await Bun.write(
    configFlag,
    JSON.stringify({ mcp: { permissions: 'auto' }, servers: [...stdio, ...http] }),
  );
  const host = await openBenchHost(folder, configFlag, 5);
  const { servers } = await host.start(new AbortController().signal);
  const late = servers.filter(({ state }) => state !== 'ready');
  if (late.length > 0) throw new Error(`not ready: ${late.map(({ name }) => name).join(', ')}`);
  return host;
}

function toolFor(at: number): string {
  const server = at % plan.servers;
  const name = server < plan.stdio ? `p${server}` : `h${server - plan.stdio}`;
  const tool = at % plan.tools;
  return `${name}/${tool === 0 ? 'echo' : `tool_${tool}`}`;
}

async function call(host: Host, at: number): Promise<CallOutcome['kind']> {
  const id = `call-${at}`;
  const asked = { id, name: toolFor(at), arguments: { text: id }, invalidArguments: undefined };
  const { kind } = await host.call({ ...asked, origin: 'user' }, new AbortController().signal);
  return kind;
}

/** The router takes a literal call; its outcome is read off the run. */
async function prompt(host: Host, at: number): Promise<CallOutcome['kind']> {
  const run = await host.prompt(`${toolFor(at)} text=call-${at}`, new AbortController().signal);
  if (run.unknownOutcome.length > 0) return 'unknown';
  return run.exit === 0 ? 'result' : 'failed';
}

interface Listeners {
  readonly ports: readonly number[];
  /** Kills one process and starts it again on its ports. */
  restart(index: number): Promise<void>;
  readonly size: number;
  close(): Promise<void>;
}

async function startListeners(): Promise<Listeners> {
  const count = plan.servers - plan.stdio;
  const ports = Array.from({ length: count }, freePort);
  const groups = Array.from({ length: Math.ceil(count / plan.perProcess) }, (_, at) =>
    ports.slice(at * plan.perProcess, (at + 1) * plan.perProcess),
  );
  const children = await Promise.all(groups.map(startListener));
  return {
    ports,
    size: groups.length,
    async restart(index) {
      children[index]?.kill('SIGKILL');
      await children[index]?.exited;
      children[index] = await startListener(groups[index] ?? []);
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map((child) => child.exited));
    },
  };
}

async function startListener(ports: readonly number[]) {
  const words = [PROGRAM, effects, String(plan.tools), String(plan.delayMs), ...ports.map(String)];
  const child = Bun.spawn([process.execPath, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  return child;
}

function startKiller(pool: Listeners): { stop(): number } {
  let kills = 0;
  let running = Promise.resolve();
  const timer = setInterval(() => {
    kills += 1;
    if (kills % 2 === 0) running = pool.restart((kills / 2) % pool.size);
    else killOne(stdioChildren());
  }, plan.killEveryMs);
  return {
    stop() {
      clearInterval(timer);
      void running;
      return kills;
    },
  };
}

/** A command server of this run; usher starts it again at its next call. */
function killOne(pids: readonly number[]): void {
  const pid = pids[Math.floor(Math.random() * pids.length)];
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

function stdioChildren(): readonly number[] {
  return childrenOf(process.pid).filter((pid) => {
    const words = readProc(`/proc/${pid}/cmdline`).split('\0').filter(Boolean);
    return words.includes(PROGRAM) && words.length === 5;
  });
}

function judge(found: Facts): readonly string[] {
  const counts = new Map<string, number>();
  for (const id of found.effects) counts.set(id, (counts.get(id) ?? 0) + 1);
  const wrong = (text: string, isWrong: (kind: CallOutcome['kind'], times: number) => boolean) => {
    const ids = [...found.outcomes].filter(([id, kind]) => isWrong(kind, counts.get(id) ?? 0));
    return ids.length === 0
      ? []
      : [
          `${ids.length} calls ${text}: ${ids
            .slice(0, 5)
            .map(([id, kind]) => `${id} (${kind})`)
            .join(', ')}`,
        ];
  };
  const { descriptors, children, rssMiB } = found;
  const early = median(rssMiB.slice(rssMiB.length / 4, rssMiB.length / 2));
  const late = median(rssMiB.slice((3 * rssMiB.length) / 4));
  return [
    ...wrong('answered but without effect', (kind, times) => kind === 'result' && times === 0),
    ...wrong('done more than once', (_kind, times) => times > 1),
    ...wrong(
      'said not to have happened, but done',
      (kind, times) => kind === 'failed' && times > 0,
    ),
    ...wrong(
      'not sent or lost',
      (kind) => kind === 'invalid' || kind === 'denied' || kind === 'cancelled',
    ),
    ...(found.outcomes.size === plan.calls
      ? []
      : [`${found.outcomes.size} of ${plan.calls} calls`]),
    ...(late > early * 1.1 + SLACK_MIB ? [`memory grew from ${early} to ${late} MiB`] : []),
    ...(descriptors.after > descriptors.before
      ? [`descriptors: ${descriptors.before}, then ${descriptors.after}`]
      : []),
    ...(children.length === 0 ? [] : [`children left: ${children.join(', ')}`]),
    ...(found.closeMs < 5000 ? [] : [`closing took ${Math.round(found.closeMs)} ms`]),
  ];
}

function report(found: Facts, wrong: readonly string[]): void {
  const kinds = [...new Set(found.outcomes.values())].map(
    (kind) => `${kind} ${[...found.outcomes.values()].filter((one) => one === kind).length}`,
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${plan.servers} servers × ${plan.tools} tools, ${plan.calls} calls, ${found.kills} kills, ${seconds} s`,
  );
  console.log(`outcomes: ${kinds.join(', ')}; effects: ${found.effects.length}`);
  console.log(`memory MiB: ${found.rssMiB.map(Math.round).join(' ')}`);
  console.log(
    `descriptors: ${found.descriptors.before} before, ${found.descriptors.after} after; closed in ${Math.round(found.closeMs)} ms`,
  );
  for (const problem of wrong) console.log(`WRONG: ${problem}`);
  console.log(wrong.length === 0 ? 'verdict: holds' : 'verdict: broken');
}

function takeMemory(): number {
  Bun.gc(true);
  return process.memoryUsage.rss() / 2 ** 20;
}

function countDescriptors(): number {
  Bun.gc(true);
  return readdirSync('/proc/self/fd').length;
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = readProc(`/proc/${pid}/stat`);
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(ppid) === parent && state !== 'Z';
    });
}

/** Empty for a process that is gone meanwhile. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function freePort(): number {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: () => undefined },
  });
  const { port } = listener;
  listener.stop(true);
  return port;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}
