/** `usher sessions`: the conversations that were saved. */

import { FailedError, UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { systemFiles } from '../../base/file-ops.ts';
import { stateDirectory } from '../../base/paths.ts';
import { escapeForTerminal, nearestMatches } from '../../base/text.ts';
import {
  listSessions,
  removeRecords,
  removeSession,
  type SessionSummary,
} from '../../session/list.ts';
import { checkSessionId, isSessionId, placesOf } from '../../session/places.ts';
import type { SavedMessage, SavedSession } from '../../session/read-transcript.ts';
import { MAX_TRANSCRIPT_BYTES } from '../../session/transcript.ts';
import { firstLine, twoColumns } from '../columns.ts';
import type { Context } from '../context.ts';
import { noMoreWords } from '../words.ts';

const DEFAULT_AGE = '30d';
const AGE = /^(\d+)(d|h)$/;
const PRUNE_HINT =
  'usher sessions list shows all; an age is one number of days or hours, such as 7d or 12h';
const HOUR_MS = 3_600_000;

/** Lists, prints, goes on with or removes sessions. */
export async function runSessions(context: Context, words: readonly string[]): Promise<ExitCode> {
  const [verb = 'list', ...rest] = words;
  switch (verb) {
    case 'list':
      noMoreWords(rest, 'sessions');
      return list(context);
    case 'show':
      return show(context, oneId(rest));
    case 'resume':
      return resume(context, oneId(rest));
    case 'prune':
      return prune(context, rest);
    default: {
      const [nearest] = nearestMatches(verb, ['list', 'show', 'resume', 'prune'], 1);
      throw new UsageError(`usher sessions has no "${verb}"`, {
        hint: nearest === undefined ? 'list, show, resume or prune' : `did you mean ${nearest}?`,
      });
    }
  }
}

function list(context: Context): ExitCode {
  const { options, output, log } = context;
  const sessions = listSessions(stateDirOf(context));
  if (options.output === 'json') {
    output.json({
      sessions: sessions.map(({ updatedAt, ...rest }) => ({ ...rest, updatedAt: iso(updatedAt) })),
    });
  } else {
    output.text(twoColumns(sessions.map(row), output.columns()));
  }
  if (sessions.length === 0) log.info('no session is saved yet; --session NAME begins one');
  return EXIT.ok;
}

function row({ id, updatedAt, cwd, title }: SessionSummary): readonly [string, string] {
  const when = iso(updatedAt).slice(0, 16).replace('T', ' ');
  return [id, escapeForTerminal(`${when}  ${cwd}  ${firstLine(title)}`).replaceAll('\n', ' ')];
}

async function show(context: Context, id: string): Promise<ExitCode> {
  const { options, output } = context;
  const { messages, cwd } = await readSession(stateDirOf(context), id);
  if (options.output === 'json') {
    output.json({ id, cwd, messages: messages.map(({ at, message }) => ({ at, ...message })) });
  } else {
    output.text(messages.map(messageText).join('\n'));
  }
  return EXIT.ok;
}

function messageText({ message }: SavedMessage): string {
  switch (message.role) {
    case 'user':
      return `> ${message.text.replaceAll('\n', '\n> ')}\n`;
    case 'assistant': {
      const calls = message.toolCalls.map((call) => `→ ${call.name} ${call.argumentsText}\n`);
      return `${message.text === '' ? '' : `${message.text}\n`}${calls.join('')}`;
    }
    case 'tool':
      return message.results
        .map(({ name, status, text }) => `← ${name} ${status}\n${text}\n`)
        .join('');
  }
}

async function resume(context: Context, id: string): Promise<ExitCode> {
  const { stdin, output } = context;
  if (!stdin.isTerminal || !output.isTerminal) {
    throw new UsageError('an interactive session needs a terminal', {
      hint: `usher --session ${id} --prompt "your question" goes on without one`,
    });
  }
  await readSession(stateDirOf(context), id);
  const { runSession } = await import('../session.ts');
  return runSession({ ...context, options: { ...context.options, session: id } });
}

async function prune(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { clock, log } = context;
  const stateDir = stateDirOf(context);
  const wallTime = () => clock.date().getTime();
  const all = listSessions(stateDir);
  const maxAgeMs = ageOf(words, all);
  const oldest = wallTime() - (maxAgeMs ?? 0);
  const ids =
    maxAgeMs === undefined
      ? words
      : all.filter(({ updatedAt }) => updatedAt < oldest).map(({ id }) => id);
  let removed = 0;
  let isMissing = false;
  for (const id of ids) {
    const outcome = isSessionId(id)
      ? removeSession(stateDir, id, systemFiles, wallTime)
      : 'missing';
    if (outcome === 'removed') removed += 1;
    if (outcome === 'busy') log.warn(`session ${id} is busy and stays`, 'try again later');
    if (outcome === 'missing') {
      isMissing = true;
      log.error(`there is no session ${escapeForTerminal(id)}`, PRUNE_HINT);
    }
  }
  const records = maxAgeMs === undefined ? 0 : removeRecords(stateDir, oldest, systemFiles);
  const others =
    records === 0 ? '' : `, ${records} ${records === 1 ? 'record' : 'records'} of other runs`;
  log.info(`removed: ${removed} ${removed === 1 ? 'session' : 'sessions'}${others}`);
  return isMissing ? EXIT.usage : EXIT.ok;
}

/** The age beyond which sessions go, milliseconds; `undefined`: the words are names. */
function ageOf(words: readonly string[], all: readonly SessionSummary[]): number | undefined {
  const [age = DEFAULT_AGE, ...rest] = words;
  const [, count, unit] = AGE.exec(age) ?? [];
  if (count === undefined || rest.length > 0 || all.some(({ id }) => id === age)) return undefined;
  return Number(count) * (unit === 'd' ? 24 * HOUR_MS : HOUR_MS);
}

async function readSession(stateDir: string, id: string): Promise<SavedSession> {
  const bytes = systemFiles.read(placesOf(stateDir, id).transcript, MAX_TRANSCRIPT_BYTES);
  const { readTranscript } = await import('../../session/read-transcript.ts');
  const saved = bytes === undefined ? undefined : readTranscript(bytes);
  if (saved !== undefined) return saved;
  const [nearest] = nearestMatches(
    id,
    listSessions(stateDir).map((one) => one.id),
    1,
  );
  throw new UsageError(`there is no session ${id}`, {
    hint: nearest === undefined ? 'usher sessions list shows all' : `did you mean ${nearest}?`,
  });
}

function oneId([id, ...rest]: readonly string[]): string {
  noMoreWords(rest, 'sessions');
  if (id !== undefined) return checkSessionId(id);
  throw new UsageError('which session?', { hint: 'usher sessions list shows all' });
}

function stateDirOf({ env }: Context): string {
  const stateDir = stateDirectory(env);
  if (stateDir !== undefined) return stateDir;
  throw new FailedError('there is no place for sessions: neither HOME nor XDG_STATE_HOME is set');
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
