/** A conversation in a session: shown above a line of its own, each answer a whole line. */
import type { Dialogue, Talk } from '../host/talk.ts';
import type { Input } from './input.ts';
import type { Paint } from './render.ts';
import type { HeldScreen, Screen } from './screen.ts';

export interface TalkDeps {
  readonly input: Input;
  readonly screen: Screen;
  readonly columns: () => number;
  readonly paint: Paint;
}

/** See `Talk`. Ctrl-C and the end of input end it; it has no limit of time. */
export function createTalk({ input, screen, columns, paint }: TalkDeps): Talk {
  const dialogueFor = (held: HeldScreen, signal: AbortSignal): Dialogue => {
    let hasEnded = false;
    return {
      columns: columns(),
      show: (lines) => held.print(lines.join('\n')),
      async read(prompt) {
        if (hasEnded) return { kind: 'end' };
        const line = await input.read({
          prompt,
          history: [],
          complete: undefined,
          takesTypeAhead: false,
          signal,
        });
        signal.throwIfAborted();
        if (line.kind === 'line') return { kind: 'line', text: line.text };
        hasEnded = true;
        return { kind: 'end' };
      },
      strong: (text) => paint(text, 'strong'),
    };
  };
  return async (conversation, signal) => {
    signal.throwIfAborted();
    const held = screen.hold();
    try {
      return await conversation(dialogueFor(held, signal));
    } finally {
      held.release();
    }
  };
}
