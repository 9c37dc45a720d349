/** stderr as people see it: whole lines, and at a terminal one live line below them. */

import { type Env, envValue } from '../base/env.ts';
import { type FdWriter, fdPort, openFdWriter } from '../base/fd-writer.ts';
import { foldAtSpaces, shorten } from '../base/text.ts';
import { isTerminal as isTerminalFd } from '../base/tty.ts';

export interface Screen {
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** False where the locale is not UTF-8: marks are ASCII then. */
  readonly unicode: boolean;
  columns(): number;
  /**
   * One line without its newline; what comes from servers must be escaped already. At a terminal it is broken
   * at spaces to its width; a pipe gets it whole.
   */
  line(text: string): void;
  /** Replaces the live line; `undefined` removes it. Nothing happens off a terminal. */
  live(text: string | undefined): void;
  /**
   * Keeps the terminal free for a question: the live line goes, further lines wait. Returns the way to
   * go on.
   */
  hold(): () => void;
  /** Hands all further lines, without colours, to `target`: it owns the terminal now. */
  divert(target: (line: string) => void): void;
  /** Waits until all lines are out; gives up when the reader takes nothing for 10 s. */
  flush(): Promise<void>;
}

const DEFAULT_COLUMNS = 80;
/** Beyond this much unread output further lines are dropped: nobody is reading. */
const MAX_PENDING_BYTES = 16 * 1024 ** 2;
const MAX_HELD_LINES = 1000;
const STALL_MS = 10_000;
const CLEAR_LINE = '\r\u001b[K';

export interface ScreenOptions {
  readonly env: Env;
  readonly noColor: boolean;
  /** Ends an unfinished line on stdout when both are the same terminal. */
  readonly breakLine: () => void;
}

/** stderr of this process. */
export function openStderr(options: ScreenOptions): Screen {
  const isTerminal = isTerminalFd(2);
  return createScreen(openFdWriter(fdPort(2)), {
    ...options,
    isTerminal,
    columns: () => (isTerminal ? process.stderr.columns : DEFAULT_COLUMNS) || DEFAULT_COLUMNS,
  });
}

export function createScreen(
  writer: FdWriter,
  options: ScreenOptions & { readonly isTerminal: boolean; readonly columns: () => number },
): Screen {
  const { env, isTerminal } = options;
  let live = '';
  let diverted: ((line: string) => void) | undefined;
  /** Lines that wait; `undefined` while nothing holds them. */
  let held: string[] | undefined;
  const line = (text: string) => {
    if (writer.pendingBytes() > MAX_PENDING_BYTES) return;
    if (held !== undefined) {
      if (held.length < MAX_HELD_LINES) held.push(text);
      return;
    }
    if (diverted !== undefined) {
      diverted(Bun.stripANSI(text));
      return;
    }
    options.breakLine();
    const shown = isTerminal ? foldAtSpaces(text, options.columns()) : text;
    writer.write(live === '' ? `${shown}\n` : `${CLEAR_LINE}${shown}\n${live}`);
  };
  const setLive = (text: string | undefined) => {
    if (!isTerminal || diverted !== undefined || held !== undefined) return;
    const next = text === undefined ? '' : shorten(text, options.columns() - 1);
    if (next === live) return;
    if (live === '') options.breakLine();
    writer.write(`${CLEAR_LINE}${next}`);
    live = next;
  };
  return {
    isTerminal,
    colour: isTerminal && !options.noColor && wantsColour(env),
    unicode: isUtf8Locale(env),
    columns: options.columns,
    line,
    live: setLive,
    hold() {
      setLive(undefined);
      options.breakLine();
      held ??= [];
      return () => {
        const waiting = held ?? [];
        held = undefined;
        for (const text of waiting) line(text);
      };
    },
    divert(target) {
      diverted = target;
    },
    async flush() {
      for (let before = -1; before !== writer.pendingBytes(); ) {
        before = writer.pendingBytes();
        if (await settlesWithin(writer.flush(), STALL_MS)) return;
      }
    },
  };
}

async function settlesWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  const limit = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => limit.resolve(false), limitMs);
  try {
    return await Promise.race([work.then(() => true), limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Source: no-color.org; a dumb terminal has no colours either. */
function wantsColour(env: Env): boolean {
  return envValue(env, 'NO_COLOR') === undefined && env['TERM'] !== 'dumb';
}

function isUtf8Locale(env: Env): boolean {
  const locale = envValue(env, 'LC_ALL') ?? envValue(env, 'LC_CTYPE') ?? envValue(env, 'LANG');
  return locale !== undefined && /utf-?8/i.test(locale);
}
