/**
 * Turns what a terminal sends into keys. Pure: text in, keys out, whatever the chunks.
 * Knows xterm's and the VT220's sequences and bracketed paste; unknown sequences are dropped whole.
 */

export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'word_left'
  | 'word_right'
  | 'kill_to_end'
  | 'kill_to_start'
  | 'kill_word'
  | 'kill_word_right'
  | 'yank'
  | 'clear_screen'
  | 'interrupt'
  | 'end_of_input'
  | 'suspend';

export type Key =
  | { readonly kind: 'text'; readonly text: string }
  /** Line ends are `\n`; other control characters but the tab are gone. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'name'; readonly name: KeyName };

export interface KeyDecoder {
  /** The keys that are complete with this text; a started sequence waits for the next call. */
  feed(text: string): readonly Key[];
}

/** A paste longer than this many UTF-16 units is cut; what follows is dropped until its end mark. */
const MAX_PASTE_CHARACTERS = 1024 * 1024;
/** A sequence longer than this is no key of ours. */
const MAX_SEQUENCE_CHARACTERS = 32;
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end_of_input',
  '\x05': 'end',
  '\x06': 'right',
  '\x08': 'backspace',
  '\t': 'tab',
  '\n': 'enter',
  '\x0b': 'kill_to_end',
  '\x0c': 'clear_screen',
  '\r': 'enter',
  '\x0e': 'down',
  '\x10': 'up',
  '\x15': 'kill_to_start',
  '\x17': 'kill_word',
  '\x19': 'yank',
  '\x1a': 'suspend',
  '\x7f': 'backspace',
};

/** What follows `ESC`: CSI and SS3 sequences, and letters typed with Alt. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[7~': 'home',
  '[4~': 'end',
  '[8~': 'end',
  '[3~': 'delete',
  '[1;5C': 'word_right',
  '[1;5D': 'word_left',
  '[1;3C': 'word_right',
  '[1;3D': 'word_left',
  b: 'word_left',
  f: 'word_right',
  d: 'kill_word_right',
  '\x7f': 'kill_word',
  '\r': 'newline',
  '\n': 'newline',
};

/** A decoder for one terminal. Text must be whole UTF-16; keeps at most one paste or sequence between calls. */
export function createKeyDecoder(): KeyDecoder {
  let rest = '';
  let paste: string | undefined;

  const takePaste = (soFar: string): Key | undefined => {
    const end = rest.indexOf(PASTE_END);
    if (end >= 0) {
      const key: Key = { kind: 'paste', text: cleanPaste(cut(soFar + rest.slice(0, end))) };
      rest = rest.slice(end + PASTE_END.length);
      paste = undefined;
      return key;
    }
    // The end mark may be cut: its possible beginning stays.
    const kept = Math.min(rest.length, PASTE_END.length - 1);
    paste = cut(soFar + rest.slice(0, rest.length - kept));
    rest = rest.slice(rest.length - kept);
    return undefined;
  };

  return {
    feed(text) {
      rest += text;
      const keys: Key[] = [];
      while (rest !== '') {
        if (paste !== undefined) {
          const pasted = takePaste(paste);
          if (pasted === undefined) break;
          keys.push(pasted);
          continue;
        }
        const step = takeKey(rest);
        if (step === undefined) break;
        rest = rest.slice(step.length);
        if (step.pasteStarts) paste = '';
        else if (step.key !== undefined) keys.push(step.key);
      }
      return keys;
    },
  };
}

interface Step {
  readonly length: number;
  readonly key: Key | undefined;
  readonly pasteStarts: boolean;
}

/** The first key of the text; `undefined` while its sequence is not complete. */
function takeKey(text: string): Step | undefined {
  if (text.startsWith('\x1b')) return takeSequence(text);
  const printable = /^[^\x00-\x1f\x7f-\x9f]+/.exec(text)?.[0];
  if (printable !== undefined) {
    return step(printable.length, { kind: 'text', text: printable });
  }
  const name = CONTROLS[text.charAt(0)];
  return step(1, name === undefined ? undefined : { kind: 'name', name });
}

function takeSequence(text: string): Step | undefined {
  if (text.length === 1) return undefined;
  const introducer = text.charAt(1);
  if (introducer !== '[' && introducer !== 'O') {
    // A second ESC starts a new sequence; the first one was the Escape key, which does nothing.
    if (introducer === '\x1b') return step(1, undefined);
    const name = SEQUENCES[introducer];
    if (name !== undefined) return step(2, { kind: 'name', name });
    return step(introducer < ' ' ? 1 : 2, undefined);
  }
  const body = /^(\[[0-?]*[ -/]*[@-~]|O[@-~])/.exec(text.slice(1, MAX_SEQUENCE_CHARACTERS))?.[0];
  if (body === undefined) {
    const isCut = /^(\[[0-?]*[ -/]*|O)$/.test(text.slice(1, MAX_SEQUENCE_CHARACTERS));
    return isCut && text.length < MAX_SEQUENCE_CHARACTERS ? undefined : step(2, undefined);
  }
  if (`\x1b${body}` === PASTE_START)
    return { ...step(body.length + 1, undefined), pasteStarts: true };
  const name = SEQUENCES[body];
  return step(body.length + 1, name === undefined ? undefined : { kind: 'name', name });
}

function step(length: number, key: Key | undefined): Step {
  return { length, key, pasteStarts: false };
}

function cut(text: string): string {
  return text.length > MAX_PASTE_CHARACTERS ? text.slice(0, MAX_PASTE_CHARACTERS) : text;
}

/** Pasted bytes come from anywhere: no control character but tab and line end gets into a line. */
function cleanPaste(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .toWellFormed();
}
