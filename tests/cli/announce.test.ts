import { expect, test } from 'bun:test';
import { createLog } from '../../src/base/log.ts';
import { registerSecret } from '../../src/base/redact.ts';
import { announceEvents } from '../../src/cli/announce.ts';
import type { HostEvent } from '../../src/host/types.ts';
import { memoryScreen, toolOf } from './fakes.ts';

const sent = (args: Record<string, string>): HostEvent => ({
  type: 'call_sent',
  id: '1',
  server: 's\u001b[1m',
  tool: 't',
  arguments: args,
});
const progress = (done: number, total?: number): HostEvent => ({
  type: 'call_progress',
  id: '1',
  server: 's',
  tool: 't',
  progress: { progress: done, total, message: 'copying\u0007' },
});
const denied: HostEvent = {
  type: 'call_done',
  id: '1',
  name: 's_t',
  outcome: {
    kind: 'denied',
    tool: toolOf('s', 't'),
    by: 'nobody',
    text: 's/t: nobody to ask',
    remedy: '--yes s/t',
  },
  durationMs: 1,
};

function told(
  events: readonly HostEvent[],
  { isTerminal = false, quiet = false, env = { LANG: 'C.UTF-8' } } = {},
): string {
  const { screen, text } = memoryScreen({ isTerminal, env });
  const log = createLog({ level: quiet ? 'warn' : 'info', colour: false, writeLine: screen.line });
  const listener = announceEvents({ screen, log, quiet });
  for (const event of events) listener(event);
  return text();
}

test('a call is announced on one line, control characters and secrets cleaned', () => {
  registerSecret('canary-in-arguments');
  const text = told([sent({ a: 'x\ny\u001b', password: 'p', b: 'canary-in-arguments' })]);
  expect(text).toBe('→ s\\u{1b}[1m/t {"a":"x\\ny\\u001b","password":"***","b":"***"}\n');
});

test('long arguments are cut: to the width at a terminal, to 300 characters elsewhere', () => {
  const long = sent({ a: 'x'.repeat(1000) });
  expect(told([long], { isTerminal: true }).trimEnd().length).toBeLessThan(80);
  expect(told([long]).length).toBe('→ s\\u{1b}[1m/t '.length + 301);
});

test('a name of any length is cut as well', () => {
  const tool = 'x'.repeat(100_000);
  const text = told([{ type: 'call_sent', id: '1', server: 's', tool, arguments: {} }]);
  expect(text).toBe(`→ s/${'x'.repeat(197)}… {}\n`);
});

test('the arrow is ASCII where the locale is not UTF-8', () => {
  expect(told([sent({})], { env: { LANG: 'C' } })).toBe('-> s\\u{1b}[1m/t {}\n');
});

test('progress is one live line at a terminal, with a bar when the total is known', () => {
  const text = told([progress(1), progress(5, 10), denied], { isTerminal: true });
  expect(text).toBe(
    [
      '\r\u001b[K  s/t 1 copying\\u{7}',
      '\r\u001b[K  s/t ██████████░░░░░░░░░░ 50% copying\\u{7}',
      '\r\u001b[K',
      'warning: s/t: nobody to ask\n  --yes s/t\n',
    ].join(''),
  );
});

test('off a terminal progress is not shown, and quiet leaves the warnings', () => {
  expect(told([progress(1, 2)])).toBe('');
  expect(told([sent({}), denied], { quiet: true })).toBe(
    'warning: s/t: nobody to ask\n  --yes s/t\n',
  );
});
