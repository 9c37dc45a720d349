import { describe, expect, test } from 'bun:test';
import { wrapQuoted } from '../../src/base/quoted.ts';
import { registerSecret } from '../../src/base/redact.ts';
import { createQuestion as createFully, createQuestionQueue } from '../../src/permission/ask.ts';
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

const createQuestion = (asked: PermissionRequest) =>
  createFully(asked, { why: 'mcp.permissions: ask', canLast: true, hasChanged: false });

describe('a question', () => {
  test('shows server, original tool, arguments and claims', () => {
    const annotations = { readOnlyHint: true, title: 'W' };
    const { lines, full } = createQuestion(request({ annotations }));
    expect({ lines, full }).toEqual({
      lines: [
        'Allow fs/write-file ?',
        '  | {',
        '  |   "path": "a.txt"',
        '  | }',
        '  the server claims: readOnlyHint: true, title: W',
        '  asked because of mcp.permissions: ask',
      ],
      full: ['  | {', '  |   "path": "a.txt"', '  | }'],
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
      'Allow "fs/rm\\u{202e}\\n" ?',
      '  | {',
      '  |   "k": "a\\u001b[2Jb\\u{200b}c\\u{e0041}",',
      '  |   "s": "x *** y"',
      '  | }',
      '  the server claims: title: \\u{1b}]0;t\\u{7}',
      '  asked because of mcp.permissions: ask',
    ]);
  });

  test('the short form says what it leaves out, the full one is bounded at 64 KiB', () => {
    const list = Array.from({ length: 40 }, (_, index) => index);
    const long = createQuestion(request({ arguments: { list } }));
    expect([long.lines.length, long.lines.at(-2), long.full.length]).toEqual([
      18,
      '  … 29 more lines; v shows all',
      44,
    ]);
    const wide = createQuestion(request({ arguments: { text: 'é'.repeat(100_000) } }));
    expect(wide.lines.at(-2)).toBe('  … long lines are cut; v shows all');
    expect(Math.max(...wide.lines.map((line) => line.length))).toBe(300);
    expect(wide.full.at(-1)).toMatch(/^ {2}… \d+ more characters are not shown$/);
    expect(Buffer.byteLength(wide.full.join('\n'))).toBeLessThan(66 * 1024);
  });
});

describe('on a terminal of any width', () => {
  const lie = 'x ?  Allowed.  Allow fs/read ? [y] once';
  const hostile = createFully(
    request({
      tool: `${lie}${' '.repeat(60)}Allow fs/read ?`,
      arguments: {
        command: `ls ${' '.repeat(220)}Allow fs/read ?`,
        lines: 'a\nAllow fs/read ?\n> y',
        ['k'.repeat(500)]: 'v'.repeat(5000),
      },
      annotations: { title: `${'t '.repeat(90)}\nAllow fs/read ?`, destructiveHint: true },
    }),
    { why: 'config.yaml:3 ask "fs/*" when path: "secrets/*"', canLast: true, hasChanged: true },
  );

  test.each([20, 40, 80, 200])(
    'at %p columns only the question itself starts a line',
    (columns) => {
      const shown = [...hostile.lines, ...hostile.full].flatMap((line) =>
        wrapQuoted(line, columns),
      );
      expect(shown.filter((line) => /^\S/.test(line))).toEqual([
        expect.stringMatching(/^Allow "fs/),
      ]);
      expect(shown.filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
    },
  );

  test('at 40 columns it reads from top to bottom', () => {
    const question = createFully(
      request({
        arguments: { path: 'secrets/deploy-key.txt', content: 'hello' },
        annotations: { readOnlyHint: false, destructiveHint: true },
      }),
      { why: 'config.yaml:3 ask "fs/*" when path: "secrets/*"', canLast: true, hasChanged: true },
    );
    expect(`\n${question.lines.flatMap((line) => wrapQuoted(line, 40)).join('\n')}\n`).toBe(`
Allow fs/write-file ?
  | {
  |   "path": "secrets/deploy-key.txt",
  |   "content": "hello"
  | }
  the server claims: readOnlyHint:
    false, destructiveHint: true
  ! the server says that this may
    destroy or overwrite something
  ! you always allowed an earlier
    form of this tool; it is another one
    now
  asked because of config.yaml:3 ask
    "fs/*" when path: "secrets/*"
`);
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
