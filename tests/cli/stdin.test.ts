import { describe, expect, test } from 'bun:test';
import type { StdinMode } from '../../src/cli/options.ts';
import { FIRST_BYTE_MS, MAX_STDIN_BYTES, readPrompt } from '../../src/cli/stdin.ts';
import { manualClock, silence, stdinOf } from './fakes.ts';

interface Given {
  readonly flag?: string;
  readonly mode?: StdinMode;
  readonly stdin?: ReturnType<typeof stdinOf>;
}

/** The prompt, and what was warned about; time stands still until `advance`. */
function start({ flag, mode = 'auto', stdin = stdinOf([]) }: Given) {
  const warnings: string[] = [];
  const clock = manualClock();
  const prompt = readPrompt({
    flag,
    mode,
    stdin,
    clock,
    warn: (message, hint) => warnings.push(`${message} | ${hint ?? ''}`),
  });
  return { prompt, warnings, clock };
}

describe('without -p', () => {
  test('piped text is the prompt, however it is cut', async () => {
    const bytes = new TextEncoder().encode('grüße');
    const stdin = stdinOf([bytes.subarray(0, 3), bytes.subarray(3)]);
    expect(await start({ stdin }).prompt).toBe('grüße');
  });

  test.each([[[]], [['']], [[' \n\t']]])('%p is no prompt', async (pieces) => {
    await expect(start({ stdin: stdinOf(pieces) }).prompt).rejects.toThrow(
      'no prompt: stdin is empty',
    );
  });

  test('a terminal gives none', async () => {
    expect(await start({ stdin: stdinOf(['x'], true) }).prompt).toBeUndefined();
  });
});

describe('with -p -', () => {
  test('stdin is the prompt', async () => {
    expect(await start({ flag: '-', stdin: stdinOf(['hello']) }).prompt).toBe('hello');
  });

  test('an empty one is refused, and so is --stdin off', async () => {
    await expect(start({ flag: '-' }).prompt).rejects.toThrow('stdin holds no prompt');
    await expect(start({ flag: '-', mode: 'off' }).prompt).rejects.toThrow('exclude each other');
  });
});

describe('with -p TEXT', () => {
  test('piped text follows it as context', async () => {
    expect(await start({ flag: 'summarise', stdin: stdinOf(['a', 'b']) }).prompt).toBe(
      'summarise\n\nab',
    );
  });

  test('nothing or white space on stdin changes nothing', async () => {
    expect(await start({ flag: 'hi', stdin: stdinOf([]) }).prompt).toBe('hi');
    expect(await start({ flag: 'hi', stdin: stdinOf(['\n']) }).prompt).toBe('hi');
  });

  test('an open, silent pipe is left after a second with one warning', async () => {
    const { prompt, warnings, clock } = start({ flag: 'hi', stdin: stdinOf([silence()]) });
    clock.advance(FIRST_BYTE_MS - 1);
    expect(await Promise.race([prompt, Promise.resolve('waiting')])).toBe('waiting');
    clock.advance(1);
    expect(await prompt).toBe('hi');
    expect(warnings).toEqual([
      'stdin is open but silent, so it is left out | use --stdin wait to read it to its end, or </dev/null',
    ]);
  });

  test('what cannot be read is left out with a warning; without a prompt it is a failure', async () => {
    const broken = () => stdinOf([Promise.reject(new Error('EISDIR: a directory'))]);
    const { prompt, warnings } = start({ flag: 'hi', stdin: broken() });
    expect(await prompt).toBe('hi');
    expect(warnings).toEqual(['stdin cannot be read, so it is left out | ']);
    await expect(start({ stdin: broken() }).prompt).rejects.toThrow('EISDIR: a directory');
  });

  test('--stdin off does not look at it, a terminal is not read', async () => {
    expect(await start({ flag: 'hi', mode: 'off', stdin: stdinOf(['x']) }).prompt).toBe('hi');
    expect(await start({ flag: 'hi', stdin: stdinOf([silence()], true) }).prompt).toBe('hi');
  });

  test('--stdin wait waits for the first byte', async () => {
    const late = Promise.withResolvers<never>();
    const { prompt, clock } = start({
      flag: 'hi',
      mode: 'wait',
      stdin: stdinOf([late.promise, 'x']),
    });
    clock.advance(FIRST_BYTE_MS * 100);
    expect(await Promise.race([prompt, Promise.resolve('waiting')])).toBe('waiting');
    late.reject(new Error('EIO: gone'));
    await expect(prompt).rejects.toThrow('stdin cannot be read: EIO: gone');
  });

  test('an empty text is refused', async () => {
    await expect(start({ flag: ' ' }).prompt).rejects.toThrow('the prompt is empty');
  });
});

test('bytes that are not UTF-8 and NUL are replaced, with a warning for the former', async () => {
  const { prompt, warnings } = start({ stdin: stdinOf([Uint8Array.of(65, 0xff, 0, 66)]) });
  expect(await prompt).toBe('A\ufffd\ufffdB');
  expect(warnings).toEqual([
    'stdin is not valid UTF-8: the bytes that are not are shown to the model as \ufffd | ',
  ]);
});

test('16 MiB are read, one byte more is refused', async () => {
  const whole = new Uint8Array(MAX_STDIN_BYTES).fill(97);
  expect((await start({ stdin: stdinOf([whole]) }).prompt)?.length).toBe(MAX_STDIN_BYTES);
  await expect(start({ stdin: stdinOf([whole, 'b']) }).prompt).rejects.toThrow(
    'stdin is longer than 16 MiB',
  );
});
