/**
 * Secrets are registered once, where they are read, and scrubbed from everything that is shown or
 * written, in every spelling a server may reflect them in. What two secrets share is masked as one.
 */
import { secretSpellings } from './secret-spellings.ts';

const MASK = '***';
/** Shorter values would mask ordinary words; a credential is never that short. */
const MIN_LENGTH = 4;
/** Bytes of a picture are any bytes: shorter runs would hit some by chance. */
const MIN_BYTES = 8;

const spellings = new Set<string>();
/** Of the spellings: most keys and words are shorter. */
let shortest = Number.POSITIVE_INFINITY;

/** Remembers a secret for the life of the process. Empty and very short values are ignored. */
export function registerSecret(value: string): void {
  if (value.length < MIN_LENGTH) return;
  for (const spelling of secretSpellings(value)) {
    if (spelling.length < MIN_LENGTH) continue;
    spellings.add(spelling);
    shortest = Math.min(shortest, spelling.length);
  }
}

/** The text with every registered secret replaced by `***`. */
export function scrubSecrets(text: string): string {
  if (text.length < shortest) return text;
  let scrubbed = text;
  // A mask between two pieces may spell another secret; every round makes the text shorter.
  for (;;) {
    const found = secretSpans(scrubbed);
    if (found.length === 0) return scrubbed;
    scrubbed = masked(scrubbed, found);
  }
}

/** A JSON value with every registered secret replaced in its texts and keys, at every depth. */
export function scrubJson(value: unknown): unknown {
  const part = scrubPart(value);
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(scrubJson);
  return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, scrubJson(inner)]));
}

/** One level of it, for a replacer of `JSON.stringify`: a text, or an object's own keys; itself where there is no secret. */
export function scrubPart(part: unknown): unknown {
  if (typeof part === 'string') return scrubSecrets(part);
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  if (Object.keys(part).every((key) => scrubSecrets(key) === key)) return part;
  return Object.fromEntries(Object.entries(part).map(([key, inner]) => [scrubSecrets(key), inner]));
}

/** The bytes with every registered secret of 8 bytes and more replaced by `***`; the same bytes where there is none. */
export function scrubBytes(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wanted = [...spellings]
    .map((spelling) => Buffer.from(spelling))
    .filter((spelling) => spelling.length >= MIN_BYTES && buffer.includes(spelling))
    .map((spelling) => spelling.toString('latin1'));
  if (wanted.length === 0) return bytes;
  const text = buffer.toString('latin1');
  return Buffer.from(masked(text, secretSpans(text, wanted)), 'latin1');
}

export interface ScrubStream {
  /** What may be shown by now: everything but an end that may be the beginning of a secret. */
  push(text: string): string;
  /** What was held back, scrubbed. The stream starts anew. */
  end(): string;
}

/** Scrubs text that comes in pieces, however it is cut. Holds back less than the longest secret. */
export function createScrubStream(): ScrubStream {
  let held = '';
  return {
    push(text) {
      const all = held + text;
      const at = safeLength(all);
      held = all.slice(at);
      return scrubSecrets(all.slice(0, at));
    },
    end() {
      const rest = scrubSecrets(held);
      held = '';
      return rest;
    },
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where secrets stand, in order; those that touch are one. */
function secretSpans(text: string, wanted: Iterable<string> = spellings): readonly Span[] {
  const found: Span[] = [];
  for (const spelling of wanted) {
    let at = text.indexOf(spelling);
    while (at >= 0) {
      found.push({ start: at, end: at + spelling.length });
      at = text.indexOf(spelling, at + 1);
    }
  }
  if (found.length < 2) return found;
  const merged: { start: number; end: number }[] = [];
  for (const span of found.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

function masked(text: string, spans: readonly Span[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of spans) {
    result += text.slice(at, start) + MASK;
    at = end;
  }
  return result + text.slice(at);
}

/** How much of the text no later piece can turn into a part of a secret. */
function safeLength(text: string): number {
  let safe = text.length;
  for (const spelling of spellings) {
    const first = spelling.charAt(0);
    const from = Math.max(0, text.length - spelling.length + 1);
    for (
      let at = text.indexOf(first, from);
      at >= 0 && at < safe;
      at = text.indexOf(first, at + 1)
    ) {
      if (spelling.startsWith(text.slice(at))) safe = at;
    }
  }
  if (safe === text.length) return safe;
  // A whole secret may reach into what is held back: then it is held back as well.
  const crossing = secretSpans(text).find(({ start, end }) => start < safe && end > safe);
  return crossing?.start ?? safe;
}
