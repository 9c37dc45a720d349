/** A person for tests who types given lines and keeps what was shown. */
import type { Dialogue, Talk } from '../../src/host/talk.ts';

export interface ScriptedPerson {
  readonly dialogue: Dialogue;
  readonly talk: Talk;
  /** Everything on the screen, prompts with what was typed behind them. */
  shown(): string;
  /** Lines that were not asked for. */
  left(): readonly string[];
}

/** After the last line Ctrl-C comes. */
export function personTyping(lines: readonly string[], columns = 60): ScriptedPerson {
  const typed = [...lines];
  const shown: string[] = [];
  const dialogue: Dialogue = {
    columns,
    show: (more) => shown.push(...more),
    async read(prompt) {
      const text = typed.shift();
      shown.push(`${prompt}${text ?? '^C'}`);
      return text === undefined ? { kind: 'end' } : { kind: 'line', text };
    },
    strong: (text) => `*${text}*`,
  };
  return {
    dialogue,
    talk: (conversation) => conversation(dialogue),
    shown: () => shown.join('\n'),
    left: () => typed,
  };
}
