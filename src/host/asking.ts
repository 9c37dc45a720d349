/** Tells when a person is asked, so that the clocks of scripts can rest. */
import type { AskUser } from '../permission/types.ts';
import type { Talk } from './talk.ts';

export interface Asking {
  /** Returns the way to stop. */
  readonly onAsking: (listener: (isAsking: boolean) => void) => () => void;
  /** The same person, watched. */
  readonly watch: (askUser: AskUser) => AskUser;
  readonly watchTalk: (talk: Talk) => Talk;
}

export function createAsking(): Asking {
  const listeners = new Set<(isAsking: boolean) => void>();
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    // Who starts to listen in the middle has nothing to resume.
    const resting = [...listeners];
    for (const listener of resting) listener(true);
    try {
      return await work();
    } finally {
      for (const listener of resting) listener(false);
    }
  };
  return {
    onAsking(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch: (askUser) => ({
      ask: (question, signal) => during(() => askUser.ask(question, signal)),
    }),
    watchTalk: (talk) => (conversation, signal) => during(() => talk(conversation, signal)),
  };
}
