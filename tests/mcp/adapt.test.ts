import { describe, expect, test } from 'bun:test';
import type { JsonValue } from '../../src/base/json.ts';
import { adaptResult, adaptTool } from '../../src/mcp/adapt.ts';

const empty = { type: 'object', properties: {} };

describe('adaptTool', () => {
  const schemas: readonly (readonly [JsonValue | undefined, JsonValue])[] = [
    [undefined, empty],
    [null, empty],
    [true, empty],
    [{}, empty],
    [false, { ...empty, additionalProperties: false }],
    [
      { type: ['object', 'null'], properties: { a: true } },
      { type: 'object', properties: { a: true } },
    ],
    [
      { properties: { a: { default: null } }, required: null, default: null, $defs: {} },
      { type: 'object', properties: { a: { default: null } }, default: null, $defs: {} },
    ],
  ];
  test.each(schemas)('repairs the input schema %j', (inputSchema, expected) => {
    const item = inputSchema === undefined ? { name: 't' } : { name: 't', inputSchema };
    expect(adaptTool(item)).toEqual({
      name: 't',
      title: undefined,
      description: undefined,
      inputSchema: expected as never,
      outputSchema: undefined,
      annotations: {},
      raw: item,
    });
  });

  test('keeps what fits and drops what does not, field by field', () => {
    const item = {
      name: 'a.b',
      title: 5,
      description: 'does',
      inputSchema: empty,
      outputSchema: [1],
      annotations: { title: 'T', readOnlyHint: true, destructiveHint: 'no', openWorldHint: null },
      extra: 1,
    };
    expect(adaptTool(item)).toEqual({
      name: 'a.b',
      title: 'T',
      description: 'does',
      inputSchema: empty,
      outputSchema: undefined,
      annotations: { title: 'T', readOnlyHint: true },
      raw: item,
    });
  });

  const unusable: readonly (readonly [JsonValue, string, string])[] = [
    ['text', '(no name)', 'is a string, not an object'],
    [null, '(no name)', 'is missing, not an object'],
    [{ name: '' }, '(no name)', 'name is empty'],
    [{ name: 4 }, '(no name)', 'name is a number'],
    [{ name: 'x', inputSchema: [] }, 'x', 'inputSchema is a list, not an object'],
    [
      { name: 'x', inputSchema: { type: 'string' } },
      'x',
      'inputSchema has type "string", not object',
    ],
  ];
  test.each(unusable)('refuses %j with its reason', (item, name, problem) => {
    expect(adaptTool(item)).toEqual({ name, problem });
  });
});

describe('adaptResult', () => {
  const text = (value: string) => [{ type: 'text', text: value }];
  const results: readonly (readonly [JsonValue, object])[] = [
    [
      { content: [], structuredContent: { answer: 42 } },
      { content: [], structuredContent: { answer: 42 } },
    ],
    [{ structuredContent: [1, 2] }, { content: [], structuredContent: [1, 2] }],
    [
      { content: null, structuredContent: 'x' },
      { content: [], structuredContent: 'x' },
    ],
    [{ content: [], structuredContent: null }, { content: [] }],
    [{}, { content: [] }],
    [null, { content: [] }],
    ['plain', { content: text('plain') }],
    [7, { content: text('7') }],
    [{ content: 'plain' }, { content: text('plain') }],
    [{ content: { type: 'text', text: 'x' } }, { content: text('x') }],
    [{ content: [{ type: 'text', text: 5 }] }, { content: text('5') }],
    [{ content: [{ type: 'text', text: { a: 1 } }] }, { content: text('{"a":1}') }],
    [{ content: [{ type: 'text' }, null] }, { content: [] }],
    [{ content: ['x'] }, { content: text('x') }],
    [{ content: [{ text: 'untyped' }] }, { content: [{ text: 'untyped', type: 'text' }] }],
    [{ content: [{ type: 'future', x: 1 }] }, { content: [{ type: 'future', x: 1 }] }],
    [{ toolResult: { content: text('old') } }, { content: text('old') }],
    [{ toolResult: { rows: 3 } }, { content: text('{"rows":3}') }],
    [{ toolResult: 'older' }, { content: text('older') }],
    [{ rows: 3 }, { content: text('{"rows":3}') }],
    [
      { content: text('no'), isError: true },
      { content: text('no'), isError: true },
    ],
    [{ content: text('fine'), isError: null }, { content: text('fine') }],
    [{ content: text('x'), isError: 'false' }, { content: text('x') }],
  ];
  test.each(results)('%j', (received, expected) => {
    expect(adaptResult(received)).toEqual({
      content: [],
      structuredContent: undefined,
      isError: false,
      raw: received,
      ...expected,
    });
  });
});
