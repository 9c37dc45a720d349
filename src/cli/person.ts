/** Whether a person is there, and their terminal: /dev/tty, also while stdin and stdout are pipes. */
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { type Clock, sleep } from '../base/clock.ts';
import { type Env, envValue } from '../base/env.ts';

export interface Person {
  /** Shows whole lines or a part of one. */
  show(text: string): void;
  /** Forgets what was typed before the question was on the screen: it is no answer to it. */
  discardTyped(): void;
  /** One typed line without its end; `undefined` at the end of input. Rejects with the signal's reason. */
  readLine(signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

export interface PersonQuery {
  readonly env: Env;
  readonly clock: Clock;
  readonly noInput: boolean;
  readonly stderrIsTerminal: boolean;
}

const TTY = '/dev/tty';
/** How often the terminal is asked for typed text while a question stands. */
const LOOK_EVERY_MS = 40;
/** A line longer than this is nobody's answer. */
const MAX_LINE_BYTES = 4096;
const END_OF_INPUT = 'end';

/**
 * The person at the terminal; `undefined` when stderr is no terminal, `--no-input` or CI is set,
 * /dev/tty does not open, or this process runs in the background of its terminal.
 */
export function findPerson(query: PersonQuery): Person | undefined {
  if (query.noInput || !query.stderrIsTerminal || envValue(query.env, 'CI') !== undefined) {
    return undefined;
  }
  const fd = openTerminal();
  if (fd === undefined) return undefined;
  if (isInBackground()) {
    closeSync(fd);
    return undefined;
  }
  return personAt(fd, query.clock);
}

function personAt(fd: number, clock: Clock): Person {
  let typed = '';
  return {
    show: (text) => {
      writeSync(fd, text);
    },
    discardTyped() {
      typed = '';
      for (let piece = readTyped(fd); piece !== undefined && piece !== END_OF_INPUT; ) {
        piece = readTyped(fd);
      }
    },
    async readLine(signal) {
      for (;;) {
        const piece = readTyped(fd);
        if (piece === END_OF_INPUT) return typed === '' ? undefined : take();
        if (piece === undefined) await sleep(clock, LOOK_EVERY_MS, signal);
        else typed += piece.text;
        if (typed.includes('\n') || typed.length > MAX_LINE_BYTES) return take();
      }
    },
    close: () => closeSync(fd),
  };

  function take(): string {
    const end = typed.indexOf('\n');
    const line = end === -1 ? typed : typed.slice(0, end);
    typed = end === -1 ? '' : typed.slice(end + 1);
    return line;
  }
}

/** What is typed and not yet read; `undefined` = nothing now. The terminal gives whole lines. */
function readTyped(fd: number): { readonly text: string } | typeof END_OF_INPUT | undefined {
  const buffer = new Uint8Array(MAX_LINE_BYTES);
  try {
    const count = readSync(fd, buffer);
    return count === 0
      ? END_OF_INPUT
      : { text: new TextDecoder().decode(buffer.subarray(0, count)) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN' || code === 'EINTR') return undefined;
    // The terminal is gone.
    if (code === 'EIO') return END_OF_INPUT;
    throw error;
  }
}

/** A description of our own, so that non-blocking reads do not change the shell's. */
function openTerminal(): number | undefined {
  try {
    return openSync(TTY, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    // No terminal: ENXIO, ENOENT, EACCES. Nobody is there then.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Reading the terminal from the background would stop the process. Known on Linux only. */
function isInBackground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // Behind the name in parentheses: state, parent, group, session, terminal, foreground group.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] !== fields[5];
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
