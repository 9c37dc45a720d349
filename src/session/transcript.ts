/**
 * The saved conversation of a session: one JSON line for each message, as the model saw it, appended as
 * soon as it is part of the history. What a turn adds is one write; a torn end is taken off at the next start.
 */
import type { FileOps } from '../base/file-ops.ts';
import type { JsonObject } from '../base/json.ts';
import { scrubSecrets } from '../base/redact.ts';
import type { Message } from './recorder.ts';

export const MAX_TRANSCRIPT_BYTES = 64 * 1024 * 1024;

/** A cut result that can be read on, with its file. */
export interface KeptResult {
  readonly id: string;
  readonly path: string;
}

/** What scripts of the session store, by key: JSON texts. */
export type Stored = ReadonlyMap<string, string>;

export interface TranscriptOptions {
  readonly path: string;
  /** Fields of the first line of a new file. */
  readonly head: JsonObject;
  readonly files: FileOps;
  readonly wallTime: () => number;
  /** The end of what the file holds: whole lines of an earlier run; 0 = a new file. */
  readonly wholeBytes: number;
  /** How many messages of the history the file holds already. */
  readonly savedMessages: number;
  /** What the file holds of the store already. */
  readonly stored: Stored;
}

export interface Transcript {
  /**
   * Appends the messages that are not saved yet. `seq`: number of the journal's last line. Opens the file at
   * the first one. Throws the system's error.
   */
  save(history: readonly Message[], kept: readonly KeptResult[], stored: Stored, seq: number): void;
  /** Says that the journal proves nothing about what comes now. Throws the system's error. */
  markUnrecorded(): void;
  /** On disk, and closed. Idempotent. */
  close(): Promise<void>;
}

export function createTranscript(options: TranscriptOptions): Transcript {
  const { path, files } = options;
  const keptIds = new Set<string>();
  const written = new Map(options.stored);
  let saved = options.savedMessages;
  let fd: number | undefined;
  let isClosed = false;

  const open = (): number => {
    fd = files.openAppend(path);
    files.truncate(fd, options.wholeBytes);
    return fd;
  };
  return {
    save(history, kept, stored, seq) {
      if (isClosed || history.length <= saved) return;
      const isNew = fd === undefined && options.wholeBytes === 0;
      const to = fd ?? open();
      const at = new Date(options.wallTime()).toISOString();
      const lines: JsonObject[] = isNew ? [{ kind: 'session', v: 1, at, ...options.head }] : [];
      for (const one of kept) {
        if (!keptIds.has(one.id)) lines.push({ kind: 'kept', ...one });
      }
      const changes = changesOf(written, stored);
      for (const [key, json] of changes) lines.push({ kind: 'stored', key, json });
      for (const message of history.slice(saved)) {
        lines.push({ kind: 'message', at, seq, message: scrubMessage(message) });
      }
      files.write(to, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
      for (const { id } of kept) keptIds.add(id);
      for (const [key, json] of changes) {
        if (json === null) written.delete(key);
        else written.set(key, json);
      }
      saved = history.length;
    },
    markUnrecorded() {
      if (fd !== undefined && !isClosed)
        files.write(fd, `${JSON.stringify({ kind: 'unrecorded' })}\n`);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      if (fd === undefined) return;
      try {
        await files.sync(fd);
      } finally {
        files.close(fd);
      }
    },
  };
}

/** `null`: it was deleted. */
function changesOf(
  written: Stored,
  stored: Stored,
): readonly (readonly [key: string, json: string | null])[] {
  const now = new Map([...stored].map(([key, json]) => [key, scrubSecrets(json)]));
  const gone = [...written.keys()].filter((key) => !now.has(key));
  return [
    ...gone.map((key) => [key, null] as const),
    ...[...now].filter(([key, json]) => written.get(key) !== json),
  ];
}

/** Texts without registered secrets; ids, names and what a provider wants back stay as they are. */
function scrubMessage(message: Message): JsonObject {
  switch (message.role) {
    case 'user':
      return { role: 'user', text: scrubSecrets(message.text) };
    case 'assistant':
      return {
        role: 'assistant',
        text: scrubSecrets(message.text),
        toolCalls: message.toolCalls.map(({ id, name, argumentsText }) => ({
          id,
          name,
          argumentsText: scrubSecrets(argumentsText),
        })),
        state: message.state,
      };
    case 'tool':
      return {
        role: 'tool',
        results: message.results.map(({ callId, name, text, status }) => ({
          callId,
          name,
          text: scrubSecrets(text),
          status,
        })),
      };
  }
}
