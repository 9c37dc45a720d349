import { expect, test } from 'bun:test';
import { askAtTerminal } from '../../src/cli/ask.ts';
import type { Person } from '../../src/cli/person.ts';
import type { Question } from '../../src/permission/types.ts';
import { manualClock, memoryScreen, silence } from './fakes.ts';

const question: Question = {
  server: 's',
  tool: 't',
  publicName: 's_t',
  arguments: {},
  annotations: {},
  origin: 'model',
  lines: ['Allow s/t ?'],
  full: ['all of it'],
};

/** Asks once; the person types the lines, then `last` happens. */
function ask(
  lines: readonly string[],
  last: 'end' | 'silence' = 'silence',
  asked: Question = question,
) {
  const clock = manualClock();
  const controller = new AbortController();
  const typed = [...lines];
  let shown = '';
  let sigint: (() => void) | undefined;
  const person: Person = {
    show: (text) => {
      shown += text;
    },
    discardTyped: () => undefined,
    readLine: (signal) => {
      const line = typed.shift();
      if (line !== undefined) return Promise.resolve(line);
      if (last === 'end') return Promise.resolve(undefined);
      signal.addEventListener('abort', () => undefined);
      return silence();
    },
    close: () => undefined,
  };
  const asker = askAtTerminal({
    person,
    screen: memoryScreen().screen,
    clock,
    takeSigint(handler) {
      sigint = handler;
      return () => {
        sigint = undefined;
      };
    },
  });
  const answer = asker.ask(asked, controller.signal);
  answer.catch(() => undefined);
  return { answer, clock, controller, shown: () => shown, sigint: () => sigint };
}

test.each([
  [['y'], { kind: 'yes' }],
  [[' YES '], { kind: 'yes' }],
  [['s'], { kind: 'session' }],
  [['n'], { kind: 'no' }],
  [['d not on my machine'], { kind: 'deny', reason: 'not on my machine' }],
  [['d', ' because '], { kind: 'deny', reason: 'because' }],
  [['a'], { kind: 'always' }],
  [['', 'x', 'yy', 'y'], { kind: 'yes' }],
] as const)('%p answers', async (lines, expected) => {
  expect(await ask([...lines]).answer).toEqual({ ...expected });
});

test('the question is shown, and all of it on v', async () => {
  const { answer, shown } = ask(['v', 'n']);
  await answer;
  const choices =
    '[y] once  [s] this run  [a] always  [n] no  [d] no, and say why  [v] view all\n> ';
  expect(shown()).toBe(`\nAllow s/t ?\n${choices}all of it\n${choices}`);
});

test('the end of input and Ctrl-C are a no, and Ctrl-C is free again afterwards', async () => {
  expect(await ask([], 'end').answer).toEqual({ kind: 'no' });
  const asked = ask([]);
  asked.sigint()?.();
  expect(await asked.answer).toEqual({ kind: 'no' });
  expect(asked.sigint()).toBeUndefined();
});

test('nobody answers in 10 minutes', async () => {
  const { answer, clock, shown } = ask([]);
  clock.advance(10 * 60_000);
  expect(await answer).toEqual({ kind: 'nobody', reason: 'nobody answered in time' });
  expect(shown()).toEndWith('all\n> \n');
});

test('an aborted call takes its question back', async () => {
  const { answer, controller, shown } = ask([]);
  controller.abort(new Error('cancelled'));
  await expect(answer).rejects.toThrow('cancelled');
  expect(shown()).toEndWith('all\n> \n');
});

test('where no answer lasts, s and a are not offered and are no answer', async () => {
  const { answer, shown } = ask(['s', 'a', 'y'], 'silence', { ...question, canLast: false });
  expect(await answer).toEqual({ kind: 'yes' });
  const choices = '[y] once  [n] no  [d] no, and say why  [v] view all\n> ';
  expect(shown()).toBe(`\nAllow s/t ?\n${choices.repeat(3)}`);
});
