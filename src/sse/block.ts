/**
 * The event being built: reads whole lines, collects fields, gives the event at the blank line.
 * Knows nothing of bytes, cuts or bounds. Source: WHATWG HTML 9.2.6, the steps for lines and fields.
 */
import type { SseEvent, SseParserOptions } from './types.ts';

const LF = 10;
const SPACE = 32;
const COLON = 58;
/** Lines joined at once, so that an event of very many short lines does not keep an object for each. */
const LINES_PER_JOIN = 1024;

export class EventBlock {
  /** UTF-8 bytes of the known lines since the last blank line, without line ends. */
  bytes = 0;
  lastEventId: string | undefined;
  readonly #onEvent: SseParserOptions['onEvent'];
  readonly #onRetry: SseParserOptions['onRetry'];
  #event: string | undefined;
  #id: string | undefined;
  #lines: string[] = [];
  #joined: string[] = [];

  constructor(options: SseParserOptions) {
    this.#onEvent = options.onEvent;
    this.#onRetry = options.onRetry;
  }

  /**
   * Reads whole lines, each ended by LF. `isByteWide` says that one unit of text was one byte, which
   * makes counting free.
   */
  read(text: string, isByteWide: boolean): void {
    let at = 0;
    while (at < text.length) {
      const end = text.indexOf('\n', at);
      if (end === at) {
        this.finish();
        at += 1;
        continue;
      }
      if (isDataLine(text, at)) {
        const value = text.slice(at + (text.charCodeAt(at + 5) === SPACE ? 6 : 5), end);
        if (this.#lines.length === 0 && text.charCodeAt(end + 1) === LF) {
          // The usual event: one data line, then the blank line. Nothing to store or count.
          this.#give(value);
          at = end + 2;
          continue;
        }
        this.#addData(value);
      } else if (!this.#readField(text, at, end)) {
        at = end + 1;
        continue;
      }
      this.bytes += isByteWide ? end - at : Buffer.byteLength(text.slice(at, end));
      at = end + 1;
    }
  }

  /** The blank line: gives the event, or, without data, only keeps its id. */
  finish(): void {
    if (this.#lines.length > 0) {
      this.#give(this.#takeData());
      return;
    }
    if (this.#id !== undefined) this.lastEventId = this.#id;
    this.#clearFields();
  }

  /** The event so far, not given to anybody; undefined without data. */
  pending(): SseEvent | undefined {
    if (this.#lines.length === 0) return undefined;
    return { event: this.#event, data: this.#takeData(), id: this.#id };
  }

  /** Forgets the event being built. `lastEventId` stays. */
  discard(): void {
    this.#lines = [];
    this.#joined = [];
    this.#clearFields();
  }

  #give(data: string): void {
    const event = { event: this.#event, data, id: this.#id };
    if (this.#id !== undefined) this.lastEventId = this.#id;
    this.#clearFields();
    this.#onEvent(event);
  }

  #clearFields(): void {
    this.#event = undefined;
    this.#id = undefined;
    this.bytes = 0;
  }

  /** A line that is neither blank nor `data:`. False when it is a comment or an unknown field. */
  #readField(text: string, at: number, end: number): boolean {
    const first = text.charCodeAt(at);
    if (first === COLON) return false;
    const line = text.slice(at, end);
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value =
      colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    switch (name) {
      case 'event':
        this.#event = value === '' ? undefined : value;
        return true;
      case 'data':
        this.#addData(value);
        return true;
      case 'id':
        if (!value.includes('\0')) this.#id = value;
        return true;
      case 'retry':
        if (/^[0-9]+$/.test(value)) this.#onRetry?.(Number(value));
        return true;
      default:
        return false;
    }
  }

  #addData(value: string): void {
    if (this.#lines.length === LINES_PER_JOIN) {
      this.#joined.push(this.#lines.join('\n'));
      this.#lines = [];
    }
    this.#lines.push(value);
  }

  #takeData(): string {
    const lines = this.#lines;
    this.#lines = [];
    const [only] = lines;
    const last = lines.length === 1 && only !== undefined ? only : lines.join('\n');
    if (this.#joined.length === 0) return last;
    const data = `${this.#joined.join('\n')}\n${last}`;
    this.#joined = [];
    return data;
  }
}

/** True when `data:` stands at `at`. By hand: `startsWith` costs a call per line (Bun 1.4.5). */
function isDataLine(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === 100 &&
    text.charCodeAt(at + 1) === 97 &&
    text.charCodeAt(at + 2) === 116 &&
    text.charCodeAt(at + 3) === 97 &&
    text.charCodeAt(at + 4) === COLON
  );
}
