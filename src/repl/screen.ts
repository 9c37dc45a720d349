/**
 * What stands on the screen: finished lines, the answer as it streams, one live line, and the line being
 * edited, which always stays last. Owns the cursor; nobody else writes while a session runs.
 * Expects escaped text, but for the answer, which it escapes itself.
 */
import { cutToWidth, escapeForTerminal, foldAtSpaces } from '../base/text.ts';
import { type Layout, windowOf } from './layout.ts';
import type { Terminal } from './terminal.ts';

export interface Screen {
  /** Whole lines, above the edited one; while somebody holds the screen they wait. */
  print(text: string): void;
  /** Keeps the lines of others back, so that nothing comes between a question and its answer. One holder at a time. */
  hold(): HeldScreen;
  /** A piece of the answer, raw. Waits while a line is edited. */
  answer(delta: string): void;
  /** Ends the answer's last line if it is open. */
  endAnswer(): void;
  /** The one live line; `undefined` takes it away. Nothing on a dumb terminal. */
  live(text: string | undefined): void;
  /** Shows the line being edited; `undefined` takes it away. */
  edit(layout: Layout | undefined): void;
  /** Leaves the edited line where it is and goes on below it; a next `edit` draws anew. */
  keepEdit(): void;
  /** The prompt of a terminal that edits by itself; what is typed behind it ends the line. */
  dumbPrompt(prompt: string): void;
  /** A line was typed behind the prompt: its end is on the screen already. */
  dumbLine(): void;
  /** Tells that the terminal moved everything for its new width. The edited line must be shown anew. */
  resized(): void;
  clear(): void;
}

export interface HeldScreen {
  print(text: string): void;
  /** Shows what waited. */
  release(): void;
}

/** Lines that wait for a question to be answered, in characters; what is beyond them is not shown. */
const MAX_HELD_CHARACTERS = 256 * 1024;
/** Pieces of an answer that wait for a question are bounded by the model's answer itself; this is the last resort. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

const MAX_CLUSTER = 64;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function createScreen(terminal: Terminal): Screen {
  let block: Layout | undefined;
  let liveText: string | undefined;
  let isLiveShown = false;
  /** True while the answer's last line has no end yet. */
  let isLineOpen = false;
  /** The same for an answer on a stream of its own. */
  let isAnswerOpen = false;
  let waiting = '';
  /** The last cluster, or `\r`: what it is depends on the next piece. */
  let held = '';

  const hide = () => {
    if (isLiveShown) terminal.write('\r\x1b[K');
    isLiveShown = false;
    if (block !== undefined) terminal.write(`${up(block.cursorRow)}\r\x1b[J`);
  };
  const show = () => {
    if (block !== undefined) {
      terminal.write(draw(block));
    } else if (liveText !== undefined && !isLineOpen && terminal.rich) {
      terminal.write(cutToWidth(liveText, terminal.columns() - 1));
      isLiveShown = true;
    }
  };
  const closeLine = () => {
    if (isLineOpen) terminal.write('\n');
    isLineOpen = false;
  };
  const writeAnswer = (delta: string) => {
    const whole = held + delta;
    held = openEnd(whole);
    const ready = whole.slice(0, whole.length - held.length);
    if (ready === '') return;
    hide();
    terminal.write(escapeForTerminal(ready.replaceAll('\r\n', '\n')));
    isLineOpen = !ready.endsWith('\n');
    show();
  };

  const printNow = (text: string) => {
    hide();
    closeLine();
    terminal.write(`${foldAtSpaces(text, terminal.columns())}\n`);
    show();
  };
  let kept: string[] | undefined;
  let keptCharacters = 0;

  return {
    print(text) {
      if (kept === undefined) return printNow(text);
      keptCharacters += text.length;
      if (keptCharacters <= MAX_HELD_CHARACTERS) kept.push(text);
    },
    hold() {
      kept ??= [];
      return {
        print: printNow,
        release() {
          const late = kept ?? [];
          if (keptCharacters > MAX_HELD_CHARACTERS) late.push('… more lines are not shown');
          kept = undefined;
          keptCharacters = 0;
          for (const text of late) printNow(text);
        },
      };
    },
    answer(delta) {
      if (!terminal.answerOnScreen) {
        terminal.writeAnswer(delta);
        if (delta !== '') isAnswerOpen = !delta.endsWith('\n');
      } else if (block === undefined) writeAnswer(delta);
      else waiting = (waiting + delta).slice(0, MAX_WAITING_CHARACTERS);
    },
    endAnswer() {
      if (isAnswerOpen) terminal.writeAnswer('\n');
      isAnswerOpen = false;
      if (held !== '') writeAnswer('\n');
      hide();
      closeLine();
      show();
    },
    live(text) {
      if (text === liveText) return;
      hide();
      liveText = text;
      show();
    },
    edit(layout) {
      const next =
        layout === undefined ? undefined : windowOf(layout, Math.max(2, terminal.rows() - 1));
      const typed = typedText(block, next);
      if (typed === undefined) {
        hide();
        closeLine();
      }
      block = next;
      if (typed === undefined) show();
      else terminal.write(typed);
    },
    keepEdit() {
      if (block === undefined) return;
      const below = block.rows.length - 1 - block.cursorRow;
      terminal.write(`${below > 0 ? `\x1b[${below}B` : ''}\r\n`);
      block = undefined;
      const late = waiting;
      waiting = '';
      if (late !== '') writeAnswer(late);
      show();
    },
    dumbPrompt(prompt) {
      closeLine();
      terminal.write(prompt);
      isLineOpen = true;
    },
    dumbLine() {
      isLineOpen = false;
    },
    resized() {
      if (block !== undefined)
        block = { ...block, cursorRow: reflowedRow(block, terminal.columns()) };
    },
    clear() {
      terminal.write('\x1b[H\x1b[2J');
      if (block !== undefined) terminal.write(draw(block));
    },
  };
}

/** The end of a piece that the next piece may change: a cluster beyond ASCII, or a carriage return. */
function openEnd(text: string): string {
  const last = text.slice(-1);
  if (last === '' || (last < '\x80' && last !== '\r')) return '';
  const tail = text.slice(-MAX_CLUSTER);
  return graphemes.segment(tail).containing(tail.length - 1)?.segment ?? '';
}

/** What was added at the end of the last row, when nothing else changed: the common case needs no redraw. */
function typedText(before: Layout | undefined, after: Layout | undefined): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const last = before.rows.length - 1;
  const [old = '', row = ''] = [before.rows[last], after.rows[last]];
  const isSameAbove = before.rows.slice(0, -1).every((one, index) => one === after.rows[index]);
  const isAtEnd = isCursorAtEnd(before) && isCursorAtEnd(after);
  if (after.rows.length !== before.rows.length || !isSameAbove || !isAtEnd) return undefined;
  return row.startsWith(old) ? row.slice(old.length) : undefined;
}

function isCursorAtEnd({ rows, cursorRow, cursorColumn }: Layout): boolean {
  return cursorRow === rows.length - 1 && cursorColumn === Bun.stringWidth(rows[cursorRow] ?? '');
}

function draw(block: Layout): string {
  const below = block.rows.length - 1 - block.cursorRow;
  const right = block.cursorColumn > 0 ? `\x1b[${block.cursorColumn}C` : '';
  return `${block.rows.join('\r\n')}${up(below)}\r${right}`;
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : '';
}

/** The cursor's row after a terminal has wrapped every row to its new width. */
function reflowedRow(block: Layout, columns: number): number {
  const rowsOf = (row: string) => Math.max(1, Math.ceil(Bun.stringWidth(row) / columns));
  const above = block.rows.slice(0, block.cursorRow).reduce((sum, row) => sum + rowsOf(row), 0);
  return above + Math.floor(block.cursorColumn / columns);
}
