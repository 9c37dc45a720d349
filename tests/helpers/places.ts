/** Directories for one test process; all of them go when it ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'usher-places-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

/** A fresh directory, absolute. */
export function newFolder(): string {
  return mkdtempSync(join(root, 'place-'));
}

/** Writes files by relative name into a folder; returns the folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}
