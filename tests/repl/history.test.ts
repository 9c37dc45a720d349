import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerSecret } from '../../src/base/redact.ts';
import { openHistory } from '../../src/repl/history.ts';

function newStateDir(): string {
  return join(mkdtempSync(join(tmpdir(), 'usher-history-')), 'state');
}

function open(stateDir: string | undefined) {
  const problems: string[] = [];
  return { history: openHistory(stateDir, (message) => problems.push(message)), problems };
}

describe('openHistory', () => {
  test('keeps lines for the next session, readable for their owner only', () => {
    const stateDir = newStateDir();
    const { history } = open(stateDir);
    for (const line of ['one', 'two\nlines', 'two\nlines', '  ', 'é日']) history.add(line);
    const lines = ['one', 'two\nlines', 'é日'];
    expect(history.lines()).toEqual(lines);
    expect(open(stateDir).history.lines()).toEqual(lines);
    expect(statSync(join(stateDir, 'history')).mode & 0o777).toBe(0o600);
  });

  test('keeps the last 1,000 lines', () => {
    const stateDir = newStateDir();
    mkdirSync(stateDir);
    const rows = Array.from({ length: 1_234 }, (_, index) => `"line ${index}"`);
    writeFileSync(join(stateDir, 'history'), `${rows.join('\n')}\n`);
    const { history } = open(stateDir);
    expect([history.lines().length, history.lines()[0]]).toEqual([1_000, 'line 234']);
    history.add('last');
    expect([history.lines().length, history.lines()[0]]).toEqual([1_000, 'line 235']);
    expect(readFileSync(join(stateDir, 'history'), 'utf8').split('\n').length).toBe(1_002);
  });

  test('skips what is not an entry and takes control characters out', () => {
    const stateDir = newStateDir();
    mkdirSync(stateDir);
    writeFileSync(join(stateDir, 'history'), 'junk\n"a\\u001b[2Jb"\n7\n"half\n"ok"\n');
    chmodSync(join(stateDir, 'history'), 0o644);
    const { history, problems } = open(stateDir);
    expect([history.lines(), problems]).toEqual([['a[2Jb', 'ok'], []]);
    expect(statSync(join(stateDir, 'history')).mode & 0o777).toBe(0o600);
  });

  test('writes no registered secret', () => {
    const stateDir = newStateDir();
    registerSecret('hunter2-hunter2');
    open(stateDir).history.add('use hunter2-hunter2 now');
    expect(readFileSync(join(stateDir, 'history'), 'utf8')).toBe('"use *** now"\n');
  });

  test('lives for the session alone without a state directory', () => {
    const { history, problems } = open(undefined);
    history.add('one');
    expect([history.lines(), problems]).toEqual([['one'], []]);
  });

  test('says once that nothing is kept when it cannot be written, and goes on', () => {
    const stateDir = newStateDir();
    writeFileSync(stateDir, 'a file where the directory should be');
    const { history, problems } = open(stateDir);
    history.add('one');
    history.add('two');
    expect(history.lines()).toEqual(['one', 'two']);
    expect(problems.length).toBe(1);
    expect(problems[0]).toBe('history is not kept: something else has that name');
  });

  test('does not follow a symlink', () => {
    const stateDir = newStateDir();
    mkdirSync(stateDir);
    const target = join(stateDir, 'target');
    symlinkSync(target, join(stateDir, 'history'));
    const { history, problems } = open(stateDir);
    history.add('one');
    expect(problems.length).toBe(1);
    expect(() => statSync(target)).toThrow();
  });
});
