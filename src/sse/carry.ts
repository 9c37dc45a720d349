/**
 * A byte buffer that grows by doubling, so that appending n bytes one at a time copies fewer than 3n.
 * Holds the line that a cut left unfinished.
 */

/** Below this many bytes a loop beats `subarray` and `set` (Bun 1.4.5). */
const LOOP_COPY_BYTES = 32;
const FIRST_CAPACITY_BYTES = 256;
/** A larger buffer is given back after use, so that one big event does not hold memory for good. */
const KEPT_CAPACITY_BYTES = 256 * 1024;

export class Carry {
  length = 0;
  #bytes = new Uint8Array(0);

  /** Adds `source[from, to)`, copied. */
  append(source: Uint8Array, from: number, to: number): void {
    const start = this.length;
    const length = start + to - from;
    if (length > this.#bytes.length) this.#grow(length);
    const bytes = this.#bytes;
    if (to - from <= LOOP_COPY_BYTES) {
      for (let at = from, into = start; at < to; at++, into++) bytes[into] = source[at] ?? 0;
    } else {
      bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), start);
    }
    this.length = length;
  }

  byteAt(index: number): number | undefined {
    return index < this.length ? this.#bytes[index] : undefined;
  }

  /** The bytes held. A view: valid until the next `append` or `clear`. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  /** Decodes the bytes held and empties the buffer. */
  take(decoder: TextDecoder): string {
    const text = decoder.decode(this.view());
    this.clear();
    return text;
  }

  clear(): void {
    this.length = 0;
    if (this.#bytes.length > KEPT_CAPACITY_BYTES) this.#bytes = new Uint8Array(0);
  }

  #grow(needed: number): void {
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2, FIRST_CAPACITY_BYTES));
    if (this.length > 0) grown.set(this.view());
    this.#bytes = grown;
  }
}
