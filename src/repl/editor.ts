/**
 * One line being edited: a pure state machine, key in, state out. A "line" may hold line ends that were
 * pasted or typed with Alt-Enter. Knows nothing of terminals; widths are layout.ts's.
 */
import { assertNever } from '../base/errors.ts';
import type { Key, KeyName } from './keys.ts';

export interface EditorState {
  readonly text: string;
  /** UTF-16 index in `text`, always between two grapheme clusters. */
  readonly cursor: number;
  /** What Ctrl-Y brings back. */
  readonly killed: string;
  /** Index in the history while browsing; `undefined`: the own draft is shown. */
  readonly browsing: number | undefined;
  /** The line as it was before browsing. */
  readonly draft: string;
}

export type EditorEffect =
  | 'none'
  | 'submit'
  | 'interrupt'
  | 'end_of_input'
  | 'clear_screen'
  | 'complete'
  | 'suspend';

export interface EditorStep {
  readonly state: EditorState;
  readonly effect: EditorEffect;
}

/** A line holds at most this many UTF-16 units; what is beyond is dropped. */
export const MAX_LINE_CHARACTERS = 1024 * 1024;

export const emptyLine: EditorState = {
  text: '',
  cursor: 0,
  killed: '',
  browsing: undefined,
  draft: '',
};

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The state after one key. `history` is oldest first. Effects are the caller's to carry out. */
export function applyKey(
  state: EditorState,
  key: Key,
  history: readonly string[] = [],
): EditorStep {
  if (key.kind !== 'name') return edited(insertText(state, key.text));
  return applyNamed(state, key.name, history);
}

/** The state with `text` typed at the cursor. */
export function insertText(state: EditorState, text: string): EditorState {
  const fits = text.slice(0, Math.max(0, MAX_LINE_CHARACTERS - state.text.length)).toWellFormed();
  return replaceRange(state, state.cursor, state.cursor, fits);
}

/** The state with `[from, to)` replaced, the cursor behind the new text. Ends browsing. */
export function replaceRange(
  state: EditorState,
  from: number,
  to: number,
  text: string,
): EditorState {
  return {
    ...state,
    text: state.text.slice(0, from) + text + state.text.slice(to),
    cursor: from + text.length,
    browsing: undefined,
  };
}

function applyNamed(state: EditorState, name: KeyName, history: readonly string[]): EditorStep {
  const { text, cursor } = state;
  switch (name) {
    case 'enter':
      return { state: { ...state, cursor: text.length }, effect: 'submit' };
    case 'newline':
      return edited(insertText(state, '\n'));
    case 'tab':
      return { state, effect: 'complete' };
    case 'interrupt':
      return { state, effect: 'interrupt' };
    case 'suspend':
      return { state, effect: 'suspend' };
    case 'clear_screen':
      return { state, effect: 'clear_screen' };
    case 'end_of_input':
      if (text === '') return { state, effect: 'end_of_input' };
      return edited(remove(state, cursor, after(text, cursor)));
    case 'backspace':
      return edited(remove(state, before(text, cursor), cursor));
    case 'delete':
      return edited(remove(state, cursor, after(text, cursor)));
    case 'left':
      return edited({ ...state, cursor: before(text, cursor) });
    case 'right':
      return edited({ ...state, cursor: after(text, cursor) });
    case 'word_left':
      return edited({ ...state, cursor: wordStart(text, cursor) });
    case 'word_right':
      return edited({ ...state, cursor: wordEnd(text, cursor) });
    case 'home':
      return edited({ ...state, cursor: lineStart(text, cursor) });
    case 'end':
      return edited({ ...state, cursor: lineEnd(text, cursor) });
    case 'kill_to_end': {
      const end = lineEnd(text, cursor);
      return edited(kill(state, cursor, end === cursor ? after(text, cursor) : end));
    }
    case 'kill_to_start':
      return edited(kill(state, lineStart(text, cursor), cursor));
    case 'kill_word':
      return edited(kill(state, blankWordStart(text, cursor), cursor));
    case 'kill_word_right':
      return edited(kill(state, cursor, wordEnd(text, cursor)));
    case 'yank':
      return edited(insertText(state, state.killed));
    case 'up':
      return edited(moveUp(state, history));
    case 'down':
      return edited(moveDown(state, history));
    default:
      return assertNever(name);
  }
}

function edited(state: EditorState): EditorStep {
  return { state, effect: 'none' };
}

function remove(state: EditorState, from: number, to: number): EditorState {
  return from === to ? state : replaceRange(state, from, to, '');
}

function kill(state: EditorState, from: number, to: number): EditorState {
  if (from === to) return state;
  return { ...replaceRange(state, from, to, ''), killed: state.text.slice(from, to) };
}

/** Up moves inside a line of several rows first, then into the history. */
function moveUp(state: EditorState, history: readonly string[]): EditorState {
  const start = lineStart(state.text, state.cursor);
  if (start > 0) {
    const column = state.cursor - start;
    const previous = lineStart(state.text, start - 1);
    return { ...state, cursor: atBoundary(state.text, Math.min(previous + column, start - 1)) };
  }
  const index = (state.browsing ?? history.length) - 1;
  const draft = state.browsing === undefined ? state.text : state.draft;
  return browse(state, history, index, draft);
}

function moveDown(state: EditorState, history: readonly string[]): EditorState {
  const end = lineEnd(state.text, state.cursor);
  if (end < state.text.length) {
    const column = state.cursor - lineStart(state.text, state.cursor);
    const limit = lineEnd(state.text, end + 1);
    return { ...state, cursor: atBoundary(state.text, Math.min(end + 1 + column, limit)) };
  }
  if (state.browsing === undefined) return state;
  const index = state.browsing + 1;
  if (index < history.length) return browse(state, history, index, state.draft);
  const text = state.draft;
  return { ...state, text, cursor: text.length, browsing: undefined };
}

function browse(
  state: EditorState,
  history: readonly string[],
  index: number,
  draft: string,
): EditorState {
  const text = history[index];
  if (text === undefined) return state;
  return { ...state, text, cursor: text.length, browsing: index, draft };
}

function before(text: string, cursor: number): number {
  if (cursor === 0) return 0;
  return graphemes.segment(text).containing(cursor - 1)?.index ?? cursor - 1;
}

function after(text: string, cursor: number): number {
  const cluster = graphemes.segment(text).containing(cursor);
  return cluster === undefined ? cursor : cluster.index + cluster.segment.length;
}

/** The start of the cluster that holds this index. */
function atBoundary(text: string, index: number): number {
  return graphemes.segment(text).containing(index)?.index ?? index;
}

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** The start of the word before the cursor; a word is letters, digits, marks and `_`. */
function wordStart(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && !isWordUnit(text.charAt(at - 1))) at -= 1;
  while (at > 0 && isWordUnit(text.charAt(at - 1))) at -= 1;
  return atBoundary(text, at);
}

function wordEnd(text: string, cursor: number): number {
  let at = cursor;
  while (at < text.length && !isWordUnit(text.charAt(at))) at += 1;
  while (at < text.length && isWordUnit(text.charAt(at))) at += 1;
  return atBoundary(text, at);
}

/** As Ctrl-W does it: a word ends at white space. */
function blankWordStart(text: string, cursor: number): number {
  let at = cursor;
  while (at > 0 && isBlank(text.charAt(at - 1))) at -= 1;
  while (at > 0 && !isBlank(text.charAt(at - 1))) at -= 1;
  return atBoundary(text, at);
}

/** Halves of surrogate pairs count as parts of a word. */
function isWordUnit(unit: string): boolean {
  return /[\p{L}\p{N}\p{M}_\ud800-\udfff]/u.test(unit);
}

function isBlank(unit: string): boolean {
  return /\s/.test(unit);
}
