import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnv } from '../../src/base/env.ts';

const script = join(import.meta.dir, 'pty-session.ts');
const LIMIT_MS = 10_000;

interface Pty {
  readonly process: Bun.Subprocess;
  readonly output: () => string;
  readonly stateDir: string;
  type(text: string): void;
  /** Waits until this text came after what was waited for before. */
  shows(text: string): Promise<void>;
}

/** The session in a shell that tells the terminal's settings before and after, and the exit code. */
function openPty(env: Readonly<Record<string, string>> = {}): Pty {
  const stateDir = join(mkdtempSync(join(tmpdir(), 'usher-repl-')), 'state');
  let output = '';
  let seen = 0;
  let check = (): void => undefined;
  const decoder = new TextDecoder();
  const process_ = Bun.spawn(
    [
      'sh',
      '-c',
      'trap : INT; stty -g; "$0" "$1" "$2"; echo "code=$?"; stty -g',
      process.execPath,
      script,
      stateDir,
    ],
    {
      env: { ...processEnv(), TERM: 'xterm-256color', ...env },
      terminal: {
        cols: 60,
        rows: 20,
        data(_, chunk) {
          output += decoder.decode(chunk, { stream: true });
          check();
        },
      },
    },
  );
  return {
    process: process_,
    output: () => output,
    stateDir,
    type: (text) => process_.terminal?.write(text),
    shows(text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        reject(new Error(`no ${JSON.stringify(text)} in ${JSON.stringify(output.slice(seen))}`));
      }, LIMIT_MS);
      check = () => {
        const at = output.indexOf(text, seen);
        if (at < 0) return;
        seen = at + text.length;
        clearTimeout(timer);
        resolve();
      };
      check();
      return promise;
    },
  };
}

/** The settings line before and after, and the exit code that the shell saw. */
function endOf(pty: Pty): { readonly code: string | undefined; readonly isRestored: boolean } {
  const settings = pty.output().match(/^[0-9a-f]+(:[0-9a-f]+){10,}/gm) ?? [];
  return {
    code: /code=(\d+)/.exec(pty.output())?.[1],
    isRestored: settings.length === 2 && settings[0] === settings[1],
  };
}

describe('a session in a pseudo-terminal', () => {
  test('edits, answers, asks, keeps the history and restores the terminal', async () => {
    const pty = openPty();
    await pty.shows('> ');
    expect(pty.output()).toContain('\x1b[?2004h');
    pty.type('helo\x1b[Dl 日本\r');
    await pty.shows('hell 日本o (8)');
    pty.type('ask\r');
    await pty.shows('Allow? [y/s/a/n/d/v] ');
    pty.type('y\r');
    await pty.shows('person said yes');
    pty.type('\x1b[A\x1b[A\r');
    await pty.shows('hell 日本o (8)');
    pty.type('\x04');
    await pty.process.exited;
    expect(endOf(pty)).toEqual({ code: '0', isRestored: true });
    expect(pty.output()).toContain('\x1b[?2004l');
    const file = join(pty.stateDir, 'history');
    expect(readFileSync(file, 'utf8')).toBe('"hell 日本o"\n"ask"\n"hell 日本o"\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('cancels on Ctrl-C, keeps the session, and ends at once on a second', async () => {
    const pty = openPty();
    await pty.shows('> ');
    pty.type('wait\r');
    await pty.shows('working');
    pty.type('\x03');
    await pty.shows('cancelled');
    pty.type('hi\r');
    await pty.shows('hi (2)');
    await pty.shows('> ');
    pty.type('\x03');
    await pty.shows('Press Ctrl-C again');
    pty.type('\x03');
    await pty.process.exited;
    expect(endOf(pty)).toEqual({ code: '130', isRestored: true });
  });

  test('restores the terminal after a crash', async () => {
    const pty = openPty();
    await pty.shows('> ');
    pty.type('crash\r');
    await pty.shows('fault: crashed');
    await pty.process.exited;
    expect(endOf(pty)).toEqual({ code: '70', isRestored: true });
    expect(pty.output()).toContain('\x1b[?2004l');
  });

  test('uses no sequences on a dumb terminal and takes Ctrl-C and Ctrl-D from it', async () => {
    const pty = openPty({ TERM: 'dumb' });
    await pty.shows('> ');
    pty.type('hello there\n');
    await pty.shows('hello there (11)');
    pty.type('wait\n');
    await pty.shows('working');
    pty.type('\x03');
    await pty.shows('cancelled');
    await pty.shows('> ');
    pty.type('\x04');
    await pty.process.exited;
    expect(endOf(pty)).toEqual({ code: '0', isRestored: true });
    expect(pty.output()).not.toContain('\x1b');
  });
});
