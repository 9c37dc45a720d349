/**
 * A session from its lock to its last line: takes the lock, reads what was saved, tells what became of calls
 * that a killed run left behind, and saves what is said from here on.
 */

import { FailedError, UsageError } from '../base/errors.ts';
import { takeLock } from '../base/file-lock.ts';
import type { FileOps } from '../base/file-ops.ts';
import { fileReason } from '../base/files.ts';
import type { JsonObject } from '../base/json.ts';
import { VERSION } from '../base/version.ts';
import { readChain } from './chain.ts';
import { createJournal, type Journal, MAX_JOURNAL_BYTES } from './journal.ts';
import { placesOf, type SessionPlaces } from './places.ts';
import type { SavedSession } from './read-transcript.ts';
import type { Message } from './recorder.ts';
import { mendHistory } from './resume.ts';
import {
  createTranscript,
  type KeptResult,
  MAX_TRANSCRIPT_BYTES,
  type Stored,
  type Transcript,
} from './transcript.ts';

export interface SessionRequest {
  readonly stateDir: string;
  readonly id: string;
  readonly cwd: string;
  readonly files: FileOps;
  readonly wallTime: () => number;
  /** Told once for each; must not throw. */
  readonly onProblem: (message: string) => void;
}

export interface OpenSession {
  readonly id: string;
  readonly journal: Journal;
  /** Empty for a new session. */
  readonly history: readonly Message[];
  readonly kept: readonly KeptResult[];
  /** What scripts have stored. */
  readonly stored: Stored;
  /** `server/tool` of calls that a killed run left without a known outcome. */
  readonly unknown: readonly string[];
  /** Appends what is new. Never throws: the first failure is told, then nothing is saved. */
  save(history: readonly Message[], kept: readonly KeptResult[], stored: Stored): void;
  /** Everything on disk, lock released. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens or begins the session. Throws FailedError (retryable) while another process uses it, UsageError for a file
 * that holds no session, the system's error where the state directory cannot be used.
 */
export async function openSession(request: SessionRequest): Promise<OpenSession> {
  const places = placesOf(request.stateDir, request.id);
  const lock = takeLock(places.lock, request.files, request.wallTime);
  if (lock.kind === 'busy') throw busyError(request.id, lock.pid);
  try {
    return await readAndOpen(request, places, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function readAndOpen(
  request: SessionRequest,
  places: SessionPlaces,
  release: () => void,
): Promise<OpenSession> {
  const { id, cwd, files, wallTime } = request;
  const head = { id, cwd, version: VERSION };
  const saved = await readSaved(request, places);
  const { lines, isWhole } = readLines(request, places);
  const { history, kept, unknown } = mendHistory(
    saved?.messages ?? [],
    lines,
    saved?.isUnrecorded === true || !isWhole,
  );
  const wholeBytes = saved?.messages[kept - 1]?.endBytes ?? saved?.headBytes ?? 0;
  const stored: Stored = saved?.stored(wholeBytes) ?? new Map();
  const transcript = createTranscript({
    path: places.transcript,
    head,
    files,
    wallTime,
    wholeBytes,
    savedMessages: kept,
    stored,
  });
  let isSaving = true;
  const fail = (error: unknown) => {
    isSaving = false;
    request.onProblem(`session ${id} cannot be saved any more: ${fileReason(error)}`);
  };
  const guarded = (work: () => void) => {
    try {
      if (isSaving) work();
    } catch (error) {
      fail(error);
    }
  };
  const journal = createJournal({
    path: places.journal,
    head: { session: id, cwd, version: VERSION, pid: process.pid },
    lastSeq: lines.length,
    files,
    wallTime,
    onProblem(message) {
      guarded(() => transcript.markUnrecorded());
      request.onProblem(message);
    },
  });
  settle(journal, lines);
  guarded(() => transcript.save(history, saved?.kept ?? [], stored, journal.seq));
  return {
    id,
    journal,
    history,
    kept: saved?.kept ?? [],
    stored,
    unknown,
    save: (messages, results, values) =>
      guarded(() => transcript.save(messages, results, values, journal.seq)),
    close: closer(transcript, journal, release, fail),
  };
}

function closer(
  transcript: Transcript,
  journal: Journal,
  release: () => void,
  fail: (error: unknown) => void,
): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const close = async () => {
    journal.close();
    try {
      await transcript.close();
    } catch (error) {
      fail(error);
    } finally {
      release();
    }
  };
  return () => {
    closing ??= close();
    return closing;
  };
}

/** Calls that were sent by a run that did not see their end get one: unknown. */
function settle(journal: Journal, lines: readonly JsonObject[]): void {
  const open = new Map<number, JsonObject>();
  for (const line of lines) {
    const { kind, seq, intent } = line;
    if (kind === 'intent' && typeof seq === 'number') open.set(seq, line);
    if (kind === 'outcome' && typeof intent === 'number') open.delete(intent);
  }
  for (const [intent, { call }] of open) {
    journal.append('outcome', { intent, call, outcome: 'unknown', why: 'the run was ended first' });
  }
}

async function readSaved(
  { id, files }: SessionRequest,
  { transcript }: SessionPlaces,
): Promise<SavedSession | undefined> {
  const bytes = files.read(transcript, MAX_TRANSCRIPT_BYTES);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const { readTranscript } = await import('./read-transcript.ts');
  const saved = readTranscript(bytes);
  // A file without a whole first line was torn at its very first write.
  if (saved !== undefined || !bytes.includes(10)) return saved;
  throw new UsageError(`${transcript} holds no session`, {
    hint: `move the file away, or name another session than ${id}`,
  });
}

interface RecordedLines {
  readonly lines: readonly JsonObject[];
  /** False: what is not in `lines` may have happened all the same. */
  readonly isWhole: boolean;
}

/** Lines of the journal that fit. */
function readLines(request: SessionRequest, { journal }: SessionPlaces): RecordedLines {
  try {
    const bytes = request.files.read(journal, MAX_JOURNAL_BYTES);
    if (bytes === undefined) return { lines: [], isWhole: true };
    const { lines, broken } = readChain(bytes);
    return { lines, isWhole: broken === undefined };
  } catch (error) {
    request.onProblem(`the record of session ${request.id} cannot be read: ${fileReason(error)}`);
    return { lines: [], isWhole: false };
  }
}

function busyError(id: string, pid: number | undefined): FailedError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new FailedError(`session ${id} is busy: ${who} uses it`, {
    hint: 'try again when it has ended, or name another session',
    retryable: true,
    details: { retryable: true },
  });
}
