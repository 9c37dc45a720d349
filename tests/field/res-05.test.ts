import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';

const any = { type: 'object', properties: {} };
const TEXTS: Readonly<Record<string, string>> = {
  high: 'a\ud83db',
  low: 'a\udc00b',
  nul: 'a\u0000b',
  noncharacter: 'a\uffffb',
  ends_high: 'a\ud83d',
  swapped: 'a\udc00\ud83db',
};

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'halves of characters never reach a model that speaks %s',
  async (format) => {
    const names = Object.keys(TEXTS);
    await using server = await startMcpServer({
      tools: names.map((name) =>
        tool(name, name, any, {
          does: {
            result: {
              content: [{ type: 'text', text: TEXTS[name] }],
              structuredContent: { [`k${TEXTS[name]}`]: TEXTS[name] },
            },
          },
        }),
      ),
    });
    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: [
        { toolCalls: names.map((name) => ({ name: `s1_${name}`, arguments: '{}' })) },
        { text: '{{result}}' },
      ],
    });
    expect([run.code, run.requests.at(-1)?.breach]).toEqual([0, undefined]);
    const texts = toolTexts(run.requests);
    expect(texts).toHaveLength(names.length);
    expect(texts.filter((text) => !text.isWellFormed() || text.includes('\u0000'))).toEqual([]);
    expect(texts[0]).toContain('a\ufffdb');
  },
);

test('a long text is cut between characters, wherever the cut falls', async () => {
  const shifts = [0, 1, 2, 3];
  await using server = await startMcpServer({
    tools: shifts.map((shift) =>
      tool(`big${shift}`, 'Big.', any, {
        does: {
          result: { content: [{ type: 'text', text: 'x'.repeat(shift) + '😀'.repeat(60_000) }] },
        },
      }),
    ),
  });
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url }],
    steps: [
      { toolCalls: shifts.map((shift) => ({ name: `s1_big${shift}`, arguments: '{}' })) },
      { text: 'done' },
    ],
  });
  expect([run.code, run.requests.at(-1)?.breach]).toEqual([0, undefined]);
  for (const text of toolTexts(run.requests)) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\ufffd');
    expect([...text].length).toBeLessThan(55_000);
  }
});
