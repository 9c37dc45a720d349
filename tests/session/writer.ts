/**
 * A process that holds a conversation of two turns and is killed before its n-th file operation. Each call
 * appends its id to the file `effects`. Arguments: state directory, n, `tear` or nothing.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../src/session/open.ts';
import { createRecorder, type Message } from '../../src/session/recorder.ts';
import { countFiles } from './failing-files.ts';

const NOTHING: ReadonlyMap<string, string> = new Map();
const [stateDir = '', at = '0', tear] = process.argv.slice(2);
const counted = countFiles(Number(at), () => process.kill(process.pid, 'SIGKILL'), tear === 'tear');
const session = await openSession({
  stateDir,
  id: 'a',
  cwd: '/somewhere',
  files: counted.files,
  wallTime: () => Date.now(),
  onProblem: (message) => {
    throw new Error(message);
  },
});
const recorder = createRecorder(session.journal);
const messages: Message[] = [...session.history];
for (const turn of [1, 2]) {
  const calls = [`${turn}a`, `${turn}b`].map((id) => ({ id, name: 'x_do', argumentsText: '{}' }));
  messages.push({ role: 'user', text: `prompt ${turn}` });
  messages.push({ role: 'assistant', text: '', toolCalls: calls, state: undefined });
  session.save(messages, [], NOTHING);
  for (const { id } of calls) {
    await recorder.beforeSend({
      id,
      server: 'x',
      tool: 'do',
      arguments: {},
      origin: 'model',
      isReadOnly: id.endsWith('b'),
    });
    appendFileSync(join(stateDir, 'effects'), `${id}\n`);
    recorder.onEvent({
      type: 'call_done',
      id,
      name: 'x_do',
      durationMs: 1,
      outcome: {
        kind: 'cancelled',
        tool: undefined,
        sent: true,
        text: '',
      },
    });
  }
  messages.push({
    role: 'tool',
    results: calls.map((call) => ({
      callId: call.id,
      name: call.name,
      text: `result ${call.id}`,
      status: 'ok',
    })),
  });
  messages.push({ role: 'assistant', text: `answer ${turn}`, toolCalls: [], state: undefined });
  session.save(messages, [], NOTHING);
}
await session.close();
process.stdout.write(`${counted.count()}\n`);
