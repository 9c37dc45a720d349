/**
 * A call inside a script beside the same call without one, in turn in one process, against one HTTP server in
 * another; and what the first script costs. A script's start is not its calls': what a script with one call takes
 * is taken off one with more. Prints medians, minima and the ratios.
 *
 *   bun scripts/bench/codemode.ts [--calls 100] [--rounds 21]
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../build.ts';
import { openBenchHost } from './host.ts';

const calls = numberOf('--calls', 100);
const rounds = numberOf('--rounds', 21);
const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'usher-bench-'));
const server = Bun.spawn(
  [process.execPath, join(projectRoot, 'tests/fixtures/servers/http.ts'), '{}'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const url = (await firstLine(server.stdout)).trim();
const configFlag = join(folder, 'config.yaml');
await Bun.write(configFlag, `servers: [{name: s1, url: "${url}", permissions: auto}]\n`);
const host = await openBenchHost(folder, configFlag, 1);
await host.start(never);

await direct();
const first = await timeOf(() => script(0));
const second = await timeOf(() => script(0));
const plain: number[] = [];
const nested: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  plain.push((await timeOf(direct)) / calls);
  const one = await timeOf(() => script(1));
  nested.push(((await timeOf(() => script(calls + 1))) - one) / calls);
}
const pairs = nested.map((ms, round) => ms / (plain[round] ?? Number.NaN));
console.log(`first script ${first.toFixed(1)} ms, the next ${second.toFixed(1)} ms`);
console.log('one call        direct   in a script   ratio (target 1.3)');
show('median', median(plain), median(nested), median(pairs));
show('minimum', Math.min(...plain), Math.min(...nested));
await host.close();
server.kill();

async function direct(): Promise<void> {
  for (let n = 0; n < calls; n += 1) {
    const call = { id: `d${n}`, name: 's1_echo', arguments: { text: String(n) } };
    await host.call({ ...call, invalidArguments: undefined, origin: 'model' }, never);
  }
}

function show(name: string, direct: number, inScript: number, ratio = inScript / direct): void {
  const [one, other] = [direct, inScript].map((ms) => `${ms.toFixed(3)} ms`);
  console.log(`${name.padEnd(12)} ${one}      ${other}   ${ratio.toFixed(2)}`);
}

async function script(count: number): Promise<void> {
  const code = `for (let n = 0; n < ${count}; n++) await tools.s1_echo({text: String(n)})`;
  const given = { args: [], input: '' };
  const nothing = () => undefined;
  const report = await host.runScript({ code, given, onText: nothing, onConsole: nothing }, never);
  if (report.error !== undefined) throw new Error(report.error.message);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function numberOf(flag: string, fallback: number): number {
  const at = process.argv.indexOf(flag);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk);
  throw new Error('the server said nothing');
}
