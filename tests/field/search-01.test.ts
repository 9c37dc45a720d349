import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { offeredTools, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const COUNT = 150;
const schema = {
  type: 'object',
  properties: { id: { type: 'string', description: 'which ledger entry' } },
  required: ['id'],
};
const tools = Array.from({ length: COUNT }, (_, index) =>
  tool(`entry${index + 1}`, `Looks after ledger entry ${index + 1}.`, schema),
);
const call = (args: string) => ({ toolCalls: [{ name: 's1_entry120', arguments: args }] });

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'a tool that was never searched for is explained or run, over %s',
  async (format) => {
    await using server = await startMcpServer({ tools });
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url, exposure: 'deferred' }],
      steps: [call('{}'), call('{"id":"e7"}'), { text: '{{result}}' }],
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, '{"id":"e7"}']);
    expect(run.requests.map((one) => one.status)).toEqual([200, 200, 200]);
    const offered = offeredTools(run.requests);
    expect(offered).toContain('tool_search');
    expect(offered.filter((name) => name.startsWith('s1_'))).toEqual([]);
    const [refusal = '', answer] = toolTexts(run.requests);
    expect(refusal).toContain('id');
    expect(refusal).toContain('which ledger entry');
    expect(refusal).not.toMatch(/unknown tool|no such tool/i);
    expect(answer).toBe('{"id":"e7"}');
    expect(server.calls().map((one) => [one['name'], one['arguments']])).toEqual([
      ['entry120', { id: 'e7' }],
    ]);
  },
);

test('arguments that fit at once are carried out without any search', async () => {
  await using server = await startMcpServer({ tools });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url, exposure: 'deferred' }],
    steps: [call('{"id":"e7"}'), { text: '{{result}}' }],
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"id":"e7"}']);
  expect(run.requests).toHaveLength(2);
  expect(server.calls()).toHaveLength(1);
});

test('an unsearched tool needs approval like any other', async () => {
  await using server = await startMcpServer({ tools });
  const run = await runScripted({
    mcp: { permissions: 'ask' },
    servers: [{ name: 's1', url: server.url, exposure: 'deferred' }],
    steps: [call('{"id":"e7"}'), { text: 'done' }],
  });
  expect([run.code, run.stdout.trim()]).toEqual([5, 'done']);
  expect(server.calls()).toEqual([]);
  const [told = ''] = toolTexts(run.requests);
  expect(told).toContain('s1/entry120');
  expect(told).toContain('approval');
});
