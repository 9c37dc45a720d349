import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../src/base/json.ts';
import { paramHeaders, readParamHeaders } from '../../src/transport/param-headers.ts';

const marked = (name: unknown, type: unknown = 'string') =>
  ({ type, 'x-mcp-header': name }) as JsonObject;
const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

test('marks are found along properties, at any depth', () => {
  const nested = schema({
    a: marked('A'),
    b: schema({ c: marked('B-c', 'integer') }),
    d: marked('D', 'boolean'),
    e: { type: 'number', default: { 'x-mcp-header': 'no mark' } },
  });
  expect(readParamHeaders(nested)).toEqual({
    kind: 'good',
    headers: [
      { path: ['a'], name: 'A' },
      { path: ['b', 'c'], name: 'B-c' },
      { path: ['d'], name: 'D' },
    ],
  });
});

describe('a tool is refused whose mark', () => {
  test.each([
    ['is empty', schema({ a: marked('') }), 'x-mcp-header of a is not a name'],
    ['is no text', schema({ a: marked(7) }), 'x-mcp-header of a is not a name'],
    ['has a space', schema({ a: marked('a b') }), 'x-mcp-header of a is no header name: "a b"'],
    ['has a colon', schema({ a: marked('a:') }), 'x-mcp-header of a is no header name: "a:"'],
    ['has a line end', schema({ a: marked('a\n') }), 'x-mcp-header of a is no header name: "a\\n"'],
    ['is not ASCII', schema({ a: marked('ü') }), 'x-mcp-header of a is no header name: "ü"'],
    [
      'stands on a number',
      schema({ a: marked('A', 'number') }),
      'x-mcp-header of a stands on type "number", not string, integer or boolean',
    ],
    [
      'stands on no type',
      schema({ a: { 'x-mcp-header': 'A' } }),
      'x-mcp-header of a stands on type null, not string, integer or boolean',
    ],
    [
      'stands on several types',
      schema({ a: marked('A', ['string', 'null']) }),
      'x-mcp-header of a stands on type ["string","null"], not string, integer or boolean',
    ],
    [
      'is used twice, in whatever case',
      schema({ a: marked('Ab'), b: marked('aB') }),
      'x-mcp-header of b is used twice: aB',
    ],
    [
      'stands on the schema itself',
      schema({}, { 'x-mcp-header': 'A' }),
      'x-mcp-header of the schema stands on the whole schema',
    ],
    [
      'stands in a list',
      schema({ a: { type: 'array', items: marked('A') } }),
      'x-mcp-header stands under items of a, not on a plain property',
    ],
    [
      'stands in an alternative',
      schema({}, { anyOf: [{ properties: { a: marked('A') } }] }),
      'x-mcp-header stands under anyOf of the schema, not on a plain property',
    ],
    [
      'stands in a definition',
      schema({}, { $defs: { x: marked('A') } }),
      'x-mcp-header stands under $defs of the schema, not on a plain property',
    ],
  ])('%s', (_what, inputSchema, problem) => {
    expect(readParamHeaders(inputSchema)).toEqual({ kind: 'bad', problem });
  });
});

test.each([
  [{ a: { b: 'x' } }, { 'mcp-param-ab': 'x' }],
  [{ a: { b: '' } }, { 'mcp-param-ab': '' }],
  [{ a: { b: true } }, { 'mcp-param-ab': 'true' }],
  [{ a: { b: -42 } }, { 'mcp-param-ab': '-42' }],
  [{ a: { b: ' x' } }, { 'mcp-param-ab': '=?base64?IHg=?=' }],
  [{ a: { b: null } }, {}],
  [{ a: { b: 1.5 } }, {}],
  [{ a: { b: 2 ** 60 } }, {}],
  [{ a: { b: ['x'] } }, {}],
  [{ a: null }, {}],
  [{}, {}],
])('arguments %j give %j', (args, headers) => {
  expect(paramHeaders([{ path: ['a', 'b'], name: 'Ab' }], args)).toEqual(headers);
});

test('what arguments inherit is not theirs', () => {
  expect(paramHeaders([{ path: ['toString'], name: 'X' }], {})).toEqual({});
});
