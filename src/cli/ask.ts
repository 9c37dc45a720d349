/** Asks a person about one call, on their terminal. The host asks one question at a time. */
import { type Clock, sleep } from '../base/clock.ts';
import { wrap } from '../base/text.ts';
import type { Answer, AskUser, Question } from '../permission/types.ts';
import type { Person } from './person.ts';
import type { Screen } from './screen.ts';

export interface AskPorts {
  readonly person: Person;
  readonly screen: Screen;
  readonly clock: Clock;
  /** While set, Ctrl-C calls the handler and ends nothing. */
  readonly takeSigint: (handler: () => void) => () => void;
  /** A question nobody answers is denied after this. Default 10 minutes. */
  readonly limitMs?: number;
}

const LIMIT_MS = 10 * 60_000;
const CHOICES = '[y] once  [s] for this run  [n] no  [d] no, and say why  [v] view all  > ';
const NOBODY: Answer = { kind: 'nobody', reason: 'nobody answered in time' };

/** Ctrl-C and the end of input are a no; an abort of the call rejects with the signal's reason. */
export function askAtTerminal(ports: AskPorts): AskUser {
  return { ask: (question, signal) => askOne(ports, question, signal) };
}

async function askOne(ports: AskPorts, question: Question, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const goOn = ports.screen.hold();
  const answered = Promise.withResolvers<Answer>();
  const release = ports.takeSigint(() => {
    ports.person.show('\n');
    answered.resolve({ kind: 'no' });
  });
  const stop = AbortSignal.any([signal, ended.signal]);
  sleep(ports.clock, ports.limitMs ?? LIMIT_MS, stop).then(
    () => answered.resolve(NOBODY),
    () => answered.reject(signal.reason),
  );
  converse(ports, question, stop).then(answered.resolve, answered.reject);
  try {
    return await answered.promise;
  } finally {
    release();
    ended.abort();
    goOn();
  }
}

async function converse(ports: AskPorts, question: Question, signal: AbortSignal): Promise<Answer> {
  const { person } = ports;
  person.discardTyped();
  showLines(ports, question.lines);
  for (;;) {
    person.show(CHOICES);
    const line = await person.readLine(signal);
    if (line === undefined) {
      person.show('\n');
      return { kind: 'no' };
    }
    const [word = '', ...rest] = line.trim().split(/\s+/);
    switch (word.toLowerCase()) {
      case 'y':
      case 'yes':
        return { kind: 'yes' };
      case 's':
      case 'session':
        return { kind: 'session' };
      case 'n':
      case 'no':
        return { kind: 'no' };
      case 'd':
        return { kind: 'deny', reason: rest.join(' ') || (await askReason(person, signal)) };
      case 'v':
        showLines(ports, question.full);
        break;
    }
  }
}

async function askReason(person: Person, signal: AbortSignal): Promise<string> {
  person.show('why? ');
  return (await person.readLine(signal))?.trim() ?? '';
}

function showLines({ person, screen }: AskPorts, lines: readonly string[]): void {
  const wrapped = lines.flatMap((line) => wrap(line, screen.columns()));
  person.show(wrapped.map((line) => `${line}\n`).join(''));
}
