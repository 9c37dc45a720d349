import { expect, test } from 'bun:test';
import { createRepeatGuard, repeatLimitError, repeatNotice } from '../../src/agent/repeats.ts';

/** One character a turn: `.` fine, or the length of the circle, with `!` where the run stops. */
function judge(turns: string): string {
  const guard = createRepeatGuard();
  return [...turns]
    .map((turn) => guard.note(turn))
    .map((verdict) =>
      verdict.kind === 'fine' ? '.' : `${verdict.turns}${verdict.kind === 'stop' ? '!' : ''}`,
    )
    .join('');
}

test.each([
  ['the same turn', 'aaaaaa', '..1111!'],
  ['two in turn', 'abababababab', '.......22222!'],
  ['three in turn', 'abcabcabcabcabcabc', '...........3333333!'],
  ['a new turn in between', 'aabaab', '......'],
  ['two in turn after others', 'xyabababab', '.........2'],
  ['four in turn', 'abcd'.repeat(6), '.'.repeat(24)],
  ['no circle', 'abcdefghijklmnopqrstuvwx', '.'.repeat(24)],
  ['a circle that is left', 'abababcababab', '.............'],
  ['one of three that is the same', 'aabaabaabaab', '...........3'],
])('%s', (_, turns, verdicts) => {
  expect(judge(turns)).toBe(verdicts);
});

test('model and person are told of what is repeated', () => {
  expect([
    repeatNotice({ kind: 'fine' }),
    repeatNotice({ kind: 'tell', turns: 1 }),
    repeatNotice({ kind: 'stop', turns: 2 }),
  ]).toEqual([
    undefined,
    '[this call was made several times in a row with the same arguments and the same result; do something else or answer]',
    '[these calls were made several times in turn with the same arguments and the same results; do something else or answer]',
  ]);
  const error = repeatLimitError('s_b', 2);
  expect([error.exit, error.message]).toEqual([
    7,
    'the model made the same 2 turns 6 times in a row, s_b last, with the same arguments and results',
  ]);
});
