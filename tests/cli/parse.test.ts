import { describe, expect, test } from 'bun:test';
import { UsageError } from '../../src/base/errors.ts';
import { parseLine } from '../../src/cli/parse.ts';

/** The parsed line as plain data. */
function parsed(...words: string[]) {
  const { command, words: rest, flags } = parseLine(words);
  return { command, words: rest, flags: Object.fromEntries(flags) };
}

function problem(...words: string[]): readonly [string, string | undefined] {
  try {
    parseLine(words);
  } catch (error) {
    if (error instanceof UsageError) return [error.message, error.hint];
    throw error;
  }
  throw new Error(`accepted: ${words.join(' ')}`);
}

describe('flags', () => {
  test('stand before and behind the command and its words', () => {
    const expected = {
      command: 'call',
      words: ['s1', 'echo', '{"a":1}'],
      flags: { config: ['f.yaml'], json: [''] },
    } as const;
    expect(parsed('--config', 'f.yaml', 'call', 's1', 'echo', '{"a":1}', '--json')).toEqual(
      expected,
    );
    expect(parsed('call', '--json', 's1', '--config=f.yaml', 'echo', '{"a":1}')).toEqual(expected);
  });

  test('take values behind = with more = in them, and empty ones', () => {
    expect(parsed('--prompt=a=b').flags).toEqual({ prompt: ['a=b'] });
    expect(parsed('--prompt=').flags).toEqual({ prompt: [''] });
  });

  test.each([[['-p', 'hi']], [['-phi']], [['-p=hi']], [['-qp', 'hi']]])(
    'short form %p gives the prompt',
    (words) => {
      expect(parsed(...words).flags['prompt']).toEqual(['hi']);
    },
  );

  test('a lone - is a value and a word, never a flag', () => {
    expect(parsed('-p', '-').flags).toEqual({ prompt: ['-'] });
    expect(parsed('call', 's', 't', '-').words).toEqual(['s', 't', '-']);
  });

  test('a prompt may begin with a dash unless it is a flag', () => {
    expect(parsed('-p', '- one item').flags).toEqual({ prompt: ['- one item'] });
    expect(problem('-p', '--quiet')).toEqual(['-p needs a value: TEXT', undefined]);
  });

  test('-- ends them', () => {
    expect(parsed('call', 's', 't', '--', '--json', '-q')).toEqual({
      command: 'call',
      words: ['s', 't', '--json', '-q'],
      flags: {},
    });
  });

  test('lists are repeatable and split at commas', () => {
    expect(
      parsed('-p', 'x', '--server', 'a,b', '--server=c', '--server', ' d , ').flags['server'],
    ).toEqual(['a', 'b', 'c', 'd']);
    expect(problem('-p', 'x', '--server', ',')).toEqual([
      '--server needs a value: NAME',
      undefined,
    ]);
  });

  test('a header is not split at its commas', () => {
    expect(parsed('tools', 'https://h/', '--header', 'Accept: a, b').flags['header']).toEqual([
      'Accept: a, b',
    ]);
  });

  test.each([
    [['--promt', 'x'], 'unknown flag --promt', 'did you mean --prompt?'],
    [['-x'], 'unknown flag -x', 'usher --help lists the flags'],
    [['--bogus', 'x', '-p', 'y'], 'unknown flag --bogus', 'usher --help lists the flags'],
    [['-p'], '-p needs a value: TEXT', undefined],
    [['-p', 'a', '--prompt', 'b'], '--prompt is given twice', undefined],
    [['-p', 'a', '--json', '--json'], '--json is given twice', undefined],
    [['-p', 'a', '--json=yes'], '--json takes no value', undefined],
    [
      ['-p', 'a', '--output', 'yaml'],
      '--output: expected text, json, stream-json, got "yaml"',
      undefined,
    ],
    [
      ['tools', '--max-turns', '3'],
      '--max-turns does not go with usher tools',
      'usher tools --help lists its flags',
    ],
  ])('%p is refused', (words, message, hint) => {
    expect(problem(...words)).toEqual([message, hint]);
  });
});

describe('commands', () => {
  test.each([
    ['tols', 'did you mean "usher tools"? (a prompt goes behind --prompt or -p)'],
    [
      'summarise',
      'commands are tools, search, call, run, mcp, login, logout, resources, read, prompts, prompt, skills, skill, config, sessions, audit, help (a prompt goes behind --prompt or -p)',
    ],
  ])('%s is unknown', (word, hint) => {
    expect(problem(word)).toEqual([`unknown command "${word}"`, hint]);
  });

  test('none is the run itself', () => {
    expect(parsed()).toEqual({ command: '', words: [], flags: {} });
  });

  test('help is asked for beside flags that do not fit', () => {
    expect(parsed('call', '--help', '--max-turns', '3').command).toBe('call');
  });
});
