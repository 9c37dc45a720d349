/** Where sessions and records lie below the state directory, and what a session may be called. */
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { randomHex } from '../base/hash.ts';

const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

export interface SessionPlaces {
  readonly transcript: string;
  readonly journal: string;
  readonly lock: string;
}

export function sessionsFolder(stateDir: string): string {
  return join(stateDir, 'sessions');
}

export function journalFolder(stateDir: string): string {
  return join(stateDir, 'journal');
}

export function placesOf(stateDir: string, id: string): SessionPlaces {
  return {
    transcript: join(sessionsFolder(stateDir), `${id}.jsonl`),
    journal: join(journalFolder(stateDir), `${id}.jsonl`),
    lock: join(sessionsFolder(stateDir), `${id}.lock`),
  };
}

/** `20261129-211530-1f0c5a2b`: sorts by time, unique. */
export function newSessionId(wallTime: number): string {
  const digits = new Date(wallTime).toISOString().replace(/[-:]/g, '').replace('T', '-');
  return `${digits.slice(0, 15)}-${randomHex(4)}`;
}

/** The id itself. Throws UsageError for one that is no harmless file name. */
export function checkSessionId(id: string): string {
  if (isSessionId(id)) return id;
  throw new UsageError(`--session: ${JSON.stringify(id.slice(0, 100))} is no session id`, {
    hint: 'up to 64 of A-Z a-z 0-9 . _ -, such as review-2; usher sessions list shows those there are',
  });
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}
