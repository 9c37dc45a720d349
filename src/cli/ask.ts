/** Asks a person about one call, on their terminal. The host asks one question at a time. */
import { wrapQuoted } from '../base/quoted.ts';
import type { Dialogue } from '../host/talk.ts';
import type { Answer, AskUser, Question } from '../permission/types.ts';
import { type TalkPorts, talkAtTerminal } from './talk.ts';

const ONCE = ['[y] once'];
const LASTING = ['[s] this run', '[a] always'];
const OTHERS = ['[n] no', '[d] no, and say why', '[v] view all'];
const NOBODY: Answer = { kind: 'nobody', reason: 'nobody answered in time' };

/** Ctrl-C and the end of input are a no; an abort of the call rejects with the signal's reason. */
export function askAtTerminal(ports: TalkPorts): AskUser {
  const talk = talkAtTerminal(ports);
  return { ask: (question, signal) => talk((dialogue) => converse(question, dialogue), signal) };
}

async function converse(question: Question, dialogue: Dialogue): Promise<Answer> {
  const [first = '', ...rest] = question.lines;
  const [head = '', ...under] = wrapQuoted(first, dialogue.columns);
  dialogue.show(['', dialogue.strong(head), ...under]);
  showLines(dialogue, rest);
  for (;;) {
    dialogue.show(choices(question, dialogue.columns));
    const typed = await dialogue.read('> ');
    if (typed.kind !== 'line') return typed.kind === 'nobody' ? NOBODY : { kind: 'no' };
    const [word = '', ...rest] = typed.text.trim().split(/\s+/);
    switch (word.toLowerCase()) {
      case 'y':
      case 'yes':
        return { kind: 'yes' };
      case 's':
      case 'session':
        if (question.canLast !== false) return { kind: 'session' };
        break;
      case 'a':
      case 'always':
        if (question.canLast !== false) return { kind: 'always' };
        break;
      case 'n':
      case 'no':
        return { kind: 'no' };
      case 'd':
        return { kind: 'deny', reason: rest.join(' ') || (await askReason(dialogue)) };
      case 'v':
        showLines(dialogue, question.full);
        break;
    }
  }
}

/** As many on a line as fit; none is broken. */
function choices({ canLast = true }: Question, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const choice of [...ONCE, ...(canLast ? LASTING : []), ...OTHERS]) {
    const last = lines.at(-1);
    const joined = last === undefined ? choice : `${last}  ${choice}`;
    if (last === undefined || joined.length > columns) lines.push(choice);
    else lines[lines.length - 1] = joined;
  }
  return lines;
}

async function askReason(dialogue: Dialogue): Promise<string> {
  const typed = await dialogue.read('why? ');
  return typed.kind === 'line' ? typed.text.trim() : '';
}

function showLines(dialogue: Dialogue, lines: readonly string[]): void {
  dialogue.show(lines.flatMap((line) => wrapQuoted(line, dialogue.columns)));
}
