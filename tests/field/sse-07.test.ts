import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

const NOISE = [
  ': keepalive\n\n',
  'event: ping\ndata: {}\n\n',
  ': keepalive\n\n',
  'event: heartbeat\ndata: not json\n\n',
  'retry: 5000\n\n',
  'data\n\n',
  ': keepalive\n\n',
  'id: 7\n\n',
  'unknown: field\n\n',
  ':\n\n',
];

test('comments, unknown events and frames without data before the response are ignored', async () => {
  await using server = await startMcpServer({ replyAs: 'sse', before: NOISE, beforeDelayMs: 100 });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url, tools: ['echo'] }],
    steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
  expect(run.stderr).not.toContain('not json');
  expect(run.stderr.toLowerCase()).not.toContain('warning');
});

test('comments count as life: the idle clock of the call starts anew', async () => {
  await using server = await startMcpServer({
    replyAs: 'sse',
    before: Array.from({ length: 12 }, () => ': keepalive\n\n'),
    beforeDelayMs: 250,
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url, timeout: { idle: '1s' } }],
    steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
});
