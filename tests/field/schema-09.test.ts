import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';

/** Each takes exponential time over `TRAP` in a backtracking engine. */
const PATTERNS: Readonly<Record<string, object>> = {
  direct: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
  branch: {
    type: 'object',
    properties: { text: { anyOf: [{ type: 'string', pattern: '^(a|aa)+$' }, { type: 'null' }] } },
  },
  referred: {
    type: 'object',
    properties: { text: { $ref: '#/$defs/trap' } },
    $defs: { trap: { type: 'string', pattern: '^(a+)+$' } },
  },
};
const TRAP = `${'a'.repeat(40)}!`;
const PROMPT_MS = 5000;

test.each(['openai', 'anthropic', 'google'] as const)(
  'a pattern that never ends is not run over arguments, over %s',
  async (format) => {
    const names = Object.keys(PATTERNS);
    await using server = await startMcpServer({
      tools: names.map((name) => tool(name, name, PATTERNS[name])),
    });
    const run = await runScripted({
      format,
      timeoutMs: PROMPT_MS,
      servers: [{ name: 's1', url: server.url }],
      steps: callThenAnswer(...names.map((name) => [`s1_${name}`, { text: TRAP }] as const)),
    });
    expect(run.code).toBe(0);
    expect(server.calls().map((call) => call['name'])).toEqual(expect.arrayContaining(names));
    expect(server.calls().map((call) => call['arguments'])).toEqual(
      names.map(() => ({ text: TRAP })),
    );
    expect(toolTexts(run.requests)).toEqual(names.map(() => JSON.stringify({ text: TRAP })));
    expect(run.stdout).toContain(TRAP);
  },
);

test('nor over the names of arguments, nor over a structured result', async () => {
  const any = { type: 'object', properties: {} };
  const names = { type: 'object', properties: {}, patternProperties: { '^(a+)+$': any } };
  const trapped = { type: 'string', pattern: '^(a+)+$' };
  const outputSchema = { type: 'object', properties: { text: trapped } };
  await using server = await startMcpServer({
    tools: [
      tool('named', 'named', names),
      {
        definition: { name: 'result', description: 'result', inputSchema: any, outputSchema },
        does: { result: { content: [], structuredContent: { text: TRAP } } },
      },
    ],
  });
  const run = await runScripted({
    timeoutMs: PROMPT_MS,
    servers: [{ name: 's1', url: server.url }],
    steps: callThenAnswer(['s1_named', { [TRAP]: {} }], ['s1_result', {}]),
  });
  expect(run.code).toBe(0);
  const sent = server.calls().map((call) => [call['name'], call['arguments']]);
  expect(sent.toSorted()).toEqual([
    ['named', { [TRAP]: {} }],
    ['result', {}],
  ]);
  for (const seen of toolTexts(run.requests)) expect(seen).toContain(TRAP);
});
