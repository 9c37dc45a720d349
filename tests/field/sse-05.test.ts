import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher } from '../helpers/usher.ts';

const any = { type: 'object', properties: {} };
/** Six bytes a unit, so that slices of 700 end at every place inside the emoji. */
const pattern = 'ab😀';

function patternOf(length: number): string {
  return pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
}

test('a 48 KB result in slices of 700 bytes reaches the model unchanged', async () => {
  const length = 48_000;
  await using server = await startMcpServer({
    replyAs: 'sse',
    sliceBytes: 700,
    tools: [tool('big', 'Big.', any, { does: { big: { length, pattern } } })],
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [...callThenAnswer(['s1_big', {}]).slice(0, 1), { text: 'done' }],
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, 'done']);
  expect(toolTexts(run.requests)).toEqual([patternOf(length)]);
});

test.each([
  ['64 KB in slices of 700 bytes', 64 * 1024, { sliceBytes: 700, sliceDelayMs: 2 }],
  ['8 MB in slices of 60,001 bytes', 8 * 1024 ** 2, { sliceBytes: 60_001, sliceDelayMs: 0 }],
  ['8 MB in one piece', 8 * 1024 ** 2, {}],
])('one event of %s is handed on byte for byte', async (_name, length, slices) => {
  await using server = await startMcpServer({
    replyAs: 'sse',
    ...slices,
    tools: [tool('big', 'Big.', any, { does: { big: { length: length / 2, pattern } } })],
  });
  const run = await runUsher(['call', 's1', 'big', '--json'], {
    config: { servers: [{ name: 's1', url: server.url }] },
  });
  expect(run.code).toBe(0);
  const sent = { content: [{ type: 'text', text: patternOf(length / 2) }] };
  expect(Bun.hash(JSON.stringify(JSON.parse(run.stdout)))).toBe(Bun.hash(JSON.stringify(sent)));
  expect(run.ms).toBeLessThan(6000);
});
