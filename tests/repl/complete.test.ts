import { describe, expect, test } from 'bun:test';
import { completeWord } from '../../src/repl/complete.ts';

const WORDS = {
  commands: ['/help', '/tools', '/mcp', '/exit'],
  servers: ['files', 'github', 'gitlab'],
  tools: ['files/read_text', 'files/read_media', 'github/search'],
};

describe('completeWord', () => {
  test.each([
    ['a command', '/he', { from: 0, text: '/help ', choices: [] }],
    ['a server after /tools', '/tools fi', { from: 7, text: 'files ', choices: [] }],
    ['the word after /mcp', '/mcp r', { from: 5, text: 'reconnect ', choices: [] }],
    [
      'a server after /mcp reconnect',
      '/mcp reconnect gith',
      { from: 15, text: 'github ', choices: [] },
    ],
    ['nothing after the last argument', '/tools files fi', { from: 13, text: 'fi', choices: [] }],
    ['what candidates share', 'use files/r', { from: 4, text: 'files/read_', choices: [] }],
    [
      'choices when nothing more is shared',
      'use git',
      { from: 4, text: 'git', choices: ['github', 'gitlab'] },
    ],
    ['nothing on an empty line', '', { from: 0, text: '', choices: [] }],
    ['nothing for an unknown word', 'zzz', { from: 0, text: 'zzz', choices: [] }],
  ])('offers %s', (_, text, completion) => {
    expect(completeWord(text, text.length, WORDS)).toEqual(completion);
  });

  test('looks only at the word before the cursor', () => {
    expect(completeWord('fil and more', 3, WORDS)).toEqual({
      from: 0,
      text: 'files ',
      choices: [],
    });
  });

  test('lists at most 60 choices and counts the rest', () => {
    const servers = Array.from({ length: 75 }, (_, index) => `s${index}`);
    const { choices } = completeWord('s', 1, { ...WORDS, servers });
    expect([choices.length, choices.at(-1)]).toEqual([61, '… 15 more']);
  });
});
