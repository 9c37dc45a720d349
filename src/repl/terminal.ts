/**
 * The terminal as a port, and the real one over the process's streams. The only file here that touches
 * process.stdin, signals and raw mode. When stdout and stderr are the same screen, one queue writes
 * both, so that nothing overtakes; an answer on another stream goes there unescaped by a queue of its own.
 */
import { fstatSync, writeSync } from 'node:fs';
import { type Env, envValue } from '../base/env.ts';
import type { EndSignal } from '../base/errors.ts';
import { type FdWriter, fdPort, openFdWriter } from '../base/fd-writer.ts';
import { errorCode } from '../base/files.ts';
import { isTerminal } from '../base/tty.ts';

export type TerminalSignal = EndSignal;

export interface TerminalListener {
  /** UTF-8 bytes, cut anywhere. In raw mode keys, else lines. */
  data(bytes: Uint8Array): void;
  /** No more input will come. */
  end(): void;
  resize(): void;
  signal(name: TerminalSignal): void;
  /** A fault that nobody caught. Listened to here because Bun 1.4.5 goes on after one while main awaits. */
  crash(thrown: unknown): void;
  /** Back in the foreground after `suspend`. */
  resumed(): void;
}

export interface Terminal {
  /** False: lines only, no cursor movement (`TERM=dumb`). */
  readonly rich: boolean;
  readonly colour: boolean;
  /** True when the answer appears on the same screen as everything else. */
  readonly answerOnScreen: boolean;
  columns(): number;
  rows(): number;
  /** Writes to the screen, in order. */
  write(text: string): void;
  /** Writes to the answer's own stream; used only when it is not the screen. */
  writeAnswer(text: string): void;
  /** Starts reading; raw mode and bracketed paste when rich. */
  open(listener: TerminalListener): void;
  /** Gives the terminal back to the shell until it continues us; `resumed` is told then. */
  suspend(): void;
  /** Restores the terminal and flushes. Idempotent; also done when the process exits without it. */
  close(): Promise<void>;
}

const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
const NOT_STOPPED_MS = 200;
const SIGNALS: readonly TerminalSignal[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'];

/** The terminal this process was started in. stdin and stderr must be terminals; nothing happens before `open`. */
export function openTerminal(env: Env): Terminal {
  const rich = envValue(env, 'TERM') !== 'dumb' && envValue(env, 'TERM') !== undefined;
  const answerOnScreen = isSameDevice(1, 2);
  const screen = openFdWriter(fdPort(2));
  const answer = answerOnScreen ? screen : openFdWriter(fdPort(1));
  let detach: (() => void) | undefined;
  let current: TerminalListener | undefined;
  let isSuspended = false;

  const enter = () => {
    if (!rich) return;
    process.stdin.setRawMode(true);
    screen.write(PASTE_ON);
  };
  const resume = () => {
    isSuspended = false;
    enter();
    current?.resumed();
  };
  return {
    rich,
    colour: rich && envValue(env, 'NO_COLOR') === undefined,
    answerOnScreen,
    columns: () => process.stderr.columns || 80,
    rows: () => process.stderr.rows || 24,
    write: (text) => screen.write(text),
    writeAnswer: (text) => answer.write(text),
    open(listener) {
      current = listener;
      enter();
      detach = attach(listener, resume, () => leaveNow(rich));
    },
    suspend() {
      isSuspended = true;
      leaveNow(rich);
      process.kill(process.pid, 'SIGTSTP');
      // Without job control nothing stops us and no SIGCONT comes.
      setTimeout(() => {
        if (isSuspended) resume();
      }, NOT_STOPPED_MS);
    },
    async close() {
      if (detach === undefined) return;
      detach();
      detach = undefined;
      current = undefined;
      isSuspended = false;
      await flushAll(screen, answer);
      leaveNow(rich);
    },
  };
}

/** Adds every listener; returns the way to take them off again. */
function attach(listener: TerminalListener, resume: () => void, leave: () => void): () => void {
  const { stdin } = process;
  const onData = (bytes: Uint8Array) => listener.data(bytes);
  const onEnd = () => listener.end();
  const onResize = () => listener.resize();
  const onCrash = (thrown: unknown) => listener.crash(thrown);
  const onSignal = new Map(SIGNALS.map((name) => [name, () => listener.signal(name)]));
  stdin.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);
  stdin.resume();
  // The stream's own event: at SIGWINCH its size may still be the old one.
  process.stderr.on('resize', onResize);
  process.on('SIGCONT', resume).on('exit', leave);
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash);
  for (const [name, action] of onSignal) process.on(name, action);
  return () => {
    stdin.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
    stdin.pause();
    process.stderr.off('resize', onResize);
    process.off('SIGCONT', resume).off('exit', leave);
    process.off('uncaughtException', onCrash).off('unhandledRejection', onCrash);
    for (const [name, action] of onSignal) process.off(name, action);
  };
}

/** At once and without a queue: also runs while the process exits. */
function leaveNow(rich: boolean): void {
  if (!rich) return;
  try {
    writeSync(2, PASTE_OFF);
    process.stdin.setRawMode(false);
  } catch (error) {
    // The terminal is gone (EIO) or full (EAGAIN): there is nothing left to restore, or no way to.
    if (errorCode(error) === undefined) throw error;
  }
}

async function flushAll(...writers: readonly FdWriter[]): Promise<void> {
  for (const writer of writers) await writer.flush();
}

function isSameDevice(first: number, second: number): boolean {
  if (!isTerminal(first) || !isTerminal(second)) return false;
  return fstatSync(first).rdev === fstatSync(second).rdev;
}
