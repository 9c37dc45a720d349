import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import type { ModelFamily } from '../../src/model/family.ts';
import {
  MAX_SCHEMA_BYTES,
  toProviderSchema,
  toProviderTool,
} from '../../src/model/provider-schema.ts';
import { findBreach } from '../fixtures/models/rules.ts';
import { DEFAULT_RULES, type ModelFormat } from '../fixtures/models/types.ts';
import { TEST_SEED } from '../helpers/seed.ts';

const FAMILIES: readonly ModelFamily[] = ['chat', 'responses', 'anthropic', 'google'];
const FORMAT: Readonly<Record<ModelFamily, ModelFormat>> = {
  chat: 'openai',
  responses: 'responses',
  anthropic: 'anthropic',
  google: 'google',
};

/** Why the family's strictest provider would refuse the copy. */
function breachOf(family: ModelFamily, schema: JsonObject): string | undefined {
  const copy = toProviderSchema(family, schema);
  const rules = family === 'google' ? [...DEFAULT_RULES, 'keywords' as const] : DEFAULT_RULES;
  const tools = [{ name: 'tool', description: '', schema: copy }];
  const seen = {
    system: '',
    turns: [{ role: 'user', text: 'x' } as const],
    tools,
    hasImage: false,
  };
  return (
    findBreach(FORMAT[family], rules, seen, JSON.stringify(copy)) ??
    (JSON.stringify(copy).includes('"$ref"') ? 'a reference is left' : undefined) ??
    (Buffer.byteLength(JSON.stringify(copy)) > MAX_SCHEMA_BYTES ? 'too large' : undefined)
  );
}

/** Every keyword with right and wrong values, at any depth. */
const { schema: anySchema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean(),
    fc.constantFrom(
      { $ref: '#/$defs/a' },
      { $ref: '#' },
      { $ref: 'https://example.com/x' },
      {},
      null,
      5,
    ),
    fc.record(
      {
        type: fc.constantFrom(
          'string',
          'object',
          'array',
          'null',
          'int',
          ['string', 'null'],
          ['object', 'array'],
          7,
        ),
        properties: fc.dictionary(
          fc.constantFrom('a', 'b', 'properties', 'required', '$x y', '__proto__'),
          tie('schema'),
        ),
        required: fc.constantFrom(['a'], ['zz'], 'a', [1], true),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { maxLength: 2 }),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        additionalProperties: tie('schema'),
        patternProperties: fc.dictionary(fc.constant('^x'), tie('schema')),
        enum: fc.constantFrom(['a', 'b'], [1, 2], [null], [], 'a', ['\ud83d']),
        const: fc.constantFrom('a', 5, null),
        format: fc.constantFrom('uri', 'int32', 'date-time', 5),
        pattern: fc.constantFrom('^a', '(?<=a)b', '(', 5),
        minimum: fc.constantFrom(1, '1'),
        exclusiveMinimum: fc.constantFrom(true, 1),
        propertyNames: fc.constant({ pattern: 'x' }),
        $defs: fc.record({ a: tie('schema') }),
        not: tie('schema'),
        description: fc.constantFrom('d', '\ud83d', 5),
        default: fc.constantFrom(null, { deep: ['\udc00'] }),
        $schema: fc.constant('https://json-schema.org/draft/2020-12/schema'),
        if: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}));

describe('the copy of a schema', () => {
  for (const family of FAMILIES) {
    test(`is taken by a strict provider, whatever the schema: ${family}`, () => {
      fc.assert(
        fc.property(anySchema.filter(isJsonObject), (schema) => {
          expect(breachOf(family, schema)).toBeUndefined();
        }),
        { seed: TEST_SEED, numRuns: 100 },
      );
    });

    test(`stays small for recursion, width and depth: ${family}`, () => {
      const branch = (name: string) => ({
        type: 'object',
        properties: { [name]: { $ref: '#/$defs/n' } },
      });
      const wide = {
        type: 'object',
        $defs: { n: { anyOf: ['a', 'b', 'c', 'd', 'e'].map(branch), title: 't' } },
        properties: { x: { $ref: '#/$defs/n' } },
      };
      let deep: JsonObject = { type: 'string' };
      for (let level = 0; level < 500; level += 1) {
        deep = {
          type: 'object',
          anyOf: [{ required: ['a'] }, { required: ['b'] }],
          properties: { a: deep, b: deep },
        };
      }
      const huge = {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 3000 }, (_, n) => [
            `p${n}`,
            { type: 'string', description: 'x'.repeat(100) },
          ]),
        ),
      };
      for (const schema of [wide, deep, huge]) expect(breachOf(family, schema)).toBeUndefined();
    });
  }

  test('keeps a plain schema as it is', () => {
    const schema = {
      type: 'object',
      properties: {
        properties: { type: 'string', description: 'd' },
        required: { type: 'integer', minimum: 1 },
      },
      required: ['properties'],
    };
    for (const family of FAMILIES) expect(toProviderSchema(family, schema)).toEqual(schema);
  });

  test('gives an object without properties empty ones', () => {
    const empty = { type: 'object', properties: {} };
    for (const schema of [{}, { type: 'object' }, { type: null }, { $ref: '#' }]) {
      for (const family of FAMILIES) expect(toProviderSchema(family, schema)).toEqual(empty);
    }
  });

  test('folds alternatives at the root: all properties, only what every branch requires', () => {
    const schema = {
      oneOf: [
        {
          type: 'object',
          properties: { a: { type: 'string' }, c: { type: 'string' } },
          required: ['a', 'c'],
        },
        {
          type: 'object',
          properties: { b: { type: 'string' }, c: { type: 'number' } },
          required: ['b', 'c'],
          additionalProperties: false,
        },
      ],
    };
    expect(toProviderSchema('anthropic', schema)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'string' },
        c: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
      required: ['c'],
    });
  });

  test('folds allOf at the root: everything any part requires', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      allOf: [{ properties: { b: { type: 'string' } }, required: ['b'] }, { required: ['a'] }],
    };
    expect(toProviderSchema('chat', schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['b', 'a'],
    });
  });

  test('puts definitions in their place and ends recursion', () => {
    const schema = {
      type: 'object',
      properties: { node: { $ref: '#/$defs/node', description: 'mine' } },
      $defs: {
        node: {
          type: 'object',
          description: 'its',
          properties: { next: { $ref: '#/$defs/node' }, name: { type: 'string' } },
        },
      },
    };
    expect(toProviderSchema('chat', schema)).toEqual({
      type: 'object',
      properties: {
        node: {
          type: 'object',
          description: 'mine',
          properties: { next: {}, name: { type: 'string' } },
        },
      },
    });
  });

  test('says types in the words Gemini takes', () => {
    const schema = {
      type: 'object',
      properties: {
        nullable: { type: ['string', 'null'], format: 'uri' },
        either: { type: ['string', 'integer'], description: 'd' },
        fixed: { const: 'x' },
        numbers: { type: 'integer', enum: [1, 2], exclusiveMinimum: 0 },
        loose: { type: 'array' },
        choice: { anyOf: [{ type: 'object', properties: { a: {} } }, { type: 'null' }] },
      },
    };
    expect(toProviderSchema('google', schema)).toEqual({
      type: 'object',
      properties: {
        nullable: { type: 'string' },
        either: { description: 'd', anyOf: [{ type: 'string' }, { type: 'integer' }] },
        fixed: { type: 'string', enum: ['x'] },
        numbers: { type: 'integer' },
        loose: { type: 'array', items: { type: 'string' } },
        choice: { type: 'object', properties: { a: { type: 'string' } } },
      },
    });
  });

  test('leaves out property names Anthropic refuses, at any depth', () => {
    const schema = {
      type: 'object',
      properties: {
        'a b': { type: 'string' },
        list: { type: 'array', items: { type: 'object', properties: { 'x/y': {}, ok: {} } } },
      },
      required: ['a b', 'list'],
    };
    expect(toProviderSchema('anthropic', schema)).toEqual({
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', properties: { ok: {} } } } },
      required: ['list'],
    });
  });

  test('cuts a description for chat completions and marks it', () => {
    const tool = { name: 't', description: 'x'.repeat(2000), inputSchema: {} };
    const { description } = toProviderTool('chat', tool);
    expect(description).toHaveLength(1024);
    expect(description).toEndWith('x […]');
    expect(toProviderTool('anthropic', tool).description).toHaveLength(2000);
  });
});
