import { describe, expect, test } from 'bun:test';
import { applyKey, type EditorState, emptyLine } from '../../src/repl/editor.ts';
import { createKeyDecoder } from '../../src/repl/keys.ts';

const LEFT = '\x1b[D';
const RIGHT = '\x1b[C';
const UP = '\x1b[A';
const DOWN = '\x1b[B';
const HOME = '\x1b[H';
const END = '\x1b[F';
const DELETE = '\x1b[3~';

/** The line after these keys, with `|` where the cursor stands. */
function edit(input: string, history: readonly string[] = []): string {
  let state: EditorState = emptyLine;
  for (const key of createKeyDecoder().feed(input)) state = applyKey(state, key, history).state;
  return `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}`;
}

describe('applyKey', () => {
  test.each([
    ['inserts at the cursor', `ac${LEFT}b`, 'ab|c'],
    ['deletes backwards', 'abc\x7f', 'ab|'],
    ['deletes forwards', `abc${HOME}${DELETE}`, '|bc'],
    ['does nothing at the borders', `${LEFT}\x7f${DELETE}${RIGHT}a${RIGHT}`, 'a|'],
    ['moves to the start and the end', `abc\x01x\x05y${HOME}z${END}!`, 'zxabcy!|'],
    ['kills to the end', `one two${LEFT}${LEFT}${LEFT}\x0b`, 'one |'],
    ['kills to the start', `one two${LEFT}${LEFT}${LEFT}\x15`, '|two'],
    ['kills a word up to white space', 'call files/read_text  \x17', 'call |'],
    ['brings the killed text back', 'one two\x17\x19\x19', 'one twotwo|'],
    ['moves by words', `one two-three${'\x1bb'.repeat(2)}`, 'one |two-three'],
    ['treats an emoji sequence as one', `a👨‍👩‍👧b${LEFT}\x7f`, 'a|b'],
    ['treats a letter with its mark as one', 'e\u0301\x7f', '|'],
    ['moves over wide characters', `日本${LEFT}x`, '日x|本'],
    ['keeps the line ends of a paste', 'a\x1b[200~b\nc\x1b[201~d', 'ab\ncd|'],
    ['moves up inside a line of several rows', `ab\x1b\rcd${UP}x`, 'abx|\ncd'],
    ['moves down inside a line of several rows', `ab\x1b\rcd${UP}${HOME}${DOWN}x`, 'ab\nx|cd'],
    ['stays in its row for start and end', `ab\x1b\rcd${UP}\x01x\x05y`, 'xaby|\ncd'],
    ['deletes at the cursor with Ctrl-D when not empty', `ab${HOME}\x04`, '|b'],
  ])('%s', (_, input, line) => {
    expect(edit(input)).toBe(line);
  });

  test('browses the history and comes back to the draft', () => {
    const history = ['first', 'second'];
    expect(edit(`dra${UP}`, history)).toBe('second|');
    expect(edit(`dra${UP}${UP}${UP}`, history)).toBe('first|');
    expect(edit(`dra${UP}${UP}${DOWN}${DOWN}ft`, history)).toBe('draft|');
    expect(edit(`${UP}!${UP}`, history)).toBe('second|');
  });

  test('names the effect of keys that end or leave a line', () => {
    const effectOf = (input: string) => {
      let state: EditorState = emptyLine;
      let effect = '';
      for (const key of createKeyDecoder().feed(input)) {
        const step = applyKey(state, key);
        state = step.state;
        effect = step.effect;
      }
      return effect;
    };
    expect(
      ['a\r', '\x03', '\x04', 'a\x04', '\x0c', '\t', '\x1a'].map((input) => effectOf(input)),
    ).toEqual([
      'submit',
      'interrupt',
      'end_of_input',
      'none',
      'clear_screen',
      'complete',
      'suspend',
    ]);
  });

  test('keeps a line within its bound', () => {
    const step = applyKey(
      { ...emptyLine, text: 'x'.repeat(1024 * 1024 - 1), cursor: 0 },
      { kind: 'paste', text: 'yyy' },
    );
    expect(step.state.text).toBe(`y${'x'.repeat(1024 * 1024 - 1)}`);
  });
});
