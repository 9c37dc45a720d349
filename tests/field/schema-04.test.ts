import { expect, test } from 'bun:test';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { tool } from '../fixtures/servers/script.ts';
import { offeredTools, runScripted } from '../helpers/scripted-run.ts';

const text = { type: 'string' };
const COMBINED: Readonly<Record<string, object>> = {
  either: {
    type: 'object',
    properties: { a: text, b: text },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  branches: {
    oneOf: [
      { type: 'object', properties: { a: text }, required: ['a'] },
      { type: 'object', properties: { b: text, c: text }, required: ['c'] },
    ],
  },
  all: {
    allOf: [
      { type: 'object', properties: { a: text }, required: ['a'] },
      { type: 'object', properties: { b: text } },
    ],
  },
  never: { type: 'object', properties: { a: text }, not: { required: ['z'] } },
  conditional: {
    type: 'object',
    properties: { a: text },
    if: { properties: { a: { const: 'x' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['b'] },
    else: {},
  },
};

test.each(['openai', 'responses', 'anthropic', 'google'] as const)(
  'a combinator at the root of one schema costs nothing over %s',
  async (format) => {
    const names = ['good', ...Object.keys(COMBINED)];
    await using server = await startMcpServer({
      tools: [
        tool('good', 'Good.', { type: 'object', properties: { a: text } }),
        ...Object.entries(COMBINED).map(([name, schema]) => tool(name, name, schema)),
      ],
    });
    const given = { a: 'x', b: 'y' };
    const first = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: [{ text: 'hi' }],
    });
    expect([first.code, first.requests[0]?.breach]).toEqual([0, undefined]);
    const offered = offeredTools(first.requests);
    expect(offered).toContain('s1_good');
    for (const name of names.filter((one) => !offered.includes(`s1_${one}`))) {
      expect(first.stderr).toContain(name);
    }

    const run = await runScripted({
      format,
      servers: [{ name: 's1', url: server.url }],
      steps: [
        { toolCalls: offered.map((name) => ({ name, arguments: JSON.stringify(given) })) },
        { text: 'done' },
      ],
    });
    expect([run.code, run.stdout.trim()]).toEqual([0, 'done']);
    expect(server.calls().map((call) => call['arguments'])).toEqual(offered.map(() => given));
  },
);
