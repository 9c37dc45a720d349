/** The session's question about servers of project files: what would start, and may it. Default no. */
import { escapeForTerminal, wrap } from '../base/text.ts';
import type { Config, ConfigWarning, PendingServer } from '../config/types.ts';
import type { Dialogue } from '../host/talk.ts';
import type { Context } from './context.ts';
import { factLines } from './facts.ts';
import { loadConfig } from './house.ts';
import { findPerson } from './person.ts';
import { talkAtTerminal } from './talk.ts';

/**
 * The configuration after the person was asked about each server that waits, once. A yes and a never are kept;
 * a no holds for this session. With nobody to ask nothing changes, and the warnings stay.
 */
export async function loadTrusted(context: Context): Promise<Config> {
  const config = await loadConfig(context);
  const waiting = (config.pending ?? []).filter(
    ({ enabled, state }) => enabled && state !== 'rejected',
  );
  if (waiting.length === 0) return config;
  const { options, screen, clock, interrupts, signal } = context;
  const person = findPerson({ ...context, ...options, stderrIsTerminal: screen.isTerminal });
  if (person === undefined) return config;
  const { takeSigint } = interrupts;
  try {
    const talk = talkAtTerminal({ person, screen, clock, takeSigint });
    const answers = await talk((dialogue) => askEach(waiting, dialogue), signal);
    const decided = await keepAnswers(context, config, answers);
    return { ...decided, warnings: decided.warnings.filter((one) => !wasAnswered(one, answers)) };
  } finally {
    person.close();
  }
}

interface Answers {
  readonly approved: readonly PendingServer[];
  readonly rejected: readonly PendingServer[];
  /** Names that were answered, whatever the answer. */
  readonly answered: readonly string[];
}

/** What the person just said no to is no news. */
function wasAnswered({ pending }: ConfigWarning, { answered }: Answers): boolean {
  return pending !== undefined && answered.includes(pending);
}

const CHOICES = '[y] start it, now and later  [n] not now  [r] never  (no) > ';

/** Ctrl-C and the end of input are a no to this server and all that follow. */
async function askEach(waiting: readonly PendingServer[], dialogue: Dialogue): Promise<Answers> {
  const approved: PendingServer[] = [];
  const rejected: PendingServer[] = [];
  const answered: string[] = [];
  for (const server of waiting) {
    show(server, dialogue);
    const typed = await dialogue.read(CHOICES);
    if (typed.kind !== 'line') break;
    answered.push(server.name);
    const word = typed.text.trim().toLowerCase();
    if (word === 'y' || word === 'yes') approved.push(server);
    else if (word === 'r' || word === 'never') rejected.push(server);
  }
  return { approved, rejected, answered };
}

function show({ name, place, state, facts }: PendingServer, dialogue: Dialogue): void {
  const what =
    state === 'changed'
      ? 'has changed since you decided on it'
      : 'wants to run a server on this machine or send to it';
  dialogue.show([
    '',
    ...wrap(
      `${dialogue.strong(escapeForTerminal(place))} ${what}: ${dialogue.strong(name)}`,
      dialogue.columns,
    ),
    ...factLines(facts, dialogue.columns),
  ]);
}

async function keepAnswers(
  context: Context,
  config: Config,
  { approved, rejected }: Answers,
): Promise<Config> {
  const { log, options } = context;
  if (approved.length === 0 && rejected.length === 0) return config;
  const { decide } = await import('../config/decide.ts');
  for (const [servers, choice] of [
    [approved, 'approved'],
    [rejected, 'rejected'],
  ] as const) {
    for (const server of servers) {
      const problem = await decide({ ...context, configFlag: options.config }, server, choice);
      if (problem !== undefined) log.warn(problem, `--approve ${server.name} runs it this time`);
    }
  }
  return loadConfig(context);
}
