/**
 * Reads lines from a terminal: keys go through the editor, the editor's state onto the screen. Keys that
 * come while nobody reads are kept for the next prompt, never for a question. On a dumb terminal the
 * terminal itself edits and whole lines come.
 */
import { assertNever } from '../base/errors.ts';
import type { Completion } from './complete.ts';
import { applyKey, type EditorState, emptyLine, replaceRange } from './editor.ts';
import { createKeyDecoder, type Key } from './keys.ts';
import { layOut } from './layout.ts';
import type { Screen } from './screen.ts';
import type { Terminal, TerminalSignal } from './terminal.ts';

export type LineResult =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C; `hadText`: something was typed and is dropped. */
  | { readonly kind: 'interrupt'; readonly hadText: boolean }
  | { readonly kind: 'end' };

export interface ReadOptions {
  readonly prompt: string;
  /** Oldest first. */
  readonly history: readonly string[];
  readonly complete: ((text: string, cursor: number) => Completion) | undefined;
  /** True: keys typed before are taken. A question is never answered by them. */
  readonly takesTypeAhead: boolean;
  /** Its abort ends the reading with `end`. */
  readonly signal: AbortSignal;
}

export interface InputListener {
  /** Ctrl-C while nobody reads. */
  interrupt(): void;
  signal(name: Exclude<TerminalSignal, 'SIGINT'>): void;
  crash(thrown: unknown): void;
}

export interface Input {
  start(listener: InputListener): void;
  /** One line. A second reader takes over until it is done. Never rejects. */
  read(options: ReadOptions): Promise<LineResult>;
  dropTypeAhead(): void;
  /** Ends every reader with `end`. The terminal is its owner's to close. */
  stop(): void;
}

interface Reader {
  readonly options: ReadOptions;
  readonly finish: (result: LineResult) => void;
  state: EditorState;
}

/** Keys kept for the next prompt; what is beyond is dropped. */
const MAX_TYPE_AHEAD = 64 * 1024;
/** Characters of a line that has no end yet, on a dumb terminal. */
const MAX_OPEN_LINE_CHARACTERS = 1024 * 1024;

export function createInput(terminal: Terminal, screen: Screen): Input {
  const readers: Reader[] = [];
  const decoder = createKeyDecoder();
  const bytes = new TextDecoder('utf-8');
  let typeAhead: Key[] = [];
  let lines: string[] = [];
  let openLine = '';
  let hasEnded = false;
  let isSuspended = false;
  let listener: InputListener | undefined;

  const current = () => readers.at(-1);
  const paint = () => {
    const reader = current();
    if (reader === undefined || isSuspended) return;
    const { prompt } = reader.options;
    if (!terminal.rich) screen.dumbPrompt(prompt);
    else screen.edit(layOut({ prompt, ...reader.state, columns: terminal.columns() }));
  };
  const finish = (reader: Reader, result: LineResult) => {
    const index = readers.indexOf(reader);
    if (index < 0) return;
    const wasShown = reader === current();
    readers.splice(index, 1);
    if (wasShown) screen.keepEdit();
    if (!terminal.rich && result.kind === 'line') screen.dumbLine();
    reader.finish(result);
    paint();
  };
  const suspend = () => {
    screen.keepEdit();
    screen.endAnswer();
    isSuspended = true;
    terminal.suspend();
  };
  const complete = (reader: Reader) => {
    const { text, cursor } = reader.state;
    const completion = reader.options.complete?.(text, cursor);
    if (completion === undefined) return;
    reader.state = replaceRange(reader.state, completion.from, cursor, completion.text);
    if (completion.choices.length > 0) screen.print(completion.choices.join('  '));
  };
  const onKey = (key: Key) => {
    const reader = current();
    if (reader === undefined) {
      if (key.kind === 'name' && key.name === 'interrupt') listener?.interrupt();
      else if (key.kind === 'name' && key.name === 'suspend') suspend();
      else if (typeAhead.length < MAX_TYPE_AHEAD) typeAhead.push(key);
      return;
    }
    const before = reader.state;
    const step = applyKey(before, key, reader.options.history);
    reader.state = step.state;
    switch (step.effect) {
      case 'none':
        return;
      case 'submit':
        paint();
        return finish(reader, { kind: 'line', text: step.state.text });
      case 'interrupt':
        return finish(reader, { kind: 'interrupt', hadText: before.text !== '' });
      case 'end_of_input':
        return finish(reader, { kind: 'end' });
      case 'clear_screen':
        return screen.clear();
      case 'suspend':
        return suspend();
      case 'complete':
        return complete(reader);
      default:
        return assertNever(step.effect);
    }
  };
  /** What follows a finished line belongs to the next prompt, but for a Ctrl-C: that goes to what runs by then. */
  const keepForLater = (keys: readonly Key[]) => {
    const last = keys.findLastIndex((key) => key.kind === 'name' && key.name === 'interrupt');
    typeAhead.push(...keys.slice(last + 1, last + 1 + MAX_TYPE_AHEAD));
    if (last >= 0) setImmediate(interrupt);
  };
  const onKeys = (keys: readonly Key[]) => {
    for (const [index, key] of keys.entries()) {
      const reader = current();
      onKey(key);
      if (reader !== undefined && current() === undefined) {
        keepForLater(keys.slice(index + 1));
        return;
      }
    }
    paint();
  };
  const onLines = (text: string) => {
    const parts = (openLine + text).split('\n');
    openLine = (parts.pop() ?? '').slice(0, MAX_OPEN_LINE_CHARACTERS);
    for (const line of parts) {
      const reader = current();
      if (reader !== undefined) finish(reader, { kind: 'line', text: line });
      else if (lines.length < MAX_TYPE_AHEAD) lines.push(line);
    }
  };
  const end = () => {
    hasEnded = true;
    for (const reader of [...readers].reverse()) finish(reader, { kind: 'end' });
  };
  const interrupt = () => {
    openLine = '';
    onKeys([{ kind: 'name', name: 'interrupt' }]);
  };
  /** Feeds what was typed before, up to the end of one line. */
  const replay = () => {
    if (!terminal.rich) {
      const [line, ...rest] = lines;
      const reader = current();
      if (line === undefined || reader === undefined) return;
      lines = rest;
      finish(reader, { kind: 'line', text: line });
      return;
    }
    const keys = typeAhead;
    typeAhead = [];
    if (keys.length > 0) onKeys(keys);
  };

  return {
    start(newListener) {
      listener = newListener;
      terminal.open({
        data(chunk) {
          const text = bytes.decode(chunk, { stream: true });
          if (terminal.rich) onKeys(decoder.feed(text));
          else onLines(text);
        },
        end,
        resize() {
          screen.resized();
          if (terminal.rich) paint();
        },
        resumed() {
          isSuspended = false;
          screen.edit(undefined);
          paint();
        },
        crash: (thrown) => listener?.crash(thrown),
        signal: (name) => (name === 'SIGINT' ? interrupt() : listener?.signal(name)),
      });
    },
    read(options) {
      const { promise, resolve } = Promise.withResolvers<LineResult>();
      const onAbort = () => finish(reader, { kind: 'end' });
      const reader: Reader = {
        options,
        state: emptyLine,
        finish(result) {
          options.signal.removeEventListener('abort', onAbort);
          resolve(result);
        },
      };
      readers.push(reader);
      options.signal.addEventListener('abort', onAbort, { once: true });
      if (hasEnded || options.signal.aborted) onAbort();
      else {
        paint();
        if (options.takesTypeAhead) replay();
      }
      return promise;
    },
    dropTypeAhead() {
      typeAhead = [];
      lines = [];
    },
    stop() {
      listener = undefined;
      end();
    },
  };
}
