/** A person for tests who types given lines and keeps what was shown. */
import { raceAbort } from '../../src/base/abort.ts';
import type { Dialogue, Talk } from '../../src/host/talk.ts';

export interface ScriptedPerson {
  readonly dialogue: Dialogue;
  readonly talk: Talk;
  /** Everything on the screen, prompts with what was typed behind them. */
  shown(): string;
  /** Lines that were not asked for. */
  left(): readonly string[];
}

/** After the last line comes Ctrl-C, or nothing more. */
export function personTyping(
  lines: readonly string[],
  { columns = 60, last = 'end' }: { columns?: number; last?: 'end' | 'silence' } = {},
): ScriptedPerson {
  const typed = [...lines];
  const shown: string[] = [];
  const dialogue: Dialogue = {
    columns,
    show: (more) => shown.push(...more),
    async read(prompt) {
      const text = typed.shift();
      shown.push(`${prompt}${text ?? (last === 'end' ? '^C' : '')}`);
      if (text !== undefined) return { kind: 'line', text };
      if (last === 'silence') await new Promise(() => undefined);
      return { kind: 'end' };
    },
    strong: (text) => `*${text}*`,
  };
  return {
    dialogue,
    talk: (conversation, signal) => raceAbort(conversation(dialogue), signal),
    shown: () => shown.join('\n'),
    left: () => typed,
  };
}
