/**
 * usher beside the hand-written floor, interleaved in one run: start-up, connecting, calls, memory.
 * Prints medians and ratios, and which of the project's targets hold.
 *
 *   bun run bench [--runs 10] [--only S1,S4]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LogEntry, Scenario } from './fakes.ts';

interface Work {
  readonly id: string;
  readonly title: string;
  readonly scenario: Partial<Scenario>;
  readonly httpServers: number;
  readonly stdioServers: number;
  readonly stdioInitMs: number;
  readonly mode: 'version' | 'prompt' | 'call';
  readonly measure: (sample: Sample) => number;
  readonly unit: string;
  /** Largest ratio to the floor (or value, where `absolute`) that the project allows. */
  readonly target: number;
  readonly absolute: boolean;
  /** What server 3 is instead: one that never answers, or an address where nobody listens. The floor has no answer to either. */
  readonly third?: 'silent' | 'dead';
  readonly flags?: readonly string[];
}

interface Sample {
  readonly wallMs: number;
  readonly rssMb: number;
  /** From start to the arrival of each model request. */
  readonly modelMs: readonly number[];
  readonly modelBytes: readonly number[];
}

const HTTP = { httpServers: 1, stdioServers: 0, stdioInitMs: 0, absolute: false, unit: 'ms' };
const firstRequest = (sample: Sample) => sample.modelMs[0] ?? Number.NaN;
const perTurn = (sample: Sample) =>
  ((sample.modelMs.at(-1) ?? Number.NaN) - firstRequest(sample)) / (sample.modelMs.length - 1);
const wall = (sample: Sample) => sample.wallMs;

const WORK: readonly Work[] = [
  {
    ...HTTP,
    id: 'S0',
    title: '--version',
    scenario: {},
    mode: 'version',
    measure: wall,
    target: 1.5,
  },
  {
    ...HTTP,
    id: 'S1',
    title: 'one HTTP server of 10 tools: first model request',
    scenario: {},
    mode: 'prompt',
    measure: firstRequest,
    target: 3.5,
  },
  {
    ...HTTP,
    id: 'S1m',
    title: 'the same: peak RSS',
    scenario: {},
    mode: 'prompt',
    measure: (s) => s.rssMb,
    unit: 'MB',
    target: 65,
    absolute: true,
  },
  {
    ...HTTP,
    id: 'S2',
    title: '10 HTTP servers x 20 tools',
    httpServers: 10,
    scenario: { tools: 20 },
    mode: 'prompt',
    measure: firstRequest,
    target: 4,
  },
  {
    ...HTTP,
    id: 'S3',
    title: '10 stdio servers that need 300 ms each',
    httpServers: 0,
    stdioServers: 10,
    stdioInitMs: 300,
    scenario: {},
    mode: 'prompt',
    measure: firstRequest,
    target: 300 * 1.4,
    absolute: true,
  },
  {
    ...HTTP,
    id: 'S4',
    title: '50 calls one after the other, SSE replies, per turn',
    scenario: { calls: 50, sse: true },
    mode: 'prompt',
    measure: perTurn,
    target: 3.5,
  },
  {
    ...HTTP,
    id: 'S4p',
    title: '10 parallel calls of 200 ms',
    scenario: { calls: 10, parallel: true, callMs: 200, sse: true },
    mode: 'prompt',
    measure: perTurn,
    target: 200 * 1.15,
    absolute: true,
  },
  {
    ...HTTP,
    id: 'S6',
    title: 'a 10 MB text result: peak RSS',
    scenario: { calls: 1, resultCharacters: 10_000_000 },
    mode: 'prompt',
    measure: (s) => s.rssMb,
    unit: 'MB',
    target: 65 + 50,
    absolute: true,
  },
  {
    ...HTTP,
    id: 'S7',
    title: '5 HTTP servers, one never answers, --patience 2s',
    httpServers: 5,
    scenario: {},
    mode: 'prompt',
    third: 'silent',
    flags: ['--patience', '2s'],
    measure: firstRequest,
    target: 2300,
    absolute: true,
  },
  {
    ...HTTP,
    id: 'S7d',
    title: '5 HTTP servers, nobody listens at one (retries after 0.25 and 1 s)',
    httpServers: 5,
    scenario: {},
    mode: 'prompt',
    third: 'dead',
    measure: firstRequest,
    target: 1250 * 1.1 + 100,
    absolute: true,
  },
  {
    ...HTTP,
    id: 'S9h',
    title: 'usher call over HTTP',
    scenario: {},
    mode: 'call',
    measure: wall,
    target: 2.5,
  },
  {
    ...HTTP,
    id: 'S9s',
    title: 'usher call over stdio',
    httpServers: 0,
    stdioServers: 1,
    scenario: {},
    mode: 'call',
    measure: wall,
    target: 2.5,
  },
];

const DEFAULTS: Scenario = {
  tools: 10,
  calls: 0,
  parallel: false,
  tool: 'echo',
  sse: false,
  callMs: 0,
  resultCharacters: 16,
};
const root = resolve(import.meta.dir, '../..');
const work = mkdtempSync(join(tmpdir(), 'usher-bench-'));
const option = (name: string) => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? undefined : process.argv[index + 1];
};
const runs = Number(option('runs') ?? 10);
const only = option('only')?.split(',');

const floor = compile('floor.ts');
const stdioServer = compile('stdio-server.ts');
const fakes = Bun.spawn([process.execPath, join(import.meta.dir, 'fakes.ts')], { stdout: 'pipe' });
const port = await firstLine(fakes.stdout);
const origin = `http://127.0.0.1:${port}`;

try {
  console.log(`| id | work | floor | usher | ratio | target |\n|---|---|--:|--:|--:|---|`);
  for (const item of WORK) if (only === undefined || only.includes(item.id)) await measure(item);
} finally {
  fakes.kill();
  rmSync(work, { recursive: true, force: true });
}

async function measure(item: Work): Promise<void> {
  const { floorCommand, usherCommand } = prepare(item);
  const floorValues: number[] = [];
  const usherValues: number[] = [];
  for (let run = -1; run < runs; run += 1) {
    const floorSample = item.third === undefined ? await once(item, floorCommand) : undefined;
    const usherSample = await once(item, usherCommand);
    if (run < 0) continue;
    if (floorSample !== undefined) floorValues.push(item.measure(floorSample));
    usherValues.push(item.measure(usherSample));
  }
  const floorMedian = median(floorValues);
  const usherMedian = median(usherValues);
  const ratio = usherMedian / floorMedian;
  const holds = (item.absolute ? usherMedian : ratio) <= item.target;
  const target = item.absolute ? `${item.target} ${item.unit}` : `${item.target} x`;
  const value = (n: number) => (Number.isNaN(n) ? '-' : `${n.toFixed(1)} ${item.unit}`);
  console.log(
    `| ${item.id} | ${item.title} | ${value(floorMedian)} | ${value(usherMedian)} | ${Number.isNaN(ratio) ? '-' : ratio.toFixed(2)} | ${holds ? 'holds' : 'MISSED'} (${target}) |`,
  );
}

function prepare(item: Work): { floorCommand: string[]; usherCommand: string[] } {
  const http = range(item.httpServers).map((n) => ({ name: `s${n}`, url: urlOf(item, n) }));
  const tools = String(item.scenario.tools ?? DEFAULTS.tools);
  const stdio = range(item.stdioServers).map((n) => ({
    name: `s${n}`,
    command: stdioServer,
    args: [tools, String(item.stdioInitMs)],
  }));
  const servers = [...http, ...stdio];
  const floorFile = join(work, `${item.id}.json`);
  writeFileSync(floorFile, JSON.stringify({ baseUrl: `${origin}/v1`, servers }));
  const usherFile = join(work, `${item.id}.yaml`);
  const model = {
    provider: 'openai-compatible',
    baseUrl: `${origin}/v1`,
    name: 'fake',
    apiKeyEnv: 'FAKE_KEY',
  };
  // JSON is YAML.
  writeFileSync(usherFile, JSON.stringify({ model, mcp: { permissions: 'auto' }, servers }));
  const usher = process.env['USHER_BIN'] ?? join(root, 'dist/usher');
  const args = '{"text":"hello"}';
  switch (item.mode) {
    case 'version':
      return { floorCommand: [floor, floorFile, 'hello'], usherCommand: [usher, '--version'] };
    case 'call':
      return {
        floorCommand: [floor, floorFile, 'call', 's1', 'echo', args],
        usherCommand: [usher, 'call', 's1', 'echo', args, '--config', usherFile],
      };
    case 'prompt':
      return {
        floorCommand: [floor, floorFile, 'prompt', 'Do the work.'],
        usherCommand: [
          usher,
          '--config',
          usherFile,
          '--prompt',
          'Do the work.',
          ...(item.flags ?? []),
        ],
      };
  }
}

function urlOf({ third }: Work, n: number): string {
  if (n !== 3 || third === undefined) return `${origin}/s${n}/mcp`;
  return third === 'silent' ? `${origin}/silent/mcp` : 'http://127.0.0.1:9/mcp';
}

async function once(item: Work, command: string[]): Promise<Sample> {
  const scenario = { ...DEFAULTS, ...item.scenario };
  await fetch(`${origin}/_control`, { method: 'POST', body: JSON.stringify(scenario) });
  const home = join(work, 'home');
  mkdirSync(home, { recursive: true });
  const startMs = performance.timeOrigin + performance.now();
  const child = Bun.spawn(command, {
    cwd: home,
    env: {
      HOME: home,
      PATH: process.env['PATH'] ?? '',
      FAKE_KEY: 'bench-key-0000',
      LANG: 'C.UTF-8',
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const code = await child.exited;
  const wallMs = performance.timeOrigin + performance.now() - startMs;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  const response = await fetch(`${origin}/_log`);
  // The fakes are ours: the log has this shape.
  const log = (await response.json()) as LogEntry[];
  const model = log.filter((entry) => entry.kind === 'model');
  return {
    wallMs,
    rssMb: (child.resourceUsage()?.maxRSS ?? Number.NaN) / 1e6,
    modelMs: model.map((entry) => entry.atMs - startMs),
    modelBytes: model.map((entry) => entry.bytes),
  };
}

function compile(file: string): string {
  const out = join(work, file.replace('.ts', ''));
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm', '--outfile', out];
  const built = Bun.spawnSync([process.execPath, 'build', ...flags, join(import.meta.dir, file)]);
  if (built.exitCode !== 0)
    throw new Error(`could not compile ${file}: ${built.stderr.toString()}`);
  return out;
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk).trim();
  throw new Error('the fakes did not start');
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
