/** A conversation on the person's terminal, /dev/tty: the screen is held, Ctrl-C and silence end it. */
import { startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { InterruptedError, LimitError } from '../base/errors.ts';
import type { Dialogue, Talk, Typed } from '../host/talk.ts';
import type { Person } from './person.ts';
import type { Screen } from './screen.ts';

export interface TalkPorts {
  readonly person: Person;
  readonly screen: Screen;
  readonly clock: Clock;
  /** While set, Ctrl-C calls the handler and ends nothing. */
  readonly takeSigint: (handler: () => void) => () => void;
  /** A conversation ends when one of its questions is not answered within this. Default 10 minutes. */
  readonly limitMs?: number;
}

const LIMIT_MS = 10 * 60_000;

/** See `Talk`. */
export function talkAtTerminal(ports: TalkPorts): Talk {
  return async (conversation, signal) => {
    signal.throwIfAborted();
    const { person, screen } = ports;
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    /** Settles once for all reads: nothing comes after it. */
    const ending = Promise.withResolvers<Typed>();
    ending.promise.catch(() => undefined);
    const goOn = screen.hold();
    const release = ports.takeSigint(() => {
      person.show('\n');
      ending.resolve({ kind: 'end' });
    });
    const limit = startLimit(
      ports.clock,
      ports.limitMs ?? LIMIT_MS,
      () => new LimitError('nobody'),
    );
    const onLimit = () => {
      person.show('\n');
      ending.resolve({ kind: 'nobody' });
    };
    const onAbort = () => {
      // After a signal the command line starts a new line itself.
      if (!(signal.reason instanceof InterruptedError)) person.show('\n');
      ending.reject(signal.reason);
    };
    limit.signal.addEventListener('abort', onLimit, { once: true });
    signal.addEventListener('abort', onAbort, { once: true });
    const readLine = async (): Promise<Typed> => {
      const text = await person.readLine(stop);
      if (text !== undefined) return { kind: 'line', text };
      person.show('\n');
      ending.resolve({ kind: 'end' });
      return { kind: 'end' };
    };
    const dialogue: Dialogue = {
      columns: screen.columns(),
      show: (lines) => person.show(lines.map((line) => `${line}\n`).join('')),
      read(prompt) {
        person.show(prompt);
        limit.reset();
        return Promise.race([ending.promise, readLine()]);
      },
      strong: (text) => (screen.colour ? `\u001b[1m${text}\u001b[22m` : text),
    };
    person.discardTyped();
    try {
      return await conversation(dialogue);
    } finally {
      release();
      limit.dispose();
      signal.removeEventListener('abort', onAbort);
      over.abort();
      goOn();
    }
  };
}
