/** find_files and search_text. */

import { UsageError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { fsPromises } from '../base/lazy-node.ts';
import { shorten } from '../base/text.ts';
import { countArgument, textArgument } from './arguments.ts';
import { looksBinary, MAX_READ_BYTES } from './read-file.ts';
import { fileProblem, type Walked, type WorkspaceRoot, walkFiles } from './root.ts';

const DEFAULT_FILES = 200;
const DEFAULT_LINES = 100;
const MAX_RESULTS = 1_000;
const MAX_LINE_CHARACTERS = 300;
const MAX_PATTERN = 500;
const MAX_WILDCARDS = 32;
const MAX_SEARCHED_BYTES = 512 * 1024 * 1024;
const FILES_AT_ONCE = 16;

/** Paths relative to the root, one per line. */
export async function findFiles(
  root: WorkspaceRoot,
  args: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const fits = pathTest(textArgument(args, 'pattern'));
  const limit = countArgument(args, 'limit', DEFAULT_FILES, MAX_RESULTS);
  const wanted = textArgument(args, 'path', '.');
  const folder = root.locate(wanted);
  const facts = await statOf(folder, wanted);
  if (!facts.isDirectory()) throw new UsageError(`${JSON.stringify(wanted)} is no folder`);
  const found: string[] = [];
  for await (const file of walkFiles(folder, signal)) {
    if (!fits(file.name)) continue;
    if (found.length === limit) return [...found, `… more than ${limit} files fit`].join('\n');
    found.push(root.display(file.path));
  }
  return found.length === 0 ? 'no file fits' : found.join('\n');
}

/** `path:line: text`, one per line. Binary files and files over 32 MiB are passed over. */
export async function searchText(
  root: WorkspaceRoot,
  args: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const text = textArgument(args, 'text');
  if (text === '') throw new UsageError('arguments.text: expected text that is not empty');
  const needle = { text, ignoresCase: args['ignore_case'] === true };
  const limit = countArgument(args, 'limit', DEFAULT_LINES, MAX_RESULTS);
  const wanted = textArgument(args, 'path', '.');
  const start = root.locate(wanted);
  const fits = args['pattern'] === undefined ? () => true : pathTest(textArgument(args, 'pattern'));
  const facts = await statOf(start, wanted);
  if (!facts.isDirectory() && !facts.isFile()) {
    throw new UsageError(`${JSON.stringify(wanted)} is no regular file and is not read`);
  }
  const files = facts.isDirectory()
    ? walkFiles(start, signal)
    : (async function* one(): AsyncGenerator<Walked> {
        yield { path: start, name: root.display(start) };
      })();
  const found: string[] = [];
  let searchedBytes = 0;
  let waiting: Promise<FileLines>[] = [];
  const collect = async () => {
    for (const lines of await Promise.all(waiting)) {
      searchedBytes += lines.bytes;
      found.push(...lines.hits);
    }
    waiting = [];
  };
  for await (const file of files) {
    if (!fits(file.name)) continue;
    waiting.push(searchFile(file.path, root.display(file.path), needle, limit));
    if (waiting.length < FILES_AT_ONCE) continue;
    await collect();
    signal.throwIfAborted();
    if (found.length > limit || searchedBytes > MAX_SEARCHED_BYTES) break;
  }
  await collect();
  if (found.length === 0) return 'no line has this text';
  const shown = found.slice(0, limit);
  const isCut = found.length > limit || searchedBytes > MAX_SEARCHED_BYTES;
  return [...shown, ...(isCut ? ['… there are more; narrow path, pattern or text'] : [])].join(
    '\n',
  );
}

interface FileLines {
  readonly bytes: number;
  readonly hits: readonly string[];
}

interface Needle {
  readonly text: string;
  readonly ignoresCase: boolean;
}

async function searchFile(
  path: string,
  name: string,
  needle: Needle,
  limit: number,
): Promise<FileLines> {
  const file = Bun.file(path);
  if (file.size > MAX_READ_BYTES) return { bytes: 0, hits: [] };
  // A file that vanished or may not be read has no lines to give.
  const bytes = await file.bytes().catch(() => undefined);
  if (bytes === undefined || looksBinary(bytes)) return { bytes: bytes?.length ?? 0, hits: [] };
  if (
    !needle.ignoresCase &&
    !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(needle.text)
  ) {
    return { bytes: bytes.length, hits: [] };
  }
  const hits: string[] = [];
  const wanted = needle.ignoresCase ? needle.text.toLowerCase() : needle.text;
  const lines = new TextDecoder().decode(bytes).split('\n');
  for (let index = 0; index < lines.length && hits.length <= limit; index += 1) {
    const line = lines[index] ?? '';
    if (!(needle.ignoresCase ? line.toLowerCase() : line).includes(wanted)) continue;
    hits.push(
      `${name}:${index + 1}: ${shorten(around(line, wanted, needle), MAX_LINE_CHARACTERS)}`,
    );
  }
  return { bytes: bytes.length, hits };
}

/** The part of a long line that has the text. */
function around(line: string, wanted: string, needle: Needle): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line.trimEnd();
  const at = (needle.ignoresCase ? line.toLowerCase() : line).indexOf(wanted);
  const start = Math.max(0, at - MAX_LINE_CHARACTERS / 3);
  return `${start > 0 ? '…' : ''}${line.slice(start, start + MAX_LINE_CHARACTERS)}`.toWellFormed();
}

/** A pattern without `/` is for the file name, one with it for the whole path. Throws UsageError for one that is too long. */
function pathTest(pattern: string): (path: string) => boolean {
  const wildcards = pattern.match(/[*?[{]/g)?.length ?? 0;
  if (pattern.length > MAX_PATTERN || wildcards > MAX_WILDCARDS) {
    throw new UsageError('arguments.pattern: too long or with too many wildcards');
  }
  const glob = new Bun.Glob(pattern.replace(/^\.?\//, ''));
  if (pattern.includes('/')) return (path) => glob.match(path);
  return (path) => glob.match(path.slice(path.lastIndexOf('/') + 1));
}

async function statOf(path: string, wanted: string) {
  return fsPromises()
    .stat(path)
    .catch((error: unknown) => {
      throw fileProblem(error, wanted);
    });
}
