import { describe, expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted } from '../helpers/scripted-run.ts';

describe.each(['whole', 'split'] as const)('a byte order mark at the head, %s', (bom) => {
  test('does not cost the first event of a tool server', async () => {
    await using server = await startMcpServer({ replyAs: 'sse', bom });
    const run = await runScripted({
      servers: [{ name: 's1', url: server.url }],
      steps: callThenAnswer(['s1_echo', { text: 'hi' }]),
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"hi"}']);
  });

  test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
    'does not cost the first event of a model that speaks %s',
    async (format) => {
      const run = await runScripted({ format, steps: [{ bom, text: ['one ', 'two'] }] });
      expect([run.code, run.stdout.trim()]).toEqual([0, 'one two']);
    },
  );
});

test('a byte order mark later in the stream is left alone', async () => {
  await using server = await startMcpServer({ replyAs: 'sse', forgedAfterMark: true });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_echo', { text: 'real' }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"text":"real"}']);
});
