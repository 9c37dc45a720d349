import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const text = { type: 'string' };
const SCHEMAS: Readonly<Record<string, unknown>> = {
  typeonly: { type: 'object' },
  empty: {},
  nothing: null,
  open: { type: 'object', additionalProperties: {} },
  untyped: { properties: { text } },
  awkward: { type: 'object', properties: { properties: text, required: { type: 'boolean' } } },
  nullish: { type: 'object', properties: null },
};

const MODELS = ['openai', 'responses', 'anthropic', 'google'] as const;

test.each(MODELS)('tools without arguments are usable over %s', async (format) => {
  const declared = Object.entries(SCHEMAS).map(([name, inputSchema]) => ({
    definition: { name, description: name, inputSchema },
  }));
  await using server = await startMcpServer({
    tools: [...declared, { definition: { name: 'missing', description: 'missing' } }],
  });
  const awkward = { properties: 'p', required: true };
  const names = [...Object.keys(SCHEMAS), 'missing'];
  const argumentsOf = (name: string) => (name === 'awkward' ? awkward : {});
  const run = await runScripted({
    format,
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(...names.map((name) => [`s1_${name}`, argumentsOf(name)] as const)),
  });
  expect([run.code, run.requests[0]?.breach]).toEqual([0, undefined]);
  expect(toolTexts(run.requests)).toEqual(names.map((name) => JSON.stringify(argumentsOf(name))));
  const offered = run.requests[0]?.seen.tools.find((tool) => tool.name === 's1_awkward');
  const schema = offered?.schema as { properties?: object };
  expect(Object.keys(schema.properties ?? {}).sort()).toEqual(['properties', 'required']);
});
