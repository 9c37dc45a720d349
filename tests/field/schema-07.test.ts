import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callThenAnswer, offeredTools, runScripted, toolTexts } from '../helpers/scripted-run.ts';

const DIALECTS: Readonly<Record<string, unknown>> = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  bare7: 'https://json-schema.org/draft-07/schema',
  year2019: 'https://json-schema.org/draft/2019-09/schema',
  year2020: 'https://json-schema.org/draft/2020-12/schema',
  invented: 'https://schemas.example/never-heard-of/v9',
  number: 7,
};

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'no dialect named by a schema keeps a call from being made, over %s',
  async (format) => {
    const names = Object.keys(DIALECTS);
    await using server = await startMcpServer({
      tools: names.map((name) => {
        const $schema = DIALECTS[name];
        return {
          definition: {
            name,
            description: name,
            inputSchema: {
              $schema,
              type: 'object',
              properties: { text: { type: 'string' } },
              required: ['text'],
            },
            outputSchema: {
              $schema,
              type: 'object',
              properties: { heard: { type: 'string' } },
              required: ['heard'],
            },
          },
          does: {
            result: {
              content: [{ type: 'text', text: `answer of ${name}` }],
              structuredContent: { heard: `answer of ${name}` },
            },
          },
        };
      }),
    });
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: callThenAnswer(...names.map((name) => [`s1_${name}`, { text: name }] as const)),
    });
    expect([run.code, run.requests.map((one) => one.status)]).toEqual([0, [200, 200]]);
    expect(offeredTools(run.requests)).toEqual(
      expect.arrayContaining(names.map((name) => `s1_${name}`)),
    );
    const sent = server.calls().map((call) => [call['name'], call['arguments']]);
    expect(sent).toHaveLength(names.length);
    expect(sent).toEqual(expect.arrayContaining(names.map((name) => [name, { text: name }])));
    const texts = toolTexts(run.requests);
    for (const [index, name] of names.entries()) {
      expect(texts[index]).toContain(`answer of ${name}`);
      expect(run.stdout).toContain(`answer of ${name}`);
    }
  },
);
