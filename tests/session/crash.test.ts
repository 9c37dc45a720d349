/** A process killed before every single file operation: what it leaves is readable, and no effect is denied. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemFiles } from '../../src/base/file-ops.ts';
import { readChain } from '../../src/session/chain.ts';
import { openSession } from '../../src/session/open.ts';
import type { Message } from '../../src/session/recorder.ts';
import { UNSENT_CALL } from '../../src/session/resume.ts';
import { newFolder } from '../helpers/places.ts';

const writer = join(import.meta.dir, 'writer.ts');

/** The number of operations of a whole run, `undefined` when it was killed. */
async function runKilled(stateDir: string, at: number, tear: boolean): Promise<number | undefined> {
  const words = [process.execPath, writer, stateDir, String(at), tear ? 'tear' : ''];
  const child = Bun.spawn(words, { stdout: 'pipe', stderr: 'inherit' });
  const output = await new Response(child.stdout).text();
  await child.exited;
  return child.signalCode === 'SIGKILL' ? undefined : Number(output);
}

const reopen = async (stateDir: string) => {
  const problems: string[] = [];
  const session = await openSession({
    stateDir,
    id: 'a',
    cwd: '/somewhere',
    files: systemFiles,
    wallTime: () => Date.now(),
    onProblem: (message) => problems.push(message),
  });
  await session.close();
  return { history: session.history, problems };
};

/** Every call has one result in the message after it; user messages are answered. */
function isAcceptable(history: readonly Message[]): boolean {
  return history.every((message, index) => {
    const next = history[index + 1];
    if (message.role === 'user') return next?.role === 'assistant';
    if (message.role === 'tool') return history[index - 1]?.role === 'assistant';
    if (message.toolCalls.length === 0) return true;
    const ids = next?.role === 'tool' ? next.results.map(({ callId }) => callId) : [];
    return Bun.deepEquals(
      ids,
      message.toolCalls.map(({ id }) => id),
    );
  });
}

for (const tear of [false, true]) {
  test(`kill -9 before every file operation${tear ? ', in the middle of each write' : ''}`, async () => {
    const total = (await runKilled(newFolder(), 0, tear)) ?? 0;
    expect(total).toBeGreaterThan(20);
    for (let at = 1; at <= total; at += 1) {
      const stateDir = newFolder();
      expect(await runKilled(stateDir, at, tear)).toBeUndefined();
      const { history, problems } = await reopen(stateDir);
      expect([at, problems, isAcceptable(history)]).toEqual([at, [], true]);
      const texts = history.flatMap((message) =>
        message.role === 'tool'
          ? message.results.map(({ callId, text }) => [callId, text] as const)
          : [],
      );
      const unsent = texts.flatMap(([id, text]) => (text === UNSENT_CALL ? [id] : []));
      const effects = join(stateDir, 'effects');
      const done = existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : [];
      expect([at, unsent.filter((id) => done.includes(id))]).toEqual([at, []]);
      const journal = join(stateDir, 'journal', 'a.jsonl');
      if (existsSync(journal)) {
        const reading = readChain(readFileSync(journal));
        expect([at, reading.broken]).toEqual([at, undefined]);
      }
      // What was mended is the same when it is opened once more.
      expect([at, (await reopen(stateDir)).history]).toEqual([at, history]);
    }
  }, 60_000);
}
