/**
 * Lines typed in earlier sessions, one JSON string per line in `history` of the state directory, 0600.
 * A session never fails because of it: what cannot be read or written is simply not remembered.
 */
import { chmodSync, closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileReason, isMissing, readBounded, writeAtomic } from '../base/files.ts';
import { tryParseJson } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';

export interface History {
  /** Oldest first, at most 1,000. */
  lines(): readonly string[];
  /** Remembers a line; blank ones and repetitions of the last one are not. */
  add(line: string): void;
}

const MAX_LINES = 1_000;
/** A longer entry, such as a pasted file, is kept for this session only. */
const MAX_ENTRY_CHARACTERS = 64 * 1024;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** The history in `stateDir`; `undefined`: of this session only. `onProblem` hears why nothing is kept, at most once. */
export function openHistory(
  stateDir: string | undefined,
  onProblem: (message: string) => void,
): History {
  let path = stateDir === undefined ? undefined : join(stateDir, 'history');
  const giveUp = (error: unknown) => {
    onProblem(`history is not kept: ${fileReason(error)}`);
    path = undefined;
  };
  const attempt = (work: (file: string) => void) => {
    if (path === undefined) return;
    try {
      work(path);
    } catch (error) {
      giveUp(error);
    }
  };
  let lines: string[] = [];
  attempt((file) => {
    lines = load(file);
  });

  return {
    lines: () => lines,
    add(line) {
      if (line.trim() === '' || line === lines.at(-1)) return;
      lines = [...lines, line].slice(-MAX_LINES);
      if (line.length > MAX_ENTRY_CHARACTERS || stateDir === undefined) return;
      attempt((file) => {
        mkdirSync(stateDir, { recursive: true, mode: 0o700 });
        append(file, `${JSON.stringify(scrubSecrets(line))}\n`);
      });
    },
  };
}

function append(file: string, row: string): void {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const fd = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    writeSync(fd, row);
  } finally {
    closeSync(fd);
  }
}

/** The last lines of the file; a file with more is cut to them. Unreadable entries are skipped. */
function load(file: string): string[] {
  const rows = readRows(file);
  const lines = rows.flatMap((row) => {
    const value = tryParseJson(row);
    return typeof value === 'string' ? [clean(value)] : [];
  });
  const kept = lines.slice(-MAX_LINES);
  if (rows.length > MAX_LINES) {
    writeAtomic(file, kept.map((line) => `${JSON.stringify(line)}\n`).join(''));
  } else if (rows.length > 0) chmodSync(file, 0o600);
  return kept;
}

function readRows(file: string): readonly string[] {
  try {
    const text = new TextDecoder().decode(readBounded(file, MAX_FILE_BYTES));
    return text.split('\n').filter((row) => row !== '');
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The file may have been edited: no control character comes onto the screen from it. */
function clean(line: string): string {
  return line.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '').toWellFormed();
}
