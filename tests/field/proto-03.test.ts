import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, offeredTools, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const nulls = {
  title: null,
  description: null,
  annotations: null,
  outputSchema: null,
  icons: null,
  execution: null,
  _meta: null,
};

test('null counts as absent wherever the protocol says optional', async () => {
  await using server = await startMcpServer({
    nullEnvelopes: true,
    capabilities: { tools: null, logging: null, experimental: null },
    listExtra: { nextCursor: null, _meta: null },
    tools: [
      {
        definition: {
          name: 'plain',
          ...nulls,
          inputSchema: { type: 'object', properties: null, required: null },
        },
      },
      { definition: { name: 'bare', ...nulls, inputSchema: { type: 'object' } } },
      {
        definition: { name: 'broken', ...nulls, inputSchema: { type: 'object' } },
        does: { error: { code: -32_000, message: 'no luck', data: null } },
      },
      {
        definition: { name: 'hollow', ...nulls, inputSchema: { type: 'object' } },
        does: {
          result: {
            content: [{ type: 'text', text: 'full', annotations: null, _meta: null }],
            structuredContent: null,
            isError: null,
            _meta: null,
          },
        },
      },
    ],
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_plain', { a: 1 }], ['s1_broken', {}], ['s1_hollow', {}]),
  });
  expect(run.code).toBe(0);
  expect(offeredTools(run.requests).sort()).toEqual([
    's1_bare',
    's1_broken',
    's1_hollow',
    's1_plain',
  ]);
  const [plain, broken, hollow] = toolTexts(run.requests);
  expect([plain, hollow]).toEqual(['{"a":1}', 'full']);
  expect(broken).toContain('no luck');
});

test('a tool that cannot be used is left out by name, the others stay', async () => {
  await using server = await startMcpServer({
    tools: [
      { definition: { name: 'good', inputSchema: { type: 'object' } } },
      { definition: { name: null, inputSchema: { type: 'object' } } },
      { definition: { name: 'crooked', inputSchema: 'none' } },
      { definition: { name: '', inputSchema: { type: 'object' } } },
      { definition: { description: 'nameless', inputSchema: { type: 'object' } } },
    ],
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_good', { a: 1 }]),
  });
  expect([run.code, run.stdout.trim()]).toEqual([0, '{"a":1}']);
  expect(offeredTools(run.requests)).toEqual(['s1_good']);
  expect(run.stderr).toContain('crooked');
});
