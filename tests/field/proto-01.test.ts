import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, offeredTools, runScripted } from '../helpers/scripted-run.ts';

const any = { type: 'object', properties: {} };

test('all pages of a list are read, with cursors sent back exactly', async () => {
  const tools = Array.from({ length: 95 }, (_, index) => tool(`t${index}`, 'One.', any));
  const cursors = ['a==', 'b+/c?&=%20', 'ü–漢字 "quoted"\\'];
  await using server = await startMcpServer({ tools, pageSize: 30, cursors });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_t94', { last: true }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"last":true}']);
  expect(offeredTools(run.requests)).toHaveLength(95);
  const lists = server.requests.filter((one) => one.method === 'tools/list');
  const sent = lists.map((one) => (one.message['params'] as { cursor?: string })?.cursor);
  expect(sent).toEqual([undefined, ...cursors]);
});

test.each([
  ['comes back', ['again', 'again']],
  ['is empty', ['']],
])('a cursor that %s ends the list without losing what was read', async (_name, cursors) => {
  const tools = Array.from({ length: 6 }, (_, index) => tool(`t${index}`, 'One.', any));
  await using server = await startMcpServer({ tools, pageSize: 2, cursors });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_t0', { first: true }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"first":true}']);
  expect(server.methods().filter((name) => name === 'tools/list').length).toBeLessThan(5);
});
