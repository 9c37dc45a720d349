import { describe, expect, test } from 'bun:test';
import { runScripted } from '../helpers/scripted-run.ts';
import type { StdinKind } from '../helpers/usher.ts';
import { runUsher } from '../helpers/usher.ts';

const seesPrompt = [{ text: 'seen: {{prompt}}' }];

describe('a prompt on the command line does not wait for stdin', () => {
  test.each<[string, StdinKind]>([
    ['a silent pipe', 'silent'],
    ['a named pipe held open', 'fifo'],
    ['a closed descriptor', 'closed'],
    ['/dev/null', 'nothing'],
    ['an empty pipe', { bytes: '' }],
  ])('%s', async (_name, stdin) => {
    const run = await runScripted({ steps: seesPrompt, prompt: 'hi', stdin });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'seen: hi']);
    expect(run.ms).toBeLessThan(4000);
  });

  test('a silent pipe is mentioned once, with the flag that waits', async () => {
    const run = await runScripted({ steps: seesPrompt, prompt: 'hi', stdin: 'silent' });
    expect(run.stderr.match(/--stdin wait/g)).toHaveLength(1);
  });
});

describe('piped text', () => {
  test('is added to the prompt on the command line', async () => {
    const run = await runScripted({
      steps: seesPrompt,
      prompt: 'summarise',
      stdin: { bytes: 'the data\n' },
    });
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/summarise[\s\S]*the data/)]);
  });

  test.each([
    ['without a prompt', []],
    ['with --prompt -', ['--prompt', '-']],
  ])('is the prompt %s', async (_name, args) => {
    const run = await runScripted({ steps: seesPrompt, args, stdin: { bytes: 'hi\n' } });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'seen: hi']);
  });

  test('of 5 MB arrives whole', async () => {
    const bytes = 'x'.repeat(5 * 1024 ** 2);
    const run = await runScripted({
      steps: [{ text: 'ok' }],
      prompt: 'count',
      stdin: { bytes },
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'ok']);
    const turn = run.requests[0]?.seen.turns.at(-1);
    const sent = turn?.role === 'user' ? turn.text.match(/x+/)?.[0].length : 0;
    expect(sent).toBe(bytes.length);
  });

  test('that is no UTF-8 is replaced, not fatal', async () => {
    const bytes = new Uint8Array([0x68, 0x69, 0xff, 0xfe, 0x00, 0xc3, 0x28]);
    const run = await runScripted({ steps: [{ text: 'ok' }], prompt: 'look', stdin: { bytes } });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'ok']);
  });
});

describe('no prompt at all', () => {
  test.each<[string, string[], StdinKind]>([
    ['an empty text', ['--prompt', ''], 'nothing'],
    ['blanks', ['--prompt', '  \n'], 'nothing'],
    ['nothing and /dev/null', [], 'nothing'],
    ['nothing and a closed descriptor', [], 'closed'],
    ['an empty pipe', [], { bytes: '' }],
    ['blank lines in a pipe', ['--prompt', '-'], { bytes: ' \n\n' }],
  ])('%s is a usage error', async (_name, args, stdin) => {
    const run = await runUsher(args, { stdin, config: {} });
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr.toLowerCase()).toContain('usage');
  });
});
