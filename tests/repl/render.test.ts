import { describe, expect, test } from 'bun:test';
import { AuthError, FailedError, UnknownOutcomeError } from '../../src/base/errors.ts';
import type { CallOutcome } from '../../src/calls/types.ts';
import type { ServerStatus } from '../../src/mcp/types.ts';
import {
  createPaint,
  errorLines,
  renderCall,
  renderDone,
  renderProgress,
  renderServerChange,
} from '../../src/repl/render.ts';
import { fakeServer, fakeTool } from './fake-host.ts';

const plain = createPaint(false);
const tool = fakeTool('files', 'read_text');
const result = { content: [], structuredContent: undefined, isError: false, raw: {} };

describe('renderCall', () => {
  test('masks secret names, escapes and cuts the arguments', () => {
    const call = {
      type: 'call_sent',
      id: '1',
      server: 'files',
      tool: 'write\u200b\x1b[2J',
      arguments: { login: { password: 'hunter2' }, text: `a\n\u202e${'x'.repeat(600)}` },
    } as const;
    const line = renderCall(call, plain);
    expect(line).toStartWith(
      '→ files/write\\u{200b}\\u{1b}[2J {"login":{"password":"***"},"text":"a\\n\\u{202e}xxx',
    );
    expect(line).toEndWith('xxx…');
    expect(line.length).toBeLessThan(560);
  });
});

describe('renderDone', () => {
  const rendered = { text: 'no such file\nmore', artifacts: [], omittedCharacters: 0 };
  const artifact = { path: '/state/a.png', mimeType: 'image/png', bytes: 12 };
  test.each<[string, CallOutcome, string]>([
    [
      'a result with a saved file',
      {
        kind: 'result',
        tool,
        result,
        rendered: { ...rendered, isError: false, artifacts: [artifact] },
      },
      '✓ files/read_text 12 ms\n  saved image/png, 12 bytes: /state/a.png',
    ],
    [
      'an error result by its first line',
      { kind: 'result', tool, result, rendered: { ...rendered, isError: true } },
      '✗ files/read_text 12 ms: no such file',
    ],
    [
      "a person's no",
      { kind: 'denied', tool, by: 'person', text: 'denied', remedy: undefined },
      '✗ files/read_text 12 ms: you said no',
    ],
    [
      'a rule',
      { kind: 'denied', tool, by: 'rule', text: 'denied by rule x', remedy: '--yes' },
      '✗ files/read_text 12 ms: denied by rule x',
    ],
    [
      'a failure',
      { kind: 'failed', tool, text: 'for the model', error: new FailedError('gone\x07') },
      '✗ files/read_text 12 ms: gone\\u{7}',
    ],
    [
      'an unknown outcome',
      { kind: 'unknown', tool, text: 'sent, not answered', error: new UnknownOutcomeError('x') },
      '✗ files/read_text 12 ms: sent, not answered',
    ],
    [
      'a cancelled call',
      { kind: 'cancelled', tool: undefined, sent: false, text: 'x' },
      '✗ files/read_text 12 ms: cancelled',
    ],
  ])('shows %s', (_, outcome, shown) => {
    const done = { type: 'call_done', id: '1', name: 'n', outcome, durationMs: 12.3 } as const;
    expect(renderDone(done, 'files/read_text', plain)).toBe(shown);
  });
});

describe('renderProgress', () => {
  test.each([
    [{ progress: 0.123456, total: undefined, message: undefined }, '  f/t 0.12'],
    [{ progress: 3, total: 0, message: 'busy' }, '  f/t 3 busy'],
    [{ progress: 9, total: 4, message: undefined }, '  f/t ████████████████████ 9/4'],
    [{ progress: -1, total: 4, message: undefined }, '  f/t ░░░░░░░░░░░░░░░░░░░░ -1/4'],
    [{ progress: 1, total: 2, message: undefined }, '  f/t ██████████░░░░░░░░░░ 1/2'],
  ])('draws %p', (progress, line) => {
    expect(renderProgress('f/t', progress)).toBe(line);
  });
});

describe('renderServerChange', () => {
  test('shows a failure with its text and is silent on the way', () => {
    const error = new FailedError('exited with 1; its stderr ends:\nno such file\x07');
    const login = new FailedError('401', { hint: 'set GITHUB_TOKEN' });
    const shown = (change: Partial<ServerStatus>) =>
      renderServerChange(fakeServer('files', change), plain);
    expect([
      shown({ state: 'connecting' }),
      shown({ state: 'discovering' }),
      shown({ state: 'ready' }),
      shown({ state: 'closed', error }),
      shown({ state: 'failed', error }),
      shown({ state: 'needs_auth', error: login }),
    ]).toEqual([
      undefined,
      undefined,
      '● files is ready, 2 tools',
      undefined,
      '✗ files failed\n    exited with 1; its stderr ends:\n    no such file\\u{7}\n    /mcp reconnect files',
      '! files needs a token\n    401\n    set GITHUB_TOKEN',
    ]);
  });
});

describe('createPaint', () => {
  test('colours only where wanted', () => {
    expect([createPaint(true)('x', 'bad'), plain('x', 'bad')]).toEqual(['\x1b[31mx\x1b[0m', 'x']);
  });
});

test('a server that needs a sign-in names the command of the session', () => {
  const error = new AuthError('server "s1" needs a sign-in (401)', {
    hint: 'usher mcp login s1',
    details: { status: 401, signIn: true },
  });
  expect(errorLines({ ...fakeServer('s1'), state: 'needs_auth', error })).toEqual([
    '    server "s1" needs a sign-in (401)',
    '    /mcp login s1',
  ]);
});
