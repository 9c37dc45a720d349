/**
 * Nobody pays for what they do not use: time and memory of the binary for one `usher call` and one small
 * `--prompt` run, with one HTTP server of a few tools, interleaved in one run: without more, with a search and with
 * codemode configured and unused, and with both in use. Prints medians and ratios to the first.
 *
 *   bun run build && bun scripts/bench/unused.ts [--rounds 9]
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '../../tests/fixtures/models/server.ts';
import type { ScriptStep } from '../../tests/fixtures/models/types.ts';
import { startMcpServer } from '../../tests/fixtures/servers/http.ts';
import { standardTools } from '../../tests/fixtures/servers/script.ts';
import { binaryPath } from '../build.ts';

interface Way {
  readonly name: string;
  /** Lines of the config beside model and servers. */
  readonly root: object;
  readonly exposure: string;
  /** The model's first reply; undefined: `usher call`. */
  readonly step: ScriptStep | undefined;
}

const binary = Bun.env['USHER_BIN'] ?? binaryPath;
const rounds = numberOf('--rounds', 9);
const embeddings = { baseUrl: 'http://127.0.0.1:9/v1', model: 'unused' };
const step = (name: string, args: object): ScriptStep => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
});
const ECHO = step('s_echo', { text: 'x' });

const CALLS: readonly Way[] = [
  { name: 'call', root: {}, exposure: 'direct', step: undefined },
  {
    name: 'call, search configured',
    root: { search: { embeddings } },
    exposure: 'deferred',
    step: undefined,
  },
  { name: 'call, codemode configured', root: {}, exposure: 'codemode', step: undefined },
];
const RUNS: readonly Way[] = [
  { name: 'run', root: {}, exposure: 'direct', step: ECHO },
  {
    name: 'run, search configured',
    root: { search: { embeddings } },
    exposure: 'deferred',
    step: ECHO,
  },
  { name: 'run, codemode configured', root: {}, exposure: 'codemode', step: ECHO },
  {
    name: 'run that searches',
    root: {},
    exposure: 'deferred',
    step: step('tool_search', { query: 'echo' }),
  },
  {
    name: 'run of a script',
    root: {},
    exposure: 'codemode',
    step: step('codemode', { code: 'await tools.s_echo({text: "x"})' }),
  },
];

await using server = await startMcpServer({ tools: standardTools });
const samples = new Map<string, { readonly ms: number; readonly rssMb: number }[]>();
for (let round = -1; round < rounds; round += 1) {
  for (const way of [...CALLS, ...RUNS]) {
    const sample = await measure(way);
    // The first round warms up the caches of the system.
    if (round >= 0) samples.set(way.name, [...(samples.get(way.name) ?? []), sample]);
  }
}
const rows = [CALLS, RUNS].flatMap((ways) => {
  const [first] = ways.map(({ name }) => medians(name));
  return ways.map(({ name }) => {
    const { ms, rssMb } = medians(name);
    const ratio = (value: number, base = value) => `× ${(value / base).toFixed(2)}`;
    return `| ${name} | ${ms.toFixed(0)} | ${ratio(ms, first?.ms)} | ${rssMb.toFixed(1)} | ${ratio(rssMb, first?.rssMb)} |`;
  });
});
process.stdout.write(
  `| ${rounds} rounds, medians | ms | | peak RSS, MiB | |\n|---|--:|--:|--:|--:|\n${rows.join('\n')}\n`,
);

async function measure({ name, root, exposure, step: first }: Way) {
  const model = await startModelServer({
    format: 'openai',
    script: first === undefined ? [] : [first, { text: 'done' }],
  });
  const home = mkdtempSync(join(tmpdir(), 'usher-bench-'));
  const file = join(home, 'config.yaml');
  const config = {
    model: {
      provider: 'openai-compatible',
      name: 'm',
      baseUrl: model.baseUrl,
      apiKeyEnv: 'BENCH_KEY',
    },
    mcp: { permissions: 'auto' },
    servers: [{ name: 's', url: server.url, exposure }],
    ...root,
  };
  await Bun.write(file, JSON.stringify(config));
  const words = first === undefined ? ['call', 's/echo', 'text=x'] : ['--prompt', 'go'];
  const startedAt = performance.now();
  const child = Bun.spawn([binary, ...words, '-q', '--config', file], {
    cwd: home,
    env: { PATH: Bun.env['PATH'] ?? '', HOME: home, BENCH_KEY: 'key-of-the-bench' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const code = await child.exited;
  const ms = performance.now() - startedAt;
  await model.close();
  if (code !== 0) throw new Error(`${name}: exit ${code}`);
  return { ms, rssMb: (child.resourceUsage()?.maxRSS ?? 0) / 1024 / 1024 };
}

function medians(name: string) {
  const own = samples.get(name) ?? [];
  const middle = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return { ms: middle(own.map(({ ms }) => ms)), rssMb: middle(own.map(({ rssMb }) => rssMb)) };
}

function numberOf(flag: string, fallback: number): number {
  const at = process.argv.indexOf(flag);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}
