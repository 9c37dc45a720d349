import { describe, expect, test } from 'bun:test';
import { registerSecret } from '../../src/base/redact.ts';
import { createQuestion, createQuestionQueue } from '../../src/permission/ask.ts';
import type { Answer, PermissionRequest, Question } from '../../src/permission/types.ts';

const request = (more: Partial<PermissionRequest> = {}): PermissionRequest => ({
  server: 'fs',
  tool: 'write-file',
  publicName: 'fs_write_file',
  arguments: { path: 'a.txt' },
  annotations: {},
  origin: 'model',
  ...more,
});

describe('a question', () => {
  test('shows server, original tool, arguments and claims', () => {
    const annotations = { readOnlyHint: true, title: 'W' };
    const { lines, full } = createQuestion(request({ annotations }));
    expect({ lines, full }).toEqual({
      lines: [
        'Allow fs/write-file ?',
        '  {',
        '    "path": "a.txt"',
        '  }',
        '  the server claims: readOnlyHint: true, title: W',
      ],
      full: ['  {', '    "path": "a.txt"', '  }'],
    });
  });

  test('RES-07: makes hidden characters visible and masks secrets, in names and claims as well', () => {
    registerSecret('hunter2-"secret');
    const question = createQuestion(
      request({
        tool: 'rm\u202e\n',
        arguments: { k: 'a\u001b[2Jb\u200bc\u{e0041}', s: 'x hunter2-"secret y' },
        annotations: { title: '\u001b]0;t\u0007' },
      }),
    );
    expect(question.lines).toEqual([
      'Allow fs/rm\\u{202e}\\n ?',
      '  {',
      '    "k": "a\\u001b[2Jb\\u{200b}c\\u{e0041}",',
      '    "s": "x *** y"',
      '  }',
      '  the server claims: title: \\u{1b}]0;t\\u{7}',
    ]);
  });

  test('the short form says what it leaves out, the full one is bounded at 64 KiB', () => {
    const list = Array.from({ length: 40 }, (_, index) => index);
    const long = createQuestion(request({ arguments: { list } }));
    expect([long.lines.length, long.lines.at(-1), long.full.length]).toEqual([
      17,
      '  … 29 more lines; v shows all',
      44,
    ]);
    const wide = createQuestion(request({ arguments: { text: 'é'.repeat(100_000) } }));
    expect(wide.lines.at(-1)).toBe('  … long lines are cut; v shows all');
    expect(Math.max(...wide.lines.map((line) => line.length))).toBe(300);
    expect(wide.full.at(-1)).toMatch(/^ {2}… \d+ more characters are not shown$/);
    expect(Buffer.byteLength(wide.full.join('\n'))).toBeLessThan(66 * 1024);
  });
});

describe('the queue', () => {
  const never = new AbortController().signal;

  function desk() {
    const shown: { readonly question: Question; readonly answer: (answer: Answer) => void }[] = [];
    const queue = createQuestionQueue({
      ask: (question) =>
        new Promise((resolve) => {
          shown.push({ question, answer: resolve });
        }),
    });
    return { shown, queue };
  }
  const tools = (shown: readonly { readonly question: Question }[]) =>
    shown.map(({ question }) => question.tool);

  test('shows one question at a time, in order', async () => {
    const { shown, queue } = desk();
    const first = queue.ask(createQuestion(request({ tool: 'a' })), never);
    const second = queue.ask(createQuestion(request({ tool: 'b' })), never);
    await Bun.sleep(0);
    expect(tools(shown)).toEqual(['a']);
    shown[0]?.answer({ kind: 'yes' });
    expect(await first).toEqual({ kind: 'yes' });
    await Bun.sleep(0);
    expect(tools(shown)).toEqual(['a', 'b']);
    shown[1]?.answer({ kind: 'no' });
    expect(await second).toEqual({ kind: 'no' });
  });

  test('a question whose signal aborts while it waits is never shown, the next one is', async () => {
    const { shown, queue } = desk();
    const controller = new AbortController();
    const first = queue.ask(createQuestion(request({ tool: 'a' })), never);
    const second = queue.ask(createQuestion(request({ tool: 'b' })), controller.signal);
    const third = queue.ask(createQuestion(request({ tool: 'c' })), never);
    await Bun.sleep(0);
    const reason = new Error('stop');
    controller.abort(reason);
    expect(await second.catch((error: unknown) => error)).toBe(reason);
    shown[0]?.answer({ kind: 'yes' });
    await first;
    await Bun.sleep(0);
    expect(tools(shown)).toEqual(['a', 'c']);
    shown[1]?.answer({ kind: 'session' });
    expect(await third).toEqual({ kind: 'session' });
  });
});
