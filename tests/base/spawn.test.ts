import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import { type Child, endChild, killAll, spawnChild } from '../../src/base/spawn.ts';

const PATH = '/usr/bin:/bin';

function shell(line: string): Child {
  return spawnChild({ command: 'sh', args: ['-c', line], env: { PATH }, cwd: '/tmp' });
}

async function firstLine(child: Child): Promise<string> {
  const pieces = child.stdout[Symbol.asyncIterator]();
  let text = '';
  while (!text.includes('\n')) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    text += new TextDecoder().decode(value);
  }
  return text.trim();
}

test('a child leads a process group of its own', async () => {
  const child = shell('echo up; cat');
  await firstLine(child);
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  expect(Number(stat.slice(stat.lastIndexOf(')')).split(' ')[3])).toBe(child.pid);
  expect(await endChild(child, systemClock)).toBe(true);
});

test('a child that obeys the end of its input ends by itself', async () => {
  const child = shell('echo up; cat; exit 5');
  await firstLine(child);
  expect(await endChild(child, systemClock)).toBe(true);
  expect(await child.exited).toEqual({ code: 5, signal: null });
});

test('a grandchild that outlives its parent is ended by TERM', async () => {
  const child = shell('sleep 60 & echo $!; cat');
  const grandchild = Number(await firstLine(child));
  expect(child.isGroupAlive()).toBe(true);
  expect(await endChild(child, systemClock)).toBe(true);
  expect(isAlive(grandchild)).toBe(false);
});

test('what ignores TERM is killed after the waits', async () => {
  const child = shell('trap "" TERM; echo up; while :; do sleep 0.05; done');
  await firstLine(child);
  expect(await endChild(child, systemClock, { inputMs: 20, termMs: 50 })).toBe(true);
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

test('killAll ends every group at once', async () => {
  const children = [shell('trap "" TERM; echo up; sleep 60'), shell('echo up; sleep 60 & wait')];
  await Promise.all(children.map(firstLine));
  killAll();
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([
    { code: null, signal: 'SIGKILL' },
    { code: null, signal: 'SIGKILL' },
  ]);
  const ended = await Promise.all(children.map((child) => endChild(child, systemClock)));
  expect(ended).toEqual([true, true]);
});

test('writing to a child that closed its input rejects', async () => {
  const child = shell('exec 0<&-; echo closed; sleep 60');
  await firstLine(child);
  await expect(child.write('x\n')).rejects.toThrow('EPIPE');
  await expect(child.write('x'.repeat(300_000))).rejects.toThrow();
  await endChild(child, systemClock, { inputMs: 0, termMs: 500 });
});

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

test('a child that never stops writing does not hold up timers, however slow its reader', async () => {
  const child = shell('exec yes');
  const late = systemClock.now() + 5000;
  const fired = { timer: false };
  systemClock.after(30, () => {
    fired.timer = true;
  });
  let chunks = 0;
  for await (const _chunk of child.stdout) {
    chunks += 1;
    // Work for each piece, as parsing is.
    for (const until = systemClock.now() + 20; systemClock.now() < until; );
    if (fired.timer || systemClock.now() > late) break;
  }
  await endChild(child, systemClock);
  expect([fired.timer, chunks < 8]).toEqual([true, true]);
});
