/**
 * A lock file that names its holder: process id, when that process started, and a token. The lock of a
 * process that is gone is taken over. For processes of one machine.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FailedError } from './errors.ts';
import { type FileOps, systemFiles } from './file-ops.ts';
import { errorCode, isMissing } from './files.ts';
import { randomHex } from './hash.ts';
import { isJsonObject, tryParseJson } from './json.ts';

export type LockAttempt =
  | { readonly kind: 'held'; readonly release: () => void }
  | {
      readonly kind: 'busy';
      readonly pid: number | undefined;
      /** ISO 8601. */
      readonly since: string | undefined;
    };

const MAX_LOCK_BYTES = 4096;
const MAX_TRIES = 4;
/** In place of a start time: the process has ended, its parent has not yet asked for its exit code. */
const ENDED = 'ended';

/** Takes the lock or says who has it; never waits. Throws the system's error when the folder cannot be written. */
export function takeLock(path: string, files: FileOps, wallTime: () => number): LockAttempt {
  files.makeFolder(dirname(path));
  const own = JSON.stringify({
    pid: process.pid,
    started: startOf(process.pid),
    since: new Date(wallTime()).toISOString(),
    token: randomHex(8),
  });
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    if (putLock(path, own, files)) {
      return { kind: 'held', release: () => removeIfOurs(path, own, files) };
    }
    const text = readLock(path, files);
    if (text === undefined) continue;
    if (isAlive(text)) return busy(text);
    takeAway(path, text, files);
  }
  return busy(readLock(path, files) ?? '');
}

/** A whole lock file at once: a half-written one could be taken for a dead one. */
function putLock(path: string, content: string, files: FileOps): boolean {
  const draft = `${path}.${randomHex(6)}.tmp`;
  try {
    files.create(draft, content);
    files.link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    removeDraft(draft, files);
  }
}

/** One that a full disk did not take whole goes as well; what went wrong first is told. */
function removeDraft(draft: string, files: FileOps): void {
  try {
    files.remove(draft);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Takes a dead lock off. Somebody may have been faster: a lock that is not the dead one is put back. */
function takeAway(path: string, dead: string, files: FileOps): void {
  const aside = `${path}.${randomHex(6)}.old`;
  try {
    files.rename(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if (readLock(aside, files) !== dead) files.link(aside, path);
  } catch (error) {
    // A third process has the name already: it holds the lock.
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    files.remove(aside);
  }
}

function removeIfOurs(path: string, own: string, files: FileOps): void {
  if (readLock(path, files) === own) files.remove(path);
}

function readLock(path: string, files: FileOps): string | undefined {
  const bytes = files.read(path, MAX_LOCK_BYTES);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

function busy(text: string): LockAttempt {
  const fields = tryParseJson(text);
  const { pid, since } = isJsonObject(fields) ? fields : {};
  return {
    kind: 'busy',
    pid: typeof pid === 'number' ? pid : undefined,
    since: typeof since === 'string' ? since : undefined,
  };
}

/** False for a process that is gone, or one that has its number but started at another time. */
function isAlive(text: string): boolean {
  const fields = tryParseJson(text);
  const { pid, started } = isJsonObject(fields) ? fields : {};
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and another user's.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const now = startOf(pid);
  if (now === ENDED) return false;
  return now === null || typeof started !== 'string' || now === started;
}

/** When a process started, in the kernel's ticks; `null` where that cannot be read (other systems than Linux). */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks; the start time is the 20th field after it (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? ENDED : (fields[19] ?? null);
  } catch {
    // Not Linux, or the process has just ended; its number alone decides then.
    return null;
  }
}

/** How long a change waits for another process's change of the same file, and how often it looks. */
const WAIT_MS = 2000;
const LOOK_MS = 10;

/**
 * Runs `change`, which reads, edits and writes `path`, while no other process does: one that came between
 * would be lost. Blocks for at most 2 s, then throws FailedError. Errors of the system's own pass through.
 */
export function changeAlone<T>(path: string, change: () => T): T {
  const lockPath = join(dirname(path), `.${basename(path)}.lock`);
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const lock = takeLock(lockPath, systemFiles, () => Date.now());
    if (lock.kind === 'held') {
      try {
        return change();
      } finally {
        lock.release();
      }
    }
    if (waitedMs >= WAIT_MS) {
      throw new FailedError(`${path} is being changed by another process`, { hint: 'try again' });
    }
    Bun.sleepSync(LOOK_MS);
  }
}
