import { expect, test } from 'bun:test';
import { type McpServer, type RawReply, startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const MOST_GETS = 8;
const events = (body: string): RawReply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body,
});

test.concurrent.each([
  ['without a byte', ''],
  ['with "retry: 0"', 'retry: 0\n\n'],
  ['with "retry: 0" and an id', 'retry: 0\nid: same\n\n'],
])('a GET stream that always ends at once is given up, and calls work: %s', async (_name, body) => {
  const any = { type: 'object', properties: {} };
  const does = { afterMs: 6000, result: { content: [{ type: 'text', text: 'done' }] } };
  await using server = await startMcpServer({
    get: events(body),
    tools: [tool('slow', 'Takes its time.', any, { does }), tool('echo', 'Echoes.', any)],
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [
      ...callThenAnswer(['s1_slow', {}]).slice(0, 1),
      ...callThenAnswer(['s1_echo', { n: 2 }]),
    ],
  });
  expect([run.code, run.stdout]).toEqual([0, '{"n":2}\n']);
  expect(server.calls()).toHaveLength(2);
  expect(gets(server).length).toBeGreaterThan(0);
  expect(gets(server).length).toBeLessThanOrEqual(MOST_GETS);
  expect(warnings(run.stderr).length).toBeLessThanOrEqual(1);
});

test.concurrent('an answer to resume that is empty each time ends in one clear failure', async () => {
  await using server = await startMcpServer({
    get: events('retry: 0\n\n'),
    instead: { 'tools/call': events('retry: 0\nid: e1\ndata:\n\n') },
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url, tools: ['echo'] }],
    steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
  });
  // Sent and never answered: an exit code of its own.
  expect(run.code).toBe(9);
  expect(run.stdout).toContain('closed the stream without answering tools/call');
  const resumed = gets(server).filter((one) => one.headers['last-event-id'] === 'e1');
  expect(resumed.length).toBeGreaterThan(0);
  expect(resumed.length).toBeLessThanOrEqual(MOST_GETS);
  expect(server.calls()).toHaveLength(1);
  expect(warnings(run.stderr)).toHaveLength(1);
});

function gets(server: McpServer) {
  return server.requests.filter((one) => one.verb === 'GET');
}

function warnings(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('warning:'));
}
