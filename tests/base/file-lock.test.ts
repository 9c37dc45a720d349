import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../../src/base/file-lock.ts';
import { type FileOps, systemFiles } from '../../src/base/file-ops.ts';
import { newFolder } from '../helpers/places.ts';

const take = (path: string) => takeLock(path, systemFiles, () => 0);

test('one holder at a time, and nothing is left behind', () => {
  const folder = newFolder();
  const path = join(folder, 'a.lock');
  const first = take(path);
  expect(take(path)).toEqual({
    kind: 'busy',
    pid: process.pid,
    since: '1970-01-01T00:00:00.000Z',
  });
  expect(first.kind).toBe('held');
  if (first.kind === 'held') first.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('the lock of a process that is gone is taken over', async () => {
  const path = join(newFolder(), 'a.lock');
  const child = Bun.spawn(['true']);
  await child.exited;
  for (const dead of [
    JSON.stringify({ pid: child.pid, started: '1', token: 'x' }),
    // The number was given to another process meanwhile.
    JSON.stringify({ pid: process.pid, started: '1', token: 'x' }),
    '',
    'no lock at all',
  ]) {
    writeFileSync(path, dead);
    const lock = take(path);
    expect([dead, lock.kind]).toEqual([dead, 'held']);
    if (lock.kind === 'held') lock.release();
  }
});

test('releasing leaves the lock of another process alone', () => {
  const path = join(newFolder(), 'a.lock');
  const lock = take(path);
  writeFileSync(path, '{"pid":1}');
  if (lock.kind === 'held') lock.release();
  expect(existsSync(path) && readFileSync(path, 'utf8')).toBe('{"pid":1}');
});

test('of many processes that find a dead lock, one gets it', async () => {
  const path = join(newFolder(), 'a.lock');
  writeFileSync(path, '{"pid":0}');
  const script = `
    import { takeLock } from ${JSON.stringify(join(import.meta.dir, '../../src/base/file-lock.ts'))};
    import { systemFiles } from ${JSON.stringify(join(import.meta.dir, '../../src/base/file-ops.ts'))};
    process.stdout.write(takeLock(${JSON.stringify(path)}, systemFiles, () => 0).kind);
    process.stdin.resume();
  `;
  const children = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' }),
  );
  const words = await Promise.all(
    children.map(async (child) => {
      const read = await child.stdout.getReader().read();
      return new TextDecoder().decode(read.value);
    }),
  );
  for (const child of children) child.kill('SIGKILL');
  expect(words.sort()).toEqual(['busy', 'busy', 'busy', 'busy', 'busy', 'held']);
});

test('changes of one file by several processes at once all stay', async () => {
  const path = join(newFolder(), 'list.json');
  const module = new URL('../../src/base/file-lock.ts', import.meta.url).pathname;
  const code = `
    const { changeAlone } = await import(${JSON.stringify(module)});
    const fs = require('node:fs');
    changeAlone(process.argv[1], () => {
      const all = fs.existsSync(process.argv[1]) ? JSON.parse(fs.readFileSync(process.argv[1], 'utf8')) : [];
      Bun.sleepSync(5);
      fs.writeFileSync(process.argv[1], JSON.stringify([...all, Number(process.argv[2])]));
    });`;
  const names = [1, 2, 3, 4, 5, 6];
  await Promise.all(
    names.map((name) => Bun.spawn([process.execPath, '-e', code, path, String(name)]).exited),
  );
  const kept: number[] = await Bun.file(path).json();
  expect(kept.sort()).toEqual(names);
});

test('a draft that a full disk did not take whole is not left behind', () => {
  const folder = newFolder();
  const full: FileOps = {
    ...systemFiles,
    create(path) {
      writeFileSync(path, '');
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  };
  expect(() => takeLock(join(folder, 'a.lock'), full, () => 0)).toThrow('no space');
  expect(readdirSync(folder)).toEqual([]);
});
