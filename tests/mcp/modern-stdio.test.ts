/** A 2026-07-28 server that is a process: what differs from HTTP. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnknownOutcomeError } from '../../src/base/errors.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../../src/base/json.ts';
import { newFolder } from '../helpers/places.ts';
import { paramsOf } from './modern-server.ts';
import { callTool, failureOf, never, open, stdioEndpoint, until } from './rig.ts';

const script = join(import.meta.dir, '../fixtures/servers/modern-lines.ts');

async function meet() {
  const log = join(newFolder(), 'log');
  const connection = open(stdioEndpoint(process.execPath, [script, log]), {}, { protocol: 'auto' });
  await connection.connect(never);
  const messages = (): readonly JsonObject[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .map((line) => (line === 'start' ? { method: 'start' } : tryParseJson(line)))
      .filter(isJsonObject);
  return {
    connection,
    messages,
    methods: () => messages().map(({ method }) => String(method)),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

test('an abandoned call is cancelled by message', async () => {
  await using met = await meet();
  const control = new AbortController();
  const failing = failureOf(callTool(met.connection, 'hang', {}, { signal: control.signal }));
  await until(() => met.methods().includes('tools/call'));
  control.abort(new Error('Ctrl-C'));
  await failing;
  await until(() => met.methods().includes('notifications/cancelled'));
  const [call, cancelled] = met.messages().slice(-2);
  expect(paramsOf(cancelled ?? {})).toEqual({ requestId: call?.['id'], reason: 'Ctrl-C' });
});

test('marks for headers are of no concern', async () => {
  await using met = await meet();
  const { tools, dropped } = met.connection.status();
  expect([tools.map(({ name }) => name).includes('marked'), dropped]).toEqual([true, []]);
});

test('input and tasks come to their end', async () => {
  await using met = await meet();
  const asked = await callTool(met.connection, 'ask');
  const made = await callTool(met.connection, 'task');
  const [answered] = asked.content;
  expect([answered?.['text'], made.content]).toEqual([
    '[{"roots":{"roots":[{"uri":"file:///tmp","name":"tmp"}]}},"s"]',
    [{ type: 'text', text: 'made' }],
  ]);
});

test('a crash loses the call, and the next process hears of the subscription again', async () => {
  await using met = await meet();
  await met.connection.refresh(never);
  await until(() => met.methods().includes('subscriptions/listen'));
  expect(await failureOf(callTool(met.connection, 'crash'))).toBeInstanceOf(UnknownOutcomeError);
  await callTool(met.connection, 'echo');
  await met.connection.refresh(never);
  await until(() => met.methods().at(-1) === 'subscriptions/listen');
  const once = ['start', 'server/discover', 'tools/list'];
  expect(met.methods()).toEqual([
    ...once,
    ...['subscriptions/listen', 'tools/call'],
    ...once,
    ...['tools/call', 'subscriptions/listen'],
  ]);
  const [listen] = met.messages().slice(-1);
  expect(paramsOf(listen ?? {})['notifications']).toEqual({ toolsListChanged: true });
});
