/**
 * Retention of artifacts: old ones go, and the oldest beyond the bound. Only files that are provably ours: named as
 * we name them, and with a content whose hash is in their name.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { HASH_LENGTH } from './artifacts.ts';

export interface Retention {
  /** `undefined`: however old. */
  readonly maxAgeMs: number | undefined;
  /** `undefined`: however many. */
  readonly maxFiles: number | undefined;
  readonly maxBytes: number;
}

export const DEFAULT_RETENTION: Retention = {
  maxAgeMs: 30 * 24 * 3_600_000,
  maxFiles: undefined,
  maxBytes: 1024 ** 3,
};

const NAME = /^[A-Za-z0-9_-]{1,60}-([0-9a-f]{16})\.[a-z0-9]{1,5}$/;
/** Left by a process that was killed while it wrote. */
const DRAFT = /^\.[A-Za-z0-9_-]{1,60}-[0-9a-f]{16}\.[a-z0-9]{1,5}\.[0-9a-f]{12}\.tmp$/;
const DRAFT_AGE_MS = 24 * 3_600_000;
/** Of one start; the next one goes on. */
const MAX_ENTRIES = 20_000;
const MAX_REMOVALS = 1_000;
const CHUNK_BYTES = 256 * 1024;

interface Found {
  readonly path: string;
  readonly hash: string | undefined;
  readonly bytes: number;
  readonly changedAt: number;
}

/** Removes what is beyond the retention; resolves with how many went. Never rejects for a file that cannot be removed. */
export async function pruneArtifacts(
  folder: string,
  retention: Retention,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  const found = await findAll(folder, signal);
  found.sort((a, b) => b.changedAt - a.changedAt);
  let removed = 0;
  let keptFiles = 0;
  let keptBytes = 0;
  for (const file of found) {
    if (signal.aborted || removed >= MAX_REMOVALS) break;
    const age = now - file.changedAt;
    const isOver =
      file.hash === undefined
        ? age > DRAFT_AGE_MS
        : age > (retention.maxAgeMs ?? Number.POSITIVE_INFINITY) ||
          keptFiles >= (retention.maxFiles ?? Number.POSITIVE_INFINITY) ||
          keptBytes + file.bytes > retention.maxBytes;
    if (isOver && (await removeIfOurs(file))) {
      removed += 1;
    } else if (file.hash !== undefined) {
      keptFiles += 1;
      keptBytes += file.bytes;
    }
  }
  return removed;
}

async function findAll(folder: string, signal: AbortSignal): Promise<Found[]> {
  const found: Found[] = [];
  let seen = 0;
  for (const server of await namesIn(folder)) {
    const inside = join(folder, server);
    if (!(await isFolder(inside))) continue;
    for (const name of await namesIn(inside)) {
      seen += 1;
      if (signal.aborted || seen > MAX_ENTRIES) return found;
      const hash = NAME.exec(name)?.[1];
      if (hash === undefined && !DRAFT.test(name)) continue;
      const path = join(inside, name);
      const facts = await lstat(path).catch(() => undefined);
      if (facts?.isFile() !== true) continue;
      found.push({ path, hash, bytes: facts.size, changedAt: facts.mtimeMs });
    }
  }
  return found;
}

async function removeIfOurs({ path, hash }: Found): Promise<boolean> {
  try {
    if (hash !== undefined && hashOf(path).slice(0, HASH_LENGTH) !== hash) return false;
    await unlink(path);
    return true;
  } catch {
    // Not readable, not removable, or gone already: the next start sees it again.
    return false;
  }
}

function hashOf(path: string): string {
  const hasher = new Bun.CryptoHasher('sha256');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) {
      hasher.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
  return hasher.digest('hex');
}

async function isFolder(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts?.isDirectory() === true;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
