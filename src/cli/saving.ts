/** What outlives a process: the record of its calls, and the conversation where it is to be saved. */

import { AppError, FailedError, UsageError } from '../base/errors.ts';
import { systemFiles } from '../base/file-ops.ts';
import { fileReason } from '../base/files.ts';
import { stateDirectory } from '../base/paths.ts';
import { VERSION } from '../base/version.ts';
import type { HostEvent, Saving } from '../host/types.ts';
import { createJournal } from '../session/journal.ts';
import { listSessions } from '../session/list.ts';
import { openSession } from '../session/open.ts';
import { checkSessionId, newSessionId, placesOf } from '../session/places.ts';
import { createRecorder, type Recorder } from '../session/recorder.ts';
import type { Context } from './context.ts';

export interface OpenSaving {
  readonly id: string;
  readonly saving: Saving;
  /** Warnings, told already, of calls that the last run of this session left in flight. */
  readonly unsure: readonly string[];
  onEvent(event: HostEvent): void;
  /** Everything on disk. Idempotent. */
  close(): Promise<void>;
}

/** The record of a command that saves no conversation; its file is made at the first call. `undefined`: nothing is kept. */
export function openRecord(context: Context): OpenSaving | undefined {
  const { options, env, cwd } = context;
  const stateDir = stateDirectory(env);
  if (options.ephemeral || stateDir === undefined) return undefined;
  const wallTime = wallTimeOf(context);
  const id = newSessionId(wallTime());
  const journal = createJournal({
    path: placesOf(stateDir, id).journal,
    head: { session: id, cwd, version: VERSION, pid: process.pid },
    files: systemFiles,
    wallTime,
    onProblem: problemOf(context),
  });
  const saving = { history: [], kept: [], stored: new Map(), onHistory: () => undefined };
  return assemble(id, createRecorder(journal), saving, () => Promise.resolve(journal.close()));
}

/**
 * The session of the flags, with its record: `--session`, `--continue`, or with `isWanted` a new one. Without any of
 * them the record alone. Throws FailedError while another process has it, and where it cannot be kept though a flag names it.
 */
export async function openSaved(
  context: Context,
  isWanted: boolean,
): Promise<OpenSaving | undefined> {
  const { options, env, cwd, log } = context;
  const isNamed = options.session !== undefined || options.continues;
  const stateDir = stateDirectory(env);
  if (options.ephemeral) return undefined;
  if (stateDir === undefined) {
    if (!isNamed) return undefined;
    throw new FailedError('there is no place for sessions: neither HOME nor XDG_STATE_HOME is set');
  }
  if (!isNamed && !isWanted) return openRecord(context);
  const wallTime = wallTimeOf(context);
  const id = idOf(context, stateDir, wallTime());
  try {
    const onProblem = problemOf(context);
    const request = { stateDir, id, cwd, files: systemFiles, wallTime, onProblem };
    const session = await openSession(request);
    const { history, kept, stored, save: onHistory, close, unknown } = session;
    const unsure = unknown.map(
      (path) =>
        `${path}: the last run was ended while this call was in flight; it may have happened`,
    );
    for (const message of unsure) log.warn(message, 'it is not repeated; look at its effect');
    const saving = { history, kept, stored, onHistory };
    return { ...assemble(id, createRecorder(session.journal), saving, close), unsure };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = `session ${id} cannot be kept: ${fileReason(error)}`;
    if (isNamed) throw new FailedError(message, { cause: error });
    log.warn(message, '--ephemeral saves nothing');
    return undefined;
  }
}

function assemble(
  id: string,
  recorder: Recorder,
  saving: Omit<Saving, 'beforeSend' | 'id'>,
  close: () => Promise<void>,
): OpenSaving {
  return {
    id,
    saving: {
      ...saving,
      id,
      beforeSend: (call, { server, name, definition, source }, args) =>
        recorder.beforeSend({
          id: call.id,
          server,
          tool: name,
          arguments: args,
          origin: call.origin,
          parent: call.parentToolCallId,
          isReadOnly: definition.annotations.readOnlyHint === true || source.isFree === true,
        }),
    },
    unsure: [],
    onEvent: recorder.onEvent,
    close,
  };
}

function idOf({ options, cwd }: Context, stateDir: string, wallTime: number): string {
  if (options.session !== undefined) return checkSessionId(options.session);
  if (!options.continues) return newSessionId(wallTime);
  const newest = listSessions(stateDir).find((session) => session.cwd === cwd);
  if (newest !== undefined) return newest.id;
  throw new UsageError('there is no session of this directory to continue', {
    hint: 'usher sessions list shows all; --session NAME begins one',
  });
}

function problemOf({ log }: Context): (message: string) => void {
  return (message) => log.warn(message, 'the run goes on; --ephemeral saves nothing');
}

function wallTimeOf({ clock }: Context): () => number {
  return () => clock.date().getTime();
}
