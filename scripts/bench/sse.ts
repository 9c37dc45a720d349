/**
 * Measures the SSE parser beside eventsource-parser, in one process: `bun scripts/bench/sse.ts [--runs N]`.
 *
 * Both get the same bytes; eventsource-parser takes text, so a streaming TextDecoder stands before it, as
 * its users have it. Every run has a fresh fixture, seeded by the time, and new parsers, and measures in
 * the order A B B A, then B A A B, so that load from elsewhere and the state of memory hit both. All must
 * give the same events. Prints the median time of each, the median of the runs' ratios, and the geometric
 * means; the exit code is 1 when the targets below are missed.
 */
import { createParser } from 'eventsource-parser';
import { createSseParser } from '../../src/sse/parser.ts';

/** Our time over theirs. */
const TARGET = { mean: 1, each: 1.1 };
const RUNS = 24;
const MIN_RUNS = 20;

interface Workload {
  readonly name: string;
  /** Counts for the three asked for; the others are shown beside them and must hold `each` too. */
  readonly isCore: boolean;
  readonly makeText: (random: Random) => string;
  readonly cutBytes: number | 'event';
}

type Random = () => number;
type Parse = (chunks: readonly Uint8Array[]) => Tally;

interface Tally {
  events: number;
  units: number;
  check: number;
}

const WORKLOADS: readonly Workload[] = [
  { name: 'small events, 16 KiB chunks', isCore: true, makeText: smallEvents, cutBytes: 16_384 },
  { name: '64 KiB events, 16 KiB chunks', isCore: true, makeText: largeEvents, cutBytes: 16_384 },
  { name: 'mixed events, 1-byte cuts', isCore: true, makeText: mixedEvents, cutBytes: 1 },
  { name: 'small events, one per chunk', isCore: false, makeText: smallEvents, cutBytes: 'event' },
  { name: '64 KiB events, one per chunk', isCore: false, makeText: largeEvents, cutBytes: 'event' },
  { name: 'one 1 MiB event, 1-byte cuts', isCore: false, makeText: hugeEvent, cutBytes: 1 },
  { name: 'small events, CRLF', isCore: false, makeText: crlfEvents, cutBytes: 16_384 },
  { name: 'small events, not ASCII', isCore: false, makeText: wideEvents, cutBytes: 16_384 },
];

function main(): number {
  const runs = Math.max(MIN_RUNS, readRuns(process.argv.slice(2)));
  const seed = Date.now() >>> 0;
  print(`seed ${seed}, ${runs} interleaved runs, Bun ${Bun.version}`);
  print(
    `${'workload'.padEnd(32)}${'usher'.padStart(10)}${'peer'.padStart(10)}${'ratio'.padStart(8)}`,
  );
  const core: number[] = [];
  const all: number[] = [];
  WORKLOADS.forEach((workload, index) => {
    const { ours, theirs, ratio } = measure(workload, runs, makeRandom(seed + index));
    all.push(ratio);
    if (workload.isCore) core.push(ratio);
    const cells = [`${ours.toFixed(2)}ms`, `${theirs.toFixed(2)}ms`].map((cell) =>
      cell.padStart(10),
    );
    print(`${workload.name.padEnd(32)}${cells.join('')}${ratio.toFixed(3).padStart(8)}`);
  });
  const means = { core: geometricMean(core), all: geometricMean(all) };
  print(
    `geometric mean: ${means.core.toFixed(3)} of the first three, ${means.all.toFixed(3)} of all`,
  );
  const isMet = Math.max(means.core, means.all) <= TARGET.mean && Math.max(...all) <= TARGET.each;
  print(isMet ? 'targets met' : `targets missed: mean <= ${TARGET.mean}, each <= ${TARGET.each}`);
  return isMet ? 0 : 1;
}

function measure(workload: Workload, runs: number, random: Random) {
  const ours: number[] = [];
  const theirs: number[] = [];
  // The first runs only warm up the compiler.
  const warmUps = 5;
  for (let run = -warmUps; run < runs; run++) {
    const chunks = cut(workload.makeText(random), workload.cutBytes);
    // The one that comes second finds memory in another state; so each comes first once and last once.
    const [outer, inner] = run % 2 === 0 ? [parseOurs, parseTheirs] : [parseTheirs, parseOurs];
    const outerTimes = [time(outer, chunks)];
    const innerTimes = [time(inner, chunks), time(inner, chunks)];
    outerTimes.push(time(outer, chunks));
    const tallies = [...outerTimes, ...innerTimes].map(({ tally }) => JSON.stringify(tally));
    if (new Set(tallies).size !== 1) throw new Error(`${workload.name}: the parsers disagree`);
    if (run < 0) continue;
    ours.push(meanMs(outer === parseOurs ? outerTimes : innerTimes));
    theirs.push(meanMs(outer === parseOurs ? innerTimes : outerTimes));
  }
  const ratios = ours.map((ms, index) => ms / (theirs[index] ?? Number.NaN));
  return { ours: median(ours), theirs: median(theirs), ratio: median(ratios) };
}

function meanMs(times: readonly { readonly ms: number }[]): number {
  return times.reduce((sum, { ms }) => sum + ms, 0) / times.length;
}

function time(parse: Parse, chunks: readonly Uint8Array[]): { ms: number; tally: Tally } {
  Bun.gc(true);
  const start = Bun.nanoseconds();
  const tally = parse(chunks);
  return { ms: (Bun.nanoseconds() - start) / 1e6, tally };
}

function parseOurs(chunks: readonly Uint8Array[]): Tally {
  const tally = { events: 0, units: 0, check: 0 };
  const parser = createSseParser({ onEvent: (event) => count(tally, event.data, event.event) });
  for (const chunk of chunks) parser.feed(chunk);
  return tally;
}

function parseTheirs(chunks: readonly Uint8Array[]): Tally {
  const tally = { events: 0, units: 0, check: 0 };
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: (event) => count(tally, event.data, event.event) });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  return tally;
}

/** Reads a little of every event, as a user would, so that none of it can be left out. */
function count(tally: Tally, data: string, event: string | undefined): void {
  tally.events += 1;
  tally.units += data.length + (event?.length ?? 0);
  tally.check = (tally.check * 31 + data.charCodeAt(data.length >> 1)) | 0;
}

function smallEvents(random: Random): string {
  return repeat(8000, (index) => `data: ${delta(index, word(random, 12))}\n\n`);
}

function wideEvents(random: Random): string {
  return repeat(8000, (index) => `data: ${delta(index, `${word(random, 6)}é漢😀`)}\n\n`);
}

function crlfEvents(random: Random): string {
  return repeat(8000, (index) => `data: ${delta(index, word(random, 12))}\r\n\r\n`);
}

function largeEvents(random: Random): string {
  return repeat(48, (index) => {
    const text = word(random, 64).repeat(1024);
    return `event: message\nid: ${index}\ndata: {"text":"${text}"}\n\n`;
  });
}

function hugeEvent(random: Random): string {
  return `data: {"text":"${word(random, 64).repeat(16_384)}"}\n\n`;
}

function mixedEvents(random: Random): string {
  return repeat(800, (index) => {
    const text = word(random, 1 + Math.floor(random() * 300));
    return `event: message\nid: ${index}\ndata: ${delta(index, text)}\n\n`;
  });
}

function delta(index: number, text: string): string {
  return JSON.stringify({ id: index, choices: [{ index: 0, delta: { content: text } }] });
}

function word(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += random().toString(36).slice(2);
  return text.slice(0, length);
}

function repeat(times: number, make: (index: number) => string): string {
  return Array.from({ length: times }, (_, index) => make(index)).join('');
}

function cut(text: string, size: number | 'event'): Uint8Array[] {
  const encoder = new TextEncoder();
  if (size === 'event') return text.split(/(?<=\n\n)/).map((part) => encoder.encode(part));
  const bytes = encoder.encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
  return chunks;
}

/** Mulberry32: small, seeded, good enough for fixtures. */
function makeRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function readRuns(args: readonly string[]): number {
  const at = args.indexOf('--runs');
  const runs = at === -1 ? RUNS : Number(args[at + 1]);
  return Number.isInteger(runs) ? runs : RUNS;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = main();
