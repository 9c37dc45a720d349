/**
 * The record of one session: append-only JSON lines, hash-chained, mode 0600, one process at a time.
 * Writing never costs an answer: the first failure is told once, then the record is off.
 */
import { dirname } from 'node:path';
import type { FileOps } from '../base/file-ops.ts';
import { fileReason } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import { CHAIN_START, readChain, sealLine } from './chain.ts';

/** A record of some hundred thousand calls; a larger one is not gone on with. */
export const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

export interface JournalOptions {
  readonly path: string;
  /** Fields of the line that is written when the file is opened. */
  readonly head: JsonObject;
  /** Number of the last line of an earlier run, where it is known; default 0. */
  readonly lastSeq?: number;
  readonly files: FileOps;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  /** Told once; must not throw. */
  readonly onProblem: (message: string) => void;
}

export interface Journal {
  readonly path: string;
  /** Number of the last line that is known. */
  readonly seq: number;
  /** Writes a line and returns its number; opens the file at the first one. 0 when the record is off. */
  append(kind: string, fields: JsonObject): number;
  /** Resolves when all lines so far are on disk, or the record is off. Callers at the same time share one sync. */
  sync(): Promise<void>;
  /** Writes the closing line. Idempotent. */
  close(): void;
}

interface Open {
  readonly fd: number;
  hash: string;
  seq: number;
}

/** Opens nothing before the first line. */
export function createJournal(options: JournalOptions): Journal {
  const { path, files, head } = options;
  let open: Open | undefined;
  let isOff = false;
  let syncing: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const fail = (error: unknown) => {
    isOff = true;
    options.onProblem(`the record of tool calls cannot be written: ${fileReason(error)}`);
    if (open !== undefined) closeQuietly(open.fd, files);
    open = undefined;
  };
  const write = (to: Open, kind: string, fields: JsonObject) => {
    const at = new Date(options.wallTime()).toISOString();
    const { text, hash } = sealLine({ seq: to.seq + 1, at, kind, ...fields }, to.hash);
    files.write(to.fd, `${text}\n`);
    to.hash = hash;
    to.seq += 1;
  };
  const ready = (): Open => {
    if (open !== undefined) return open;
    const { opened, recovered } = openJournal(options);
    open = opened;
    write(opened, 'open', { ...head, ...recovered });
    return opened;
  };
  /** One sync at a time; whoever comes while it runs waits for the one after it. */
  const syncOnce = async (): Promise<void> => {
    const fd = open?.fd;
    if (fd === undefined) return;
    syncing = files.sync(fd).catch((error: unknown) => {
      if (open?.fd === fd) fail(error);
    });
    await syncing;
    syncing = undefined;
  };

  return {
    path,
    get seq() {
      return open?.seq ?? options.lastSeq ?? 0;
    },
    append(kind, fields) {
      if (isOff) return 0;
      try {
        const to = ready();
        write(to, kind, fields);
        return to.seq;
      } catch (error) {
        fail(error);
        return 0;
      }
    },
    async sync() {
      if (isOff || open === undefined) return;
      // What is appended in the same tick goes with it.
      next ??= (syncing ?? Promise.resolve()).then(() => {
        next = undefined;
        return syncOnce();
      });
      return next;
    },
    close() {
      if (isOff) return;
      isOff = true;
      if (open === undefined) return;
      try {
        write(open, 'close', {});
        files.close(open.fd);
      } catch (error) {
        fail(error);
      }
      open = undefined;
    },
  };
}

/** The file ready for the next line. A torn end is taken off; a file that is no whole chain is put aside. */
function openJournal({ path, files, wallTime }: JournalOptions): {
  readonly opened: Open;
  readonly recovered: JsonObject;
} {
  files.makeFolder(dirname(path));
  const bytes = files.read(path, MAX_JOURNAL_BYTES);
  if (bytes === undefined || bytes.length === 0) {
    return { opened: { fd: files.openAppend(path), hash: CHAIN_START, seq: 0 }, recovered: {} };
  }
  const reading = readChain(bytes);
  if (reading.broken !== undefined) {
    const aside = `${path}.${wallTime()}.broken`;
    files.rename(path, aside);
    const opened = { fd: files.openAppend(path), hash: CHAIN_START, seq: 0 };
    return { opened, recovered: { putAside: aside } };
  }
  const fd = files.openAppend(path);
  const { tornBytes } = reading;
  if (tornBytes > 0) files.truncate(fd, bytes.length - tornBytes);
  return {
    opened: { fd, hash: reading.hash, seq: reading.lines.length },
    recovered: tornBytes > 0 ? { tornBytes } : {},
  };
}

function closeQuietly(fd: number, files: FileOps): void {
  try {
    files.close(fd);
  } catch {
    // The failure before it is the one that was told.
  }
}
