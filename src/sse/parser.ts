/**
 * Splits an event stream into events. Input: UTF-8 bytes or text cut anywhere; the same input gives the
 * same events however it is cut. Pure: no clock, no I/O. Keeps at most one event of `maxBytes`.
 *
 * Line ends are single bytes that never occur inside a UTF-8 sequence. So the bytes up to the last line
 * end of a chunk are decoded at once, the rest is carried, and no decoder state crosses a cut.
 * Source: WHATWG HTML 9.2.5 (grammar, byte order mark) and 9.2.6 (interpretation).
 */
import { LimitError } from '../base/errors.ts';
import { EventBlock } from './block.ts';
import { Carry } from './carry.ts';
import {
  DEFAULT_MAX_EVENT_BYTES,
  type SseEvent,
  type SseParser,
  type SseParserOptions,
} from './types.ts';

/** A parser for one stream. Shapes, units, defaults and errors: see `SseParser`. */
export function createSseParser(options: SseParserOptions): SseParser {
  return new Parser(options);
}

const LF = 10;
const CR = 13;
const RETRY_INITIAL = 0x72;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const KNOWN_FIELDS = ['data:', 'event:', 'id:', 'retry:'];
/** Bytes after which every line is known to matter or not: the length of "event:". */
const HEAD_BYTES = 6;

class Parser implements SseParser {
  readonly #maxBytes: number;
  readonly #block: EventBlock;
  readonly #carry = new Carry();
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  /** Bytes of the mark seen at the head of the stream; its length once that question is settled. */
  #markBytes = 0;
  /** A CR ended the last line of the previous chunk: an LF that comes first belongs to it. */
  #swallowLf = false;
  /** Inside a comment or unknown field that began in an earlier chunk. */
  #skipping = false;
  #highSurrogate = '';
  #failed = false;

  constructor(options: SseParserOptions) {
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_EVENT_BYTES;
    this.#block = new EventBlock(options);
  }

  get lastEventId(): string | undefined {
    return this.#block.lastEventId;
  }

  feed(chunk: Uint8Array | string): void {
    if (this.#failed) throw this.#limitError();
    if (typeof chunk === 'string') this.#feedText(chunk);
    else {
      if (this.#highSurrogate !== '') this.#flushSurrogate();
      this.#feedBytes(chunk);
    }
  }

  end(): SseEvent | undefined {
    if (this.#highSurrogate !== '') this.#flushSurrogate();
    // A cut `retry` is another number: it must not count.
    if (this.#carry.byteAt(0) === RETRY_INITIAL) this.#carry.clear();
    if (this.#carry.length > 0) this.#block.read(`${this.#carry.take(this.#decoder)}\n`, false);
    const pending = this.#block.pending();
    this.reset();
    return pending;
  }

  reset(): void {
    this.#block.discard();
    this.#block.lastEventId = undefined;
    this.#carry.clear();
    this.#markBytes = 0;
    this.#swallowLf = false;
    this.#skipping = false;
    this.#highSurrogate = '';
    this.#failed = false;
  }

  /** Text becomes bytes, so that there is one road. A cut surrogate pair is put together first. */
  #feedText(text: string): void {
    const whole = this.#highSurrogate + text;
    const last = whole.charCodeAt(whole.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#highSurrogate = isCut ? whole.slice(-1) : '';
    this.#feedBytes(this.#encoder.encode(isCut ? whole.slice(0, -1) : whole));
  }

  #flushSurrogate(): void {
    const lone = this.#encoder.encode(this.#highSurrogate);
    this.#highSurrogate = '';
    this.#feedBytes(lone);
  }

  #feedBytes(bytes: Uint8Array): void {
    let from = this.#markBytes < BYTE_ORDER_MARK.length ? this.#skipMark(bytes) : 0;
    if (from === bytes.length) return;
    if (this.#swallowLf) {
      this.#swallowLf = false;
      if (bytes[from] === LF) from += 1;
    }
    this.#swallowLf = bytes[bytes.length - 1] === CR;
    if (this.#skipping) {
      const end = lineEnd(bytes, from);
      if (end === bytes.length) return;
      this.#skipping = false;
      from = afterLineEnd(bytes, end);
    }
    const to = afterLastLineEnd(bytes);
    if (to > from) {
      this.#readLines(bytes, from, to);
      from = to;
    }
    if (from < bytes.length) this.#hold(bytes, from, bytes.length);
  }

  /** Where the text begins. A mark that breaks off makes its line an unknown field. */
  #skipMark(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#markBytes < BYTE_ORDER_MARK.length) {
      if (bytes[at] !== BYTE_ORDER_MARK[this.#markBytes]) {
        this.#skipping = this.#markBytes > 0;
        this.#markBytes = BYTE_ORDER_MARK.length;
        break;
      }
      this.#markBytes += 1;
      at += 1;
    }
    return at;
  }

  /** `bytes[from, to)` ends at a line end; its first line begins in the carry. */
  #readLines(bytes: Uint8Array, from: number, to: number): void {
    const carried = this.#carry.length;
    const size = carried + to - from;
    if (this.#block.bytes + size > this.#maxBytes) {
      this.#readEachLine(bytes, from, to);
      return;
    }
    if (size === 1) {
      this.#block.finish();
      return;
    }
    let text: string;
    if (carried > 0) {
      this.#carry.append(bytes, from, to);
      text = this.#carry.take(this.#decoder);
    } else {
      const isAll = from === 0 && to === bytes.length;
      text = this.#decoder.decode(isAll ? bytes : bytes.subarray(from, to));
    }
    // One unit for each byte: a sequence of more bytes gives fewer units than bytes.
    const isByteWide = text.length === size;
    this.#block.read(text.includes('\r') ? withLfOnly(text) : text, isByteWide);
  }

  /** As `#readLines`, where the bound may be passed: exactly counted, so that the cut makes no difference. */
  #readEachLine(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const end = lineEnd(bytes, at);
      this.#hold(bytes, at, end);
      if (this.#carry.length > 0) {
        const size = this.#carry.length;
        const line = this.#carry.take(this.#decoder);
        this.#block.read(`${line}\n`, line.length === size);
        if (this.#block.bytes > this.#maxBytes) this.#fail();
      } else if (!this.#skipping) this.#block.finish();
      this.#skipping = false;
      at = afterLineEnd(bytes, end);
    }
  }

  /** Keeps part of a line that has no end yet, if its field is known. */
  #hold(bytes: Uint8Array, from: number, to: number): void {
    const carry = this.#carry;
    let rest = from;
    if (carry.length < HEAD_BYTES) {
      rest = Math.min(to, from + HEAD_BYTES - carry.length);
      carry.append(bytes, from, rest);
      if (!mayMatter(carry)) {
        carry.clear();
        this.#skipping = true;
        return;
      }
      // Perhaps still an unknown field, which would not count.
      if (carry.length < HEAD_BYTES) return;
    }
    if (this.#block.bytes + carry.length + to - rest > this.#maxBytes) this.#fail();
    carry.append(bytes, rest, to);
  }

  #fail(): never {
    this.#block.discard();
    this.#carry.clear();
    this.#failed = true;
    throw this.#limitError();
  }

  #limitError(): LimitError {
    return new LimitError(`a server-sent event is larger than ${this.#maxBytes} bytes`, {
      details: { limit: 'sse_event', maxBytes: this.#maxBytes },
    });
  }
}

/** False when the line begun in `carry` can only be a comment or an unknown field. */
function mayMatter(carry: Carry): boolean {
  return KNOWN_FIELDS.some((field) => {
    const length = Math.min(field.length, carry.length);
    for (let at = 0; at < length; at++) {
      if (carry.byteAt(at) !== field.charCodeAt(at)) return false;
    }
    return true;
  });
}

/** Index of the first CR or LF at or after `from`; the length without one. Never looks beyond it. */
function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}

/** Index behind the last CR or LF; 0 without one. A loop for the few bytes where a native call costs more. */
function afterLastLineEnd(bytes: Uint8Array): number {
  const stop = Math.max(0, bytes.length - 16);
  for (let at = bytes.length - 1; at >= stop; at--) {
    if (bytes[at] === LF || bytes[at] === CR) return at + 1;
  }
  return stop === 0 ? 0 : Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
}

function afterLineEnd(bytes: Uint8Array, end: number): number {
  return bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1;
}

function withLfOnly(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}
