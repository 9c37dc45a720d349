/** The saved sessions of a state directory: which there are, which is the newest, which may go. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../base/file-lock.ts';
import type { FileOps } from '../base/file-ops.ts';
import { isMissing } from '../base/files.ts';
import { readHead } from './head.ts';
import { journalFolder, placesOf, sessionsFolder } from './places.ts';

/** Also those that were put aside. */
const RECORD = /^([A-Za-z0-9_][A-Za-z0-9._-]{0,63})\.jsonl(?:\.\d+\.broken)?$/;

export interface SessionSummary {
  readonly id: string;
  /** Where it was started. */
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly bytes: number;
  /** The first prompt, as typed. */
  readonly title: string;
}

/** Newest first. Files that hold no session are passed over. */
export function listSessions(stateDir: string): readonly SessionSummary[] {
  const folder = sessionsFolder(stateDir);
  const found = namesIn(folder).flatMap((name): readonly SessionSummary[] => {
    if (!name.endsWith('.jsonl')) return [];
    const path = join(folder, name);
    const id = name.slice(0, -'.jsonl'.length);
    const head = readHead(path);
    if (head === undefined || head.id !== id) return [];
    const { mtimeMs, size } = statSync(path);
    return [{ id, cwd: head.cwd, title: head.title, updatedAt: mtimeMs, bytes: size }];
  });
  return found.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
}

export type Removal = 'removed' | 'busy' | 'missing';

/** Removes a session with its record, unless a process uses it. */
export function removeSession(
  stateDir: string,
  id: string,
  files: FileOps,
  wallTime: () => number,
): Removal {
  const places = placesOf(stateDir, id);
  if (readHead(places.transcript) === undefined) return 'missing';
  const lock = takeLock(places.lock, files, wallTime);
  if (lock.kind === 'busy') return 'busy';
  try {
    for (const path of [places.transcript, places.journal]) removeIfThere(path, files);
  } finally {
    lock.release();
  }
  return 'removed';
}

/** Removes records of plain runs that were last written before `time`. Returns how many. */
export function removeRecords(stateDir: string, time: number, files: FileOps): number {
  const folder = journalFolder(stateDir);
  let removed = 0;
  for (const name of namesIn(folder)) {
    const id = RECORD.exec(name)?.[1];
    if (id === undefined || existsSync(placesOf(stateDir, id).transcript)) continue;
    const path = join(folder, name);
    if (statSync(path).mtimeMs >= time) continue;
    removeIfThere(path, files);
    removed += 1;
  }
  return removed;
}

function removeIfThere(path: string, files: FileOps): void {
  try {
    files.remove(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
