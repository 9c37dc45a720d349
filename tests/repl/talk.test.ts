import { describe, expect, test } from 'bun:test';
import { createRepl } from '../../src/repl/repl.ts';
import { createFakeHost, untilAborted } from './fake-host.ts';
import { createFakeTerminal } from './fake-terminal.ts';

/** A session whose runs wait until they are cancelled, and one conversation in it that asks twice. */
function startTalk(when: 'before' | 'within') {
  const terminal = createFakeTerminal();
  const repl = createRepl({ terminal, stateDir: undefined, version: '1.0.0' });
  const host = createFakeHost(repl, async (_, { signal }) => untilAborted(signal));
  const abort = new AbortController();
  const talk = () =>
    repl.talk(async (dialogue) => {
      dialogue.show([`forge asks (${dialogue.columns}):`]);
      return [await dialogue.read('name > '), await dialogue.read('age > ')];
    }, abort.signal);
  const early = when === 'before' ? talk() : undefined;
  const exit = repl.run(host, new AbortController().signal);
  return { terminal, abort, exit, answers: early ?? talk() };
}

const line = (text: string) => ({ kind: 'line' as const, text });
const end = { kind: 'end' as const };

describe('a conversation in a session', () => {
  test.each(['before', 'within'] as const)('%s the run stands above the prompt', async (when) => {
    const { terminal, exit, answers } = startTalk(when);
    await terminal.shows('name >');
    terminal.type('Ada\r');
    await terminal.shows('age >');
    terminal.type('30\r');
    expect(await answers).toEqual([line('Ada'), line('30')]);
    terminal.type('/exit\r');
    expect(await exit).toBe(0);
    expect(terminal.screen().slice(-4)).toEqual([
      'forge asks (60):',
      'name > Ada',
      'age > 30',
      '> /exit',
    ]);
  });

  test('Ctrl-C ends it and nothing else', async () => {
    const { terminal, exit, answers } = startTalk('before');
    await terminal.shows('name >');
    terminal.type('\x03');
    expect(await answers).toEqual([end, end]);
    terminal.type('/exit\r');
    expect(await exit).toBe(0);
  });

  test('ends with the reason when it is taken back, and the prompt is free', async () => {
    const { terminal, abort, exit, answers } = startTalk('within');
    await terminal.shows('name >');
    abort.abort(new Error('withdrawn'));
    await expect(answers).rejects.toThrow('withdrawn');
    terminal.type('/exit\r');
    expect(await exit).toBe(0);
  });
});
