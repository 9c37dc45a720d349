/**
 * The prompt: from `-p`, from stdin, or both. Nothing here waits for a pipe that nobody closes,
 * unless the person asked for it.
 */

import type { Clock } from '../base/clock.ts';
import { FailedError, LimitError, UsageError } from '../base/errors.ts';
import { isTerminal } from '../base/tty.ts';
import type { StdinMode } from './options.ts';

export interface Stdin {
  readonly isTerminal: boolean;
  /** Pieces of bytes until the end. */
  read(): AsyncIterator<Uint8Array>;
}

export interface PromptSources {
  /** `--prompt`; `-` = stdin. */
  readonly flag: string | undefined;
  readonly mode: StdinMode;
  readonly stdin: Stdin;
  readonly clock: Clock;
  readonly warn: (message: string, hint?: string) => void;
}

export const MAX_STDIN_BYTES = 16 * 1024 ** 2;
/** How long a pipe may stay silent before it is left alone. */
export const FIRST_BYTE_MS = 1000;

/**
 * The prompt of this run; `undefined` when there is none and stdin is a terminal. Throws UsageError
 * for an empty prompt, LimitError beyond 16 MiB, FailedError when stdin cannot be read.
 */
export async function readPrompt(sources: PromptSources): Promise<string | undefined> {
  const { flag, mode, stdin } = sources;
  if (flag === '-') {
    if (mode === 'off') throw new UsageError('--prompt - and --stdin off exclude each other');
    return notEmpty(await readAll(sources, stdin.read()), 'stdin holds no prompt');
  }
  if (flag === undefined) {
    if (stdin.isTerminal) return undefined;
    if (mode === 'off') throw emptyPrompt('no prompt');
    return notEmpty(await readAll(sources, stdin.read()), 'no prompt: stdin is empty');
  }
  const prompt = notEmpty(flag, 'the prompt is empty');
  if (mode === 'off' || stdin.isTerminal) return prompt;
  const context = await readContext(sources);
  return context.trim() === '' ? prompt : `${prompt}\n\n${context}`;
}

/** Standard input of this process. */
export function processStdin(): Stdin {
  return {
    isTerminal: isTerminal(0),
    // A generator: what cannot be read (a directory) is told by the first piece, not here.
    async *read() {
      yield* Bun.stdin.stream();
    },
  };
}

async function readContext(sources: Omit<PromptSources, 'flag'>): Promise<string> {
  const { stdin, mode, clock, warn } = sources;
  if (mode === 'wait') return readAll(sources, stdin.read());
  const pieces = stdin.read();
  const first = pieces.next();
  const state = await firstByte(first, clock);
  if (state === 'silent') {
    warn(
      'stdin is open but silent, so it is left out',
      'use --stdin wait to read it to its end, or </dev/null',
    );
    return '';
  }
  if (state === 'unreadable') {
    warn('stdin cannot be read, so it is left out');
    return '';
  }
  return readAll(sources, { next: chain(first, () => pieces.next()) });
}

function firstByte(
  first: Promise<unknown>,
  clock: Clock,
): Promise<'started' | 'silent' | 'unreadable'> {
  return new Promise((resolve) => {
    const timer = clock.after(FIRST_BYTE_MS, () => resolve('silent'));
    const settle = (state: 'started' | 'unreadable') => () => {
      timer.cancel();
      resolve(state);
    };
    first.then(settle('started'), settle('unreadable'));
  });
}

/** An iterator's `next` that gives `first` once and then goes on. */
function chain<T>(first: Promise<T>, next: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined = first;
  return () => {
    const result = pending ?? next();
    pending = undefined;
    return result;
  };
}

/** Text beside something else that was asked for: as stdin beside a prompt. */
export function readInput(sources: Omit<PromptSources, 'flag'>): Promise<string> {
  return readContext(sources);
}

/** All of stdin as text. Throws LimitError beyond 16 MiB, FailedError when it cannot be read. */
export function readStdin(stdin: Stdin, warn: PromptSources['warn']): Promise<string> {
  return readAll({ warn }, stdin.read());
}

async function readAll(
  sources: Pick<PromptSources, 'warn'>,
  pieces: Pick<AsyncIterator<Uint8Array>, 'next'>,
): Promise<string> {
  const kept: Uint8Array[] = [];
  let size = 0;
  try {
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) {
      size += piece.value.length;
      if (size > MAX_STDIN_BYTES) {
        throw new LimitError('stdin is longer than 16 MiB', { details: { limit: 'stdin' } });
      }
      kept.push(piece.value);
    }
  } catch (error) {
    if (error instanceof LimitError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FailedError(`stdin cannot be read: ${reason}`, { cause: error });
  }
  return decode(Buffer.concat(kept), sources.warn);
}

function decode(bytes: Uint8Array, warn: PromptSources['warn']): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\0', '\ufffd');
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    warn('stdin is not valid UTF-8: the bytes that are not are shown to the model as \ufffd');
    return new TextDecoder('utf-8').decode(bytes).replaceAll('\0', '\ufffd');
  }
}

function notEmpty(text: string, problem: string): string {
  if (text.trim() === '') throw emptyPrompt(problem);
  return text;
}

function emptyPrompt(problem: string): UsageError {
  return new UsageError(problem, { hint: 'usher --prompt "your question", or pipe it in' });
}
