import { expect, test } from 'bun:test';
import { readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../src/base/hash.ts';
import { DEFAULT_RETENTION, pruneArtifacts, type Retention } from '../../src/results/prune.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const DAY = 24 * 3_600_000;
const NOW = 1_800_000_000_000;

const named = (content: string) => `tool-${sha256Hex(content).slice(0, 16)}.txt`;
function put(folder: string, name: string, content: string, ageDays: number): string {
  writeFiles(folder, { [`srv/${name}`]: content });
  const time = (NOW - ageDays * DAY) / 1000;
  utimesSync(join(folder, 'srv', name), time, time);
  return name;
}
const prune = (folder: string, retention: Partial<Retention> = {}, signal?: AbortSignal) =>
  pruneArtifacts(
    folder,
    { ...DEFAULT_RETENTION, ...retention },
    NOW,
    signal ?? new AbortController().signal,
  );
const left = (folder: string) => readdirSync(join(folder, 'srv')).sort();

test('by default what is older than 30 days goes', async () => {
  const folder = newFolder();
  put(folder, named('old'), 'old', 31);
  const young = put(folder, named('young'), 'young', 29);
  expect([await prune(folder), left(folder)]).toEqual([1, [young]]);
});

test('beyond a number or a size the oldest go', async () => {
  const folder = newFolder();
  const names = [1, 2, 3, 4].map((age) => put(folder, named(`file ${age}`), `file ${age}`, age));
  expect(await prune(folder, { maxAgeMs: undefined, maxFiles: 3 })).toBe(1);
  expect(left(folder)).toEqual(names.slice(0, 3).sort());
  expect(await prune(folder, { maxBytes: 12 })).toBe(1);
  expect(left(folder)).toEqual(names.slice(0, 2).sort());
});

test('only what is provably ours is touched', async () => {
  const folder = newFolder();
  const outside = join(newFolder(), 'target');
  writeFileSync(outside, 'mine');
  const linked = named('mine');
  const others = [
    put(folder, 'notes.txt', 'x', 400),
    put(folder, 'bundle-0123456789abcdef.js', 'not this content', 400),
    put(folder, '.tool-0123456789abcdef.txt.swp', 'x', 400),
  ];
  symlinkSync(outside, join(folder, 'srv', linked));
  writeFiles(folder, { 'srv/deep/tool-0123456789abcdef.txt': 'x', [named('top')]: 'top' });
  put(folder, '.tool-0123456789abcdef.txt.0123456789ab.tmp', 'half', 2);
  put(folder, '.tool-0123456789abcdef.txt.ba9876543210.tmp', 'half', 0);
  expect([await prune(folder, { maxAgeMs: 0 }), left(folder)]).toEqual([
    1,
    [...others, linked, 'deep', '.tool-0123456789abcdef.txt.ba9876543210.tmp'].sort(),
  ]);
});

test('a missing folder and an aborted start are nothing to do', async () => {
  const folder = newFolder();
  const name = put(folder, named('old'), 'old', 400);
  expect(await prune(join(folder, 'none'))).toBe(0);
  expect([await prune(folder, {}, AbortSignal.abort()), left(folder)]).toEqual([0, [name]]);
});
