/**
 * The hash chain of a journal: each line names the hash of the line before and its own. Pure. A line
 * that was changed, taken out, put in or moved breaks it; lines cut off at the end do not, which is
 * why a journal that was closed ends with a `close` line.
 */
import { sha256Hex } from '../base/hash.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';

/** The `prev` of a first line. */
export const CHAIN_START = '0'.repeat(64);

export interface SealedLine {
  /** Without the newline. */
  readonly text: string;
  readonly hash: string;
}

/** A line with `prev` and, last, `hash`: SHA-256 of the line as it is without its `hash`. */
export function sealLine(fields: JsonObject, prev: string): SealedLine {
  const body = JSON.stringify({ ...fields, prev });
  const hash = sha256Hex(body);
  return { text: `${body.slice(0, -1)},"hash":"${hash}"}`, hash };
}

export interface ChainReading {
  /** The lines that fit, in order. */
  readonly lines: readonly JsonObject[];
  /** Of the last line that fits; `CHAIN_START` without one. */
  readonly hash: string;
  /** The first line that does not fit, counted from 1, and why. */
  readonly broken: { readonly line: number; readonly reason: string } | undefined;
  /** Bytes after the last newline: a write that was cut off by a crash. */
  readonly tornBytes: number;
}

const NEWLINE = 10;
const SEAL = /,"hash":"([0-9a-f]{64})"\}$/;

/** Reads a journal up to the first line that does not fit. */
export function readChain(bytes: Uint8Array): ChainReading {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const tornBytes = bytes.length - end;
  const lines: JsonObject[] = [];
  let hash = CHAIN_START;
  const whole = new TextDecoder().decode(bytes.subarray(0, Math.max(0, end - 1)));
  const texts = end === 0 ? [] : whole.split('\n');
  for (const [index, line] of texts.entries()) {
    const read = readLine(line, hash, lines.length + 1);
    if (typeof read === 'string') {
      return { lines, hash, broken: { line: index + 1, reason: read }, tornBytes };
    }
    lines.push(read.fields);
    hash = read.hash;
  }
  return { lines, hash, broken: undefined, tornBytes };
}

/** The line, or why it does not fit. */
function readLine(
  line: string,
  prev: string,
  seq: number,
): { readonly fields: JsonObject; readonly hash: string } | string {
  const fields = tryParseJson(line);
  const seal = SEAL.exec(line);
  const hash = seal?.[1];
  if (!isJsonObject(fields) || seal === null || hash === undefined) return 'it is no journal line';
  if (sha256Hex(`${line.slice(0, seal.index)}}`) !== hash) return 'its text was changed';
  if (fields['prev'] !== prev || fields['seq'] !== seq) {
    return 'a line before it was changed, moved or taken out';
  }
  return { fields, hash };
}
