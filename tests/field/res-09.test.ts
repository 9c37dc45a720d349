import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { callThenAnswer, runScripted, toolTexts } from '../helpers/scripted-run.ts';

/** An answer of each odd shape, and what of it the model must be told. */
const RESULTS: Readonly<Record<string, readonly [result: unknown, told: RegExp]>> = {
  wrapped: [
    { toolResult: { content: [{ type: 'text', text: 'from the wrap' }] } },
    /^from the wrap$/,
  ],
  loose: [{ toolResult: { rows: 17 } }, /rows.*17/],
  bare: ['plain words', /^plain words$/],
  single: [{ content: { type: 'text', text: 'one object' } }, /^one object$/],
  numeric: [{ content: [{ type: 'text', text: 5 }] }, /^5$/],
  nested: [{ content: [{ type: 'text', text: { deep: 'treasure' } }] }, /deep.*treasure/],
  textless: [{ content: [{ type: 'text' }] }, /empty/i],
  word: [{ content: ['a lone word'] }, /^a lone word$/],
  hollow: [{}, /empty/i],
};

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'what an old or odd server answers reaches the model as text, over %s',
  async (format) => {
    const names = Object.keys(RESULTS);
    const any = { type: 'object', properties: {} };
    await using server = await startMcpServer({
      tools: names.map((name) => tool(name, name, any, { does: { result: RESULTS[name]?.[0] } })),
    });
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: callThenAnswer(...names.map((name) => [`s1_${name}`, {}] as const)),
    });
    expect([run.code, run.requests.map((one) => one.status)]).toEqual([0, [200, 200]]);
    const called = server.calls().map((call) => call['name']);
    expect(called.toSorted()).toEqual(names.toSorted());
    const texts = toolTexts(run.requests);
    expect(texts).toHaveLength(names.length);
    expect(run.stdout.trim()).toBe(texts.join('\n'));
    for (const [index, [, told]] of Object.values(RESULTS).entries()) {
      expect(texts[index]).toMatch(told);
      expect(texts[index]).not.toContain('[object Object]');
    }
  },
);
