import { expect, test } from 'bun:test';
import { registerSecret } from '../../src/base/redact.ts';
import { scrubEvents } from '../../src/host/scrub-events.ts';
import type { HostEvent } from '../../src/host/types.ts';

const SECRET = 'canary-events-1234';

function rig() {
  registerSecret(SECRET);
  const heard: HostEvent[] = [];
  return { heard, ...scrubEvents((event) => heard.push(event)) };
}

test('a secret that a model spells over several pieces is masked, and nothing else is lost', () => {
  const { heard, onEvent, flush } = rig();
  for (const delta of ['it is can', 'ary-eve', 'nts-1234, I th', 'ink', ' can']) {
    onEvent({ type: 'text', turn: 1, delta });
  }
  flush();
  const text = heard.map((event) => (event.type === 'text' ? event.delta : '?')).join('');
  expect(text).toBe('it is ***, I think can');
});

test('what was held back comes before the next event, with its own turn', () => {
  const { heard, onEvent } = rig();
  onEvent({ type: 'text', turn: 1, delta: 'yes can' });
  onEvent({ type: 'text', turn: 2, delta: '⁂' });
  onEvent({ type: 'retry', turn: 2, notice: `again with ${SECRET}` });
  expect(heard).toEqual([
    { type: 'text', turn: 1, delta: 'yes ' },
    { type: 'text', turn: 1, delta: 'can' },
    { type: 'text', turn: 2, delta: '⁂' },
    { type: 'retry', turn: 2, notice: 'again with ***' },
  ]);
});

test('text that is taken back is not finished', () => {
  const { heard, onEvent, flush } = rig();
  onEvent({ type: 'text', turn: 1, delta: 'can' });
  onEvent({ type: 'text_reset', turn: 1, reason: SECRET });
  flush();
  expect(heard).toEqual([{ type: 'text_reset', turn: 1, reason: '***' }]);
});

test('warnings, arguments and progress hold no secret', () => {
  const { heard, onEvent } = rig();
  const about = { id: '1', server: 's', tool: 't' };
  onEvent({ type: 'warning', message: SECRET, hint: SECRET });
  onEvent({ type: 'call_sent', ...about, arguments: { [SECRET]: [SECRET, 1] } });
  const progress = { progress: 1, total: undefined, message: `at ${SECRET}` };
  onEvent({ type: 'call_progress', ...about, progress });
  expect(heard).toEqual([
    { type: 'warning', message: '***', hint: '***' },
    { type: 'call_sent', ...about, arguments: { '***': ['***', 1] } },
    { type: 'call_progress', ...about, progress: { ...progress, message: 'at ***' } },
  ]);
});
