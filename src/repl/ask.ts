/**
 * The permission question in a session: shown above a line of its own, answered by a whole line, so that
 * a letter typed for something else never allows anything. One at a time.
 */
import { assertNever } from '../base/errors.ts';
import { wrapQuoted } from '../base/quoted.ts';
import type { Answer, AskUser, Question } from '../permission/types.ts';
import type { Input, LineResult } from './input.ts';
import type { HeldScreen, Screen } from './screen.ts';

const CHOICES = '  y once, s session, a always, n no, d no and say why, v view everything';
const PROMPT = 'Allow? [y/s/a/n/d/v] ';
const CHOICES_ONCE = '  y once, n no, d no and say why, v view everything';
const PROMPT_ONCE = 'Allow? [y/n/d/v] ';
const WHY = 'Why not? ';

type Choice =
  | { readonly kind: 'yes' | 'session' | 'always' | 'no' | 'view' | 'unclear' }
  | { readonly kind: 'deny'; readonly reason: string };

/** Asks at the terminal; `columns` is its width. Ctrl-C and end of input are `no`; an aborted question rejects with the signal's reason. */
export function createAsk(input: Input, screen: Screen, columns: () => number): AskUser {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask(question, signal) {
      const turn = last.then(() => askOnce(question, { input, screen, columns, signal }));
      // The next question waits for this one's end, whatever it was.
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

interface AskDeps {
  readonly input: Input;
  readonly columns: () => number;
  readonly signal: AbortSignal;
}

async function askOnce(
  question: Question,
  { screen, ...deps }: AskDeps & { readonly screen: Screen },
): Promise<Answer> {
  deps.signal.throwIfAborted();
  const held = screen.hold();
  try {
    return await converse(question, deps, held);
  } finally {
    held.release();
  }
}

async function converse(question: Question, deps: AskDeps, held: HeldScreen): Promise<Answer> {
  const { signal } = deps;
  const show = (lines: readonly string[]) =>
    held.print(lines.flatMap((line) => wrapQuoted(line, deps.columns())).join('\n'));
  const canLast = question.canLast ?? true;
  show(['', ...question.lines, canLast ? CHOICES : CHOICES_ONCE]);
  for (;;) {
    const choice = choiceOf(await readLine(canLast ? PROMPT : PROMPT_ONCE, deps), canLast);
    signal.throwIfAborted();
    switch (choice.kind) {
      case 'yes':
      case 'session':
      case 'always':
      case 'no':
        return { kind: choice.kind };
      case 'deny':
        return choice.reason === '' ? askReason(deps) : choice;
      case 'view':
        show(question.full);
        break;
      case 'unclear':
        held.print(
          `  Please answer ${canLast ? 'y, s, a, n, d or v' : 'y, n, d or v'}, then Enter.`,
        );
        break;
      default:
        return assertNever(choice);
    }
  }
}

async function askReason(deps: AskDeps): Promise<Answer> {
  const line = await readLine(WHY, deps);
  deps.signal.throwIfAborted();
  const reason = line.kind === 'line' ? line.text.trim() : '';
  return reason === '' ? { kind: 'no' } : { kind: 'deny', reason };
}

function readLine(prompt: string, { input, signal }: AskDeps): Promise<LineResult> {
  return input.read({ prompt, history: [], complete: undefined, takesTypeAhead: false, signal });
}

/** Only the letter or the word itself counts, but for `d`, which may bring its reason. */
function choiceOf(line: LineResult, canLast: boolean): Choice {
  if (line.kind !== 'line') return { kind: 'no' };
  const text = line.text.trim();
  const denied = /^d(?:eny)?(?:\s+(.*))?$/is.exec(text);
  if (denied !== null) return { kind: 'deny', reason: denied[1] ?? '' };
  switch (text.toLowerCase()) {
    case 'y':
    case 'yes':
      return { kind: 'yes' };
    case 's':
    case 'session':
      return { kind: canLast ? 'session' : 'unclear' };
    case 'a':
    case 'always':
      return { kind: canLast ? 'always' : 'unclear' };
    case 'n':
    case 'no':
      return { kind: 'no' };
    case 'v':
    case 'view':
      return { kind: 'view' };
    default:
      return { kind: 'unclear' };
  }
}
