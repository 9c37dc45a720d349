import { expect, test } from 'bun:test';
import { EventEmitter } from 'node:events';
import { watchSignals } from '../../src/cli/signals.ts';
import { manualClock } from './fakes.ts';

function watch() {
  const source = new EventEmitter();
  const clock = manualClock();
  const log: string[] = [];
  const interrupts = watchSignals({ source, clock, exit: (code) => log.push(`exit ${code}`) });
  interrupts.onKill(() => log.push('kill'));
  return { source, clock, log, interrupts };
}

test.each([
  ['SIGINT', 130],
  ['SIGQUIT', 131],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const)('the first %s cancels, the second kills and ends with %d', (name, exit) => {
  const { source, log, interrupts } = watch();
  source.emit(name);
  expect([interrupts.signal.reason.exit, log]).toEqual([exit, []]);
  source.emit(name);
  expect(log).toEqual(['kill', `exit ${exit}`]);
});

test('an end that hangs is cut off after 5 s', () => {
  const { source, clock, log } = watch();
  source.emit('SIGTERM');
  clock.advance(4999);
  expect(log).toEqual([]);
  clock.advance(1);
  expect(log).toEqual(['kill', 'exit 143']);
});

test('a question takes Ctrl-C, and gives it back', () => {
  const { source, interrupts } = watch();
  let answers = 0;
  const release = interrupts.takeSigint(() => {
    answers += 1;
  });
  source.emit('SIGINT');
  expect([answers, interrupts.signal.aborted]).toEqual([1, false]);
  release();
  source.emit('SIGINT');
  expect([answers, interrupts.signal.aborted]).toEqual([1, true]);
});

test('a second Ctrl-C within 2 s ends the run, whatever is asked by then', () => {
  const { source, clock, interrupts } = watch();
  let answers = 0;
  interrupts.takeSigint(() => {
    answers += 1;
  });
  source.emit('SIGINT');
  clock.advance(2000);
  source.emit('SIGINT');
  expect([answers, interrupts.signal.aborted]).toEqual([2, false]);
  clock.advance(1999);
  source.emit('SIGINT');
  expect([answers, interrupts.signal.reason?.exit]).toEqual([2, 130]);
});

test('after dispose nothing is watched and no timer is left', () => {
  const { source, clock, log, interrupts } = watch();
  source.emit('SIGINT');
  interrupts.dispose();
  clock.advance(10_000);
  expect([log, source.eventNames()]).toEqual([[], []]);
});
