/** Text as UTF-8 in pieces, so that a long one is never in memory twice. */

const PIECE_UNITS = 64 * 1024;
/** A UTF-16 unit takes at most three bytes. */
const PIECE_BYTES = 3 * PIECE_UNITS;

/**
 * The UTF-8 bytes of `text` in pieces. Each piece is valid only until the next one is asked for: the
 * buffer is used again. Lone surrogates become U+FFFD.
 */
export function* utf8Pieces(text: string): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(Math.min(PIECE_BYTES, 3 * text.length));
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start + PIECE_UNITS);
    const { written } = encoder.encodeInto(text.slice(start, end), buffer);
    yield buffer.subarray(0, written);
    start = end;
  }
}

/** Not between the halves of a pair. */
function pieceEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
