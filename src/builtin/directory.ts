/** list_directory and file_info. */
import type { Stats } from 'node:fs';
import { join, relative } from 'node:path';
import { formatBytes } from '../base/bytes.ts';
import { UsageError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { fsPromises } from '../base/lazy-node.ts';
import { resolveInside } from '../base/paths.ts';
import { textArgument } from './arguments.ts';
import { looksBinary, MAX_READ_BYTES } from './read-file.ts';
import { fileProblem, isSecretPath, type WorkspaceRoot } from './root.ts';

const MAX_ENTRIES = 1_000;

/** One entry per line: folders first, then files with their size; links and credential files say what they are. */
export async function listDirectory(
  root: WorkspaceRoot,
  args: JsonObject,
  signal: AbortSignal,
): Promise<string> {
  const wanted = textArgument(args, 'path', '.');
  const folder = root.locate(wanted);
  if (!(await statOf(folder, wanted)).isDirectory()) {
    throw new UsageError(`${JSON.stringify(wanted)} is a file; read_file shows what is in it`);
  }
  const entries = await fsPromises()
    .readdir(folder, { withFileTypes: true })
    .catch((error: unknown) => {
      throw fileProblem(error, wanted);
    });
  signal.throwIfAborted();
  const rank = (isFolder: boolean) => (isFolder ? 0 : 1);
  entries.sort(
    (a, b) => rank(a.isDirectory()) - rank(b.isDirectory()) || (a.name < b.name ? -1 : 1),
  );
  const shown = entries.slice(0, MAX_ENTRIES);
  const lines = await Promise.all(
    shown.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return `${entry.name}/`;
      if (isSecretPath(relative(root.path, path))) return `${entry.name}  (not readable here)`;
      if (entry.isSymbolicLink()) {
        const isInside = resolveInside(root.path, path) !== undefined;
        return `${entry.name}  ${isInside ? '(link)' : '(link that leaves the workspace)'}`;
      }
      const size = await fsPromises()
        .stat(path)
        .then(
          (facts) => formatBytes(facts.size),
          () => 'gone',
        );
      return `${entry.name}  ${size}`;
    }),
  );
  const left = entries.length - shown.length;
  const count = `${root.display(folder)}: ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;
  return [count, ...lines, ...(left > 0 ? [`… ${left} more entries`] : [])].join('\n');
}

/** Kind, size, time of change, lines. */
export async function fileInfo(root: WorkspaceRoot, args: JsonObject): Promise<string> {
  const wanted = textArgument(args, 'path');
  const path = root.locate(wanted);
  const facts = await statOf(path, wanted);
  const lines = [
    `path: ${root.display(path)}`,
    `kind: ${kindOf(facts)}`,
    `changed: ${facts.mtime.toISOString()}`,
  ];
  if (!facts.isFile()) return lines.join('\n');
  lines.push(`size: ${facts.size} bytes`);
  if (facts.size > MAX_READ_BYTES) return lines.join('\n');
  const bytes = await Bun.file(path)
    .bytes()
    .catch((error: unknown) => {
      throw fileProblem(error, wanted);
    });
  lines.push(looksBinary(bytes) ? 'content: binary' : `lines: ${countLines(bytes)}`);
  return lines.join('\n');
}

function kindOf(facts: Stats): string {
  if (facts.isDirectory()) return 'folder';
  return facts.isFile() ? 'file' : 'special file';
}

async function statOf(path: string, wanted: string): Promise<Stats> {
  return fsPromises()
    .stat(path)
    .catch((error: unknown) => {
      throw fileProblem(error, wanted);
    });
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let index = bytes.indexOf(10); index >= 0; index = bytes.indexOf(10, index + 1)) count += 1;
  return bytes.length > 0 && bytes.at(-1) !== 10 ? count + 1 : count;
}
