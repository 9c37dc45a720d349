import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';

const none = { type: 'object', properties: {} };

test.each([
  ['empty', ''],
  ['a blank', ' '],
  ['null', 'null'],
  ['left out', undefined],
  ['an empty object', '{}'],
])('arguments that are %s mean none, in the call and in the history', async (_name, written) => {
  await using server = await startMcpServer({ tools: [tool('now', 'Now.', none)] });
  const call = { name: 's1_now', ...(written === undefined ? {} : { arguments: written }) };
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [{ toolCalls: [call] }, { text: 'done' }],
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, 'done']);
  expect(server.calls().map((one) => one['arguments'])).toEqual([{}]);
  expect(toolTexts(run.requests)).toEqual(['{}']);
  const turn = run.requests.at(-1)?.seen.turns.find((one) => one.role === 'assistant');
  const history = turn?.role === 'assistant' ? turn.calls.map((one) => one.arguments) : [];
  expect(history).toEqual(['{}']);
});
