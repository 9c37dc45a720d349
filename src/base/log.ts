/**
 * The log: one line per message for people, on stderr. Levels: error (the run fails), warn (degraded,
 * act), info (a change the user asked for), debug (decisions), trace (messages). Secrets are scrubbed
 * and control characters escaped here, so callers may pass what servers said.
 */
import { createConsola, type LogObject } from 'consola/core';
import { scrubSecrets } from './redact.ts';
import { escapeForTerminal } from './text.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** `hint` is the next step for the person, on a line of its own. */
export type LogLine = (message: string, hint?: string) => void;

export interface Log {
  readonly error: LogLine;
  readonly warn: LogLine;
  readonly info: LogLine;
  readonly debug: LogLine;
  readonly trace: LogLine;
}

export interface LogOptions {
  /** Messages less urgent than this are dropped. */
  readonly level: LogLevel;
  readonly colour: boolean;
  /** Takes whole lines without their newline. */
  readonly writeLine: (line: string) => void;
}

/** consola's numbers, most urgent first. */
const CONSOLA_LEVEL = { error: 0, warn: 1, info: 3, debug: 4, trace: 5 } as const;
const LABEL = { error: 'error: ', warn: 'warning: ', info: '', debug: 'debug: ', trace: 'trace: ' };
const COLOUR = { error: '31', warn: '33', info: '', debug: '2', trace: '2' };

/** A log over consola. It writes nothing itself: lines go to `writeLine`. */
export function createLog(options: LogOptions): Log {
  const consola = createConsola({
    level: CONSOLA_LEVEL[options.level],
    throttle: 0,
    reporters: [{ log: (entry) => report(entry, options) }],
  });
  const at =
    (level: LogLevel): LogLine =>
    (message, hint) =>
      consola[level](hint === undefined ? message : `${message}\n${hint}`);
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    trace: at('trace'),
  };
}

/** A log that keeps nothing, for parts that are used without a surface. */
export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
};

function report(entry: LogObject, options: LogOptions): void {
  const level = isLevel(entry.type) ? entry.type : 'info';
  const [first = '', ...rest] = scrubSecrets(entry.args.map(String).join(' ')).split('\n');
  options.writeLine(
    `${paint(LABEL[level], COLOUR[level], options.colour)}${escapeForTerminal(first)}`,
  );
  for (const line of rest) options.writeLine(`  ${escapeForTerminal(line)}`);
}

function isLevel(type: string): type is LogLevel {
  return type in CONSOLA_LEVEL;
}

function paint(label: string, code: string, colour: boolean): string {
  return colour && code !== '' && label !== '' ? `\u001b[${code}m${label}\u001b[0m` : label;
}
