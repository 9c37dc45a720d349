/** A session with a scripted host on the real terminal, for pty.test.ts. The state directory is the first argument. */
import { processEnv } from '../../src/base/env.ts';
import { createRepl } from '../../src/repl/repl.ts';
import { openTerminal } from '../../src/repl/terminal.ts';
import { createFakeHost, fakeQuestion, untilAborted } from './fake-host.ts';

const terminal = openTerminal(processEnv());
const repl = createRepl({ terminal, stateDir: process.argv[2], version: '1.0.0' });
const host = createFakeHost(repl, async (text, { emit, ask, signal }) => {
  if (text === 'crash') setTimeout(() => Promise.reject(new Error('crashed')), 0);
  if (text === 'wait') emit({ type: 'text', turn: 1, delta: 'working' });
  if (text === 'crash' || text === 'wait') {
    await untilAborted(signal).catch(() => undefined);
    return { error: { code: 'interrupted', message: 'interrupted', hint: undefined } };
  }
  if (text === 'ask') {
    const answer = await ask.ask(fakeQuestion('read_text', ['  {"path":"a"}']), signal);
    return { answer: `person said ${answer.kind}` };
  }
  if (text === 'progress') {
    const call = { id: '1', server: 'files', tool: 'read_text' };
    emit({ type: 'call_sent', ...call, arguments: { path: 'a' } });
    for (let progress = 1; progress <= 10; progress += 1) {
      emit({
        type: 'call_progress',
        ...call,
        progress: { progress, total: 10, message: undefined },
      });
      await Bun.sleep(Number(process.argv[3] ?? 0));
    }
    emit({
      type: 'call_done',
      id: '1',
      name: 'files_read_text',
      outcome: { kind: 'cancelled', tool: undefined, sent: false, text: '' },
      durationMs: 5,
    });
  }
  for (const word of text.split(/(?<= )/)) emit({ type: 'text', turn: 1, delta: word });
  emit({ type: 'text', turn: 1, delta: ` (${text.length})` });
  return { answer: text };
});
const exit = await repl.run(host, new AbortController().signal).catch((error: Error) => {
  process.stderr.write(`fault: ${error.message}\n`);
  return 70;
});
process.exit(exit);
