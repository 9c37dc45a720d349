import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';

const RESULTS: Readonly<Record<string, unknown>> = {
  beside: { content: [], structuredContent: { answer: 42 } },
  missing: { structuredContent: { answer: 42 } },
  nulled: { content: null, structuredContent: { answer: 42 } },
  list: { content: [], structuredContent: [42, 'x'] },
  word: { content: [], structuredContent: 'forty-two' },
  repeated: {
    content: [{ type: 'text', text: '{"answer": 42}' }],
    structuredContent: { answer: 42 },
  },
  empty: { content: [] },
  hollow: {},
  blank: { content: [{ type: 'text', text: '' }] },
};

test.each(['openai', 'anthropic'] as const)(
  'what is only in structuredContent reaches the model, and nothing at all says so, over %s',
  async (format) => {
    const names = Object.keys(RESULTS);
    const any = { type: 'object', properties: {} };
    await using server = await startMcpServer({
      tools: names.map((name) => tool(name, name, any, { does: { result: RESULTS[name] } })),
    });
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: [
        { toolCalls: names.map((name) => ({ name: `s1_${name}`, arguments: '{}' })) },
        { text: 'done' },
      ],
    });
    expect([run.code, run.requests.at(-1)?.breach]).toEqual([0, undefined]);
    const texts = toolTexts(run.requests);
    const seen = Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
    for (const name of ['beside', 'missing', 'nulled', 'list']) expect(seen[name]).toContain('42');
    expect(seen['word']).toContain('forty-two');
    expect(seen['repeated']?.match(/42/g)).toHaveLength(1);
    for (const name of ['empty', 'hollow', 'blank']) expect(seen[name]).toMatch(/empty/i);
  },
);
