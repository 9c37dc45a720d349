/** read_file: numbered pieces of a text file. */

import { formatBytes } from '../base/bytes.ts';
import { UsageError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { fsPromises } from '../base/lazy-node.ts';
import { cutToCharacters } from '../base/text.ts';
import { countArgument, textArgument } from './arguments.ts';
import { fileProblem, type WorkspaceRoot } from './root.ts';

/** Larger files are refused: search_text finds the place, other tools read such files. */
export const MAX_READ_BYTES = 32 * 1024 * 1024;
const DEFAULT_LINES = 1_000;
const MAX_LINES = 5_000;
const MAX_CHARACTERS = 40_000;
const BINARY_PROBE_BYTES = 8_192;

/** The lines, as they are, and a last line that says how to go on where there is more. */
export async function readTextFile(
  root: WorkspaceRoot,
  args: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const wanted = textArgument(args, 'path');
  const offset = countArgument(args, 'offset', 1, Number.MAX_SAFE_INTEGER);
  const limit = countArgument(args, 'limit', DEFAULT_LINES, MAX_LINES);
  const text = await readText(root.locate(wanted), wanted);
  signal.throwIfAborted();
  if (text === '') return '(the file is empty)';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length) {
    throw new UsageError(
      `${JSON.stringify(wanted)} has ${lines.length} lines; offset ${offset} is beyond its end`,
    );
  }
  return piece(lines, offset, limit);
}

/** True where the first 8 KiB hold a NUL byte or many control bytes. */
export function looksBinary(bytes: Uint8Array): boolean {
  const probe = bytes.subarray(0, BINARY_PROBE_BYTES);
  let odd = 0;
  for (const byte of probe) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27)
      odd += 1;
  }
  return odd > probe.length / 10;
}

/** Whole text of a regular file. Throws UsageError when it is none, too large, binary or not readable. */
async function readText(path: string, wanted: string): Promise<string> {
  const facts = await fsPromises()
    .stat(path)
    .catch((error: unknown) => {
      throw fileProblem(error, wanted);
    });
  const name = JSON.stringify(wanted);
  if (facts.isDirectory())
    throw new UsageError(`${name} is a folder; list_directory shows what is in it`);
  if (!facts.isFile()) throw new UsageError(`${name} is no regular file and is not read`);
  if (facts.size > MAX_READ_BYTES) {
    throw new UsageError(
      `${name} is too large to read (${formatBytes(facts.size)}); search_text finds text in it`,
    );
  }
  const bytes = await Bun.file(path)
    .bytes()
    .catch((error: unknown) => {
      throw fileProblem(error, wanted);
    });
  if (looksBinary(bytes)) {
    throw new UsageError(`${name} is a binary file (${formatBytes(bytes.length)}) and is not read`);
  }
  return new TextDecoder().decode(bytes);
}

function piece(lines: readonly string[], offset: number, limit: number): string {
  const shown: string[] = [];
  let room = MAX_CHARACTERS;
  let isLineCut = false;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    if (line.length + 1 > room) {
      if (shown.length > 0) break;
      shown.push(cutToCharacters(line, room));
      isLineCut = true;
      break;
    }
    shown.push(line);
    room -= line.length + 1;
  }
  const end = offset - 1 + shown.length;
  const notes: string[] = [];
  if (isLineCut) notes.push(`[line ${end} is longer than ${MAX_CHARACTERS} characters and is cut]`);
  if (end < lines.length || offset > 1)
    notes.push(`[lines ${offset} to ${end} of ${lines.length}]`);
  if (end < lines.length) notes.push(`[go on with offset ${end + 1}]`);
  return [...shown, ...notes].join('\n');
}
