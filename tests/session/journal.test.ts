import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileOps, systemFiles } from '../../src/base/file-ops.ts';
import { readChain } from '../../src/session/chain.ts';
import { createJournal } from '../../src/session/journal.ts';
import { countFiles, fullDisk } from './failing-files.ts';

let folder = '';
let path = '';
let problems: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'usher-journal-'));
  path = join(folder, 'journal', 'a.jsonl');
  problems = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (files: FileOps = systemFiles) =>
  createJournal({
    path,
    head: { session: 'a' },
    files,
    wallTime: () => 0,
    onProblem: (message) => problems.push(message),
  });
const kinds = () => {
  const { lines, broken } = readChain(readFileSync(path));
  return { kinds: lines.map(({ kind }) => kind), broken };
};

test('nothing is made before the first line; then the file is for its owner only', () => {
  const journal = open();
  expect(() => statSync(path)).toThrow();
  expect(journal.append('intent', {})).toBe(2);
  journal.close();
  journal.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'journal')).mode & 0o777).toBe(0o700);
  expect(kinds()).toEqual({ kinds: ['open', 'intent', 'close'], broken: undefined });
});

test('a later run goes on with the chain, also behind a torn line', () => {
  const first = open();
  first.append('intent', {});
  first.close();
  appendFileSync(path, '{"seq":4,"kind":"int');
  const second = open();
  second.append('intent', {});
  second.close();
  const { lines } = readChain(readFileSync(path));
  expect(lines.map(({ kind, seq, tornBytes }) => [seq, kind, tornBytes])).toEqual([
    [1, 'open', undefined],
    [2, 'intent', undefined],
    [3, 'close', undefined],
    [4, 'open', 20],
    [5, 'intent', undefined],
    [6, 'close', undefined],
  ]);
});

test('a file that is no chain is put aside, not gone on with', () => {
  const first = open();
  first.append('intent', {});
  first.close();
  writeFileSync(path, readFileSync(path, 'utf8').replace('intent', 'inTent'));
  const second = open();
  second.append('intent', {});
  second.close();
  const { lines } = readChain(readFileSync(path));
  expect(lines[0]?.['putAside']).toBe(`${path}.0.broken`);
  expect(readFileSync(`${path}.0.broken`, 'utf8')).toContain('inTent');
});

test('intents of the same moment share one sync, later ones get one of their own', async () => {
  let syncs = 0;
  const gates: (() => void)[] = [];
  const files: FileOps = {
    ...systemFiles,
    sync: () => {
      syncs += 1;
      return new Promise((resolve) => gates.push(resolve));
    },
  };
  const journal = open(files);
  const intend = () => {
    journal.append('intent', {});
    return journal.sync();
  };
  const together = Promise.all([intend(), intend(), intend()]);
  await Promise.resolve();
  await Promise.resolve();
  expect(syncs).toBe(1);
  const later = Promise.all([intend(), intend()]);
  gates.shift()?.();
  await together;
  await Promise.resolve();
  expect(syncs).toBe(2);
  gates.shift()?.();
  await later;
  expect(syncs).toBe(2);
});

test('whatever operation fails, it is told once, nothing throws and the file is a chain', async () => {
  for (const tear of [false, true]) {
    for (let at = 1; ; at += 1) {
      rmSync(join(folder, 'journal'), { recursive: true, force: true });
      problems = [];
      const counted = countFiles(at, fullDisk, tear);
      const journal = open(counted.files);
      for (let call = 0; call < 3; call += 1) {
        journal.append('intent', { call });
        await journal.sync();
      }
      journal.close();
      const isUntouched = counted.count() < at;
      const told = ['the record of tool calls cannot be written: no space left on the device'];
      expect([at, problems]).toEqual([at, isUntouched ? [] : told]);
      problems = [];
      const after = open();
      after.append('intent', {});
      after.close();
      expect([at, problems, kinds().broken]).toEqual([at, [], undefined]);
      if (isUntouched) break;
    }
  }
});
