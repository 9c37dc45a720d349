/**
 * The permission question in a session: shown above a line of its own, answered by a whole line, so that
 * a letter typed for something else never allows anything. One at a time.
 */
import { assertNever } from '../base/errors.ts';
import type { Answer, AskUser, Question } from '../permission/types.ts';
import type { Input, LineResult } from './input.ts';
import type { Screen } from './screen.ts';

const CHOICES = '  y once, s for this session, n no, d no and say why, v view all arguments';
const PROMPT = 'Allow? [y/s/n/d/v] ';
const WHY = 'Why not? ';

type Choice = 'yes' | 'session' | 'no' | 'deny' | 'view' | 'unclear';

/** Asks at the terminal. Ctrl-C and end of input are `no`; an aborted question rejects with the signal's reason. */
export function createAsk(input: Input, screen: Screen): AskUser {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask(question, signal) {
      const turn = last.then(() => askOnce(question, { input, screen, signal }));
      // The next question waits for this one's end, whatever it was.
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

interface AskDeps {
  readonly input: Input;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

async function askOnce(question: Question, deps: AskDeps): Promise<Answer> {
  const { screen, signal } = deps;
  signal.throwIfAborted();
  screen.print(['', ...question.lines, CHOICES].join('\n'));
  for (;;) {
    const choice = choiceOf(await readLine(PROMPT, deps));
    signal.throwIfAborted();
    switch (choice) {
      case 'yes':
      case 'session':
      case 'no':
        return { kind: choice };
      case 'deny':
        return askReason(deps);
      case 'view':
        screen.print(question.full.join('\n'));
        break;
      case 'unclear':
        screen.print('  Please answer y, s, n, d or v, then Enter.');
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

function choiceOf(line: LineResult): Choice {
  if (line.kind !== 'line') return 'no';
  switch (line.text.trim().toLowerCase()) {
    case 'y':
    case 'yes':
      return 'yes';
    case 's':
    case 'session':
      return 'session';
    case 'n':
    case 'no':
      return 'no';
    case 'd':
    case 'deny':
      return 'deny';
    case 'v':
    case 'view':
      return 'view';
    default:
      return 'unclear';
  }
}
