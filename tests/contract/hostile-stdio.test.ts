/** Commands that break the rules of stdio, each beside a good server that goes on answering. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CallOutcome } from '../../src/calls/types.ts';
import { openScene, type Scene, stdioEntry } from '../flow/scene.ts';
import { newFolder } from '../helpers/places.ts';
import { isAlive } from '../helpers/processes.ts';

const PROGRAM = resolve(import.meta.dir, '../fixtures/servers/hostile-stdio.ts');
const CLOCKS = ', permissions: auto, timeout: {connect: 10s, idle: 700ms, max: 1500ms}';
const ROW_MS = 20_000;

function entry(mode: string): string {
  return `  - {name: bad, command: "${process.execPath}", args: ["${PROGRAM}", ${mode}]${CLOCKS}}`;
}

function shellEntry(line: string): string {
  return `  - {name: bad, command: sh, args: ["-c", ${JSON.stringify(line)}]${CLOCKS}}`;
}

function open(...entries: readonly string[]): Promise<Scene> {
  const good = stdioEntry('good', {}, CLOCKS.replace('idle: 700ms, max: 1500ms', 'idle: 10s'));
  return openScene({ yaml: `servers:\n${[...entries, good].join('\n')}` });
}

async function call(scene: Scene, name: string): Promise<string> {
  const asked = { id: name, name, arguments: {}, invalidArguments: undefined };
  const signal = new AbortController().signal;
  return told(await scene.host.call({ ...asked, origin: 'user' }, signal));
}

function told(outcome: CallOutcome): string {
  if (outcome.kind !== 'result') return `${outcome.kind} ${outcome.text}`;
  const [first] = outcome.result.content;
  return `result ${String(first?.['text']).slice(0, 100)}`;
}

describe('a call of a command that', () => {
  test.each([
    ['silent', 'stays silent', /700ms|idle/],
    ['endless-line', 'writes one line without end', /1500ms|700ms/],
    ['long-line', 'writes a line of more than 16 MiB', /a line longer than 16 MiB/],
    ['crash', 'ends in the middle', /ended with exit code 7.*the fixture fell over/s],
    ['killed', 'is killed', /was ended by SIGKILL/],
    ['mute', 'closes its output', /closed its output/],
    ['deep', 'nests its JSON ten thousand deep', /^(result|unknown|failed) /],
    ['large-answer', 'answers with 11 MiB', /^result y{100}$/],
    ['half-utf8', 'sends bytes that are not UTF-8', /^result a\ufffdb$/],
    ['binary', 'writes bytes between its messages', /^result clean$/],
    ['twice', 'answers twice', /^result first$/],
    ['stray', 'answers what nobody asked', /^result mine$/],
    ['early', 'has answered before it was asked', /^result in time$/],
    ['storm', 'announces changes without end', /^result still there$/],
    ['loud-stderr', 'fills its stderr', /^result heard$/],
  ] as const)(
    '%s: %s',
    async (mode, _what, says) => {
      await using scene = await open(entry(mode));
      const bad = call(scene, 'bad/act');
      expect(await call(scene, 'good/read')).toBe('result nothing to read');
      expect(await bad).toMatch(says);
      // Whatever happened: it is there again, or told why not.
      const after = await call(scene, 'bad/plain');
      expect(after).toMatch(/^result plain$|^(failed|unknown) /);
      if (['crash', 'killed'].includes(mode)) expect(after).toBe('result plain');
    },
    ROW_MS,
  );
});

describe('what a command cannot make us do', () => {
  test(
    'leave the real server behind a wrapper alive',
    async () => {
      const pids = join(newFolder(), 'pids');
      const line = `echo $$ >> '${pids}'; (echo $BASHPID >> '${pids}'; '${process.execPath}' '${PROGRAM}' silent & echo $! >> '${pids}'; wait); true`;
      const scene = await open(shellEntry(line.replace('(echo $BASHPID', '(echo $$')));
      await scene[Symbol.asyncDispose]();
      const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
      expect(started.length).toBeGreaterThan(1);
      expect(started.filter(isAlive)).toEqual([]);
    },
    ROW_MS,
  );

  test(
    'wait long for one that hears neither EOF nor TERM',
    async () => {
      const log = join(newFolder(), 'pid');
      const script = { pidFile: log, ignoreEof: true, ignoreTerm: true };
      const stubborn = stdioEntry('bad', script, CLOCKS);
      const scene = await open(stubborn);
      const startedAt = performance.now();
      await scene[Symbol.asyncDispose]();
      expect(performance.now() - startedAt).toBeLessThan(4500);
      expect(isAlive(Number(readFileSync(log, 'utf8')))).toBe(false);
    },
    ROW_MS,
  );

  test(
    'start it twice',
    async () => {
      const log = join(newFolder(), 'started');
      const program = `'${process.execPath}' '${PROGRAM}' silent`;
      await using scene = await open(shellEntry(`echo x >> '${log}'; exec ${program}`));
      expect(await call(scene, 'bad/plain')).toBe('result plain');
      expect(readFileSync(log, 'utf8')).toBe('x\n');
    },
    ROW_MS,
  );

  test(
    'wait for one that reads no more',
    async () => {
      await using scene = await open(entry('deaf'));
      const asked = {
        id: 'c',
        name: 'bad/act',
        invalidArguments: undefined,
        origin: 'user',
      } as const;
      const args = { text: 'x'.repeat(1_000_000) };
      const outcome = await scene.host.call(
        { ...asked, arguments: args },
        new AbortController().signal,
      );
      expect(told(outcome)).toMatch(/700ms|1500ms|idle|max/);
      expect(await call(scene, 'good/read')).toBe('result nothing to read');
    },
    ROW_MS,
  );
});
