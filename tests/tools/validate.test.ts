import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { checkArguments } from '../../src/tools/validate.ts';
import { TEST_SEED } from '../helpers/seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

const check = (properties: JsonObject, value: JsonValue, more: JsonObject = {}) =>
  checkArguments({ type: 'object', properties, ...more }, value);

describe('checking arguments', () => {
  test('problems are sentences a model can mend', () => {
    expect(
      check(
        {
          path: { type: 'string' },
          mode: { enum: ['a', 'b'] },
          n: { type: 'integer', minimum: 1, exclusiveMaximum: 9 },
          tags: { type: 'array', items: { type: ['string', 'null'] }, minItems: 2 },
          deep: { type: 'object', properties: { 'x y': { const: 1 } } },
        },
        { path: 5, mode: 'c', n: 9, tags: [true], deep: { 'x y': 2 }, pth: 1 },
        { required: ['path', 'query'], additionalProperties: false },
      ),
    ).toEqual([
      'arguments: missing required property "query"',
      'arguments.path: expected string, got number',
      'arguments.mode: expected one of "a", "b", got "c"',
      'arguments.n: expected less than 9, got 9',
      'arguments.tags: expected at least 2 items, got 1',
      'arguments.tags[0]: expected string or null, got boolean',
      'arguments.deep["x y"]: expected 1, got 2',
      'arguments: unknown property "pth"; did you mean "path"?',
    ]);
  });

  test('what fits has no problem', () => {
    const schema = {
      a: { type: 'number', multipleOf: 0.1 },
      b: { type: 'integer' },
      c: { type: 'string', minLength: 1, maxLength: 1 },
      d: { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      e: { type: 'string', nullable: true },
    };
    expect(check(schema, { a: 0.3, b: 5.0, c: '😀', d: ['x', 1, 2], e: null, extra: [] })).toEqual(
      [],
    );
  });

  test('combinators: anyOf, oneOf, allOf, not', () => {
    const properties = {
      any: { anyOf: [{ type: 'string' }, { type: 'object', required: ['id'] }] },
      one: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      all: { allOf: [{ type: 'string' }, { minLength: 2 }] },
      not: { not: { type: 'null' } },
    };
    expect(check(properties, { any: {}, one: 1, all: 'x', not: null })).toEqual([
      'arguments.any: fits none of the allowed forms (arguments.any: expected string, got object | arguments.any: missing required property "id")',
      'arguments.one: fits 2 of the allowed forms, exactly one is wanted',
      'arguments.all: expected at least 2 characters, got 1',
      'arguments.not: this value is not allowed',
    ]);
    expect(check(properties, { any: { id: 1 }, one: 1.5, all: 'xy', not: 0 })).toEqual([]);
  });

  test('local references are followed, also recursive ones; others are passed over', () => {
    const schema = {
      type: 'object',
      properties: {
        tree: { $ref: '#/$defs/Node' },
        web: { $ref: 'https://example.com/schema.json' },
        lost: { $ref: '#/$defs/none' },
        loop: { $ref: '#/$defs/Loop' },
      },
      $defs: {
        Node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
          required: ['id'],
        },
        Loop: { $ref: '#/$defs/Loop' },
      },
    };
    expect(
      checkArguments(schema, { tree: { id: 1, children: [{ id: 2, children: [{}] }] } }),
    ).toEqual(['arguments.tree.children[0].children[0]: missing required property "id"']);
    expect(checkArguments(schema, { web: 1, lost: 2, loop: 3 })).toEqual([]);
  });

  test('SCHEMA-07: known dialects are checked, an unknown one turns the check off', () => {
    const verdict = ($schema: string) =>
      check({ a: { type: 'string' } }, { a: 1 }, { $schema }).length;
    expect([
      verdict('http://json-schema.org/draft-07/schema#'),
      verdict('http://json-schema.org/draft-04/schema#'),
      verdict('https://json-schema.org/draft/2019-09/schema'),
      verdict('https://json-schema.org/draft/2020-12/schema'),
      verdict('https://example.com/my-dialect'),
    ]).toEqual([1, 1, 1, 1, 0]);
  });

  test('draft-07 ignores what stands beside $ref, 2020-12 does not', () => {
    const verdict = ($schema: string) =>
      check(
        { a: { $ref: '#/definitions/S', maxLength: 1 } },
        { a: 'long' },
        { $schema, definitions: { S: {} } },
      ).length;
    expect([
      verdict('http://json-schema.org/draft-07/schema#'),
      verdict('https://json-schema.org/draft/2020-12/schema'),
    ]).toEqual([0, 1]);
  });

  test('draft-04 exclusive bounds and tuples', () => {
    const properties = {
      n: { minimum: 1, exclusiveMinimum: true },
      t: { items: [{ type: 'string' }], additionalItems: false },
    };
    expect(check(properties, { n: 1, t: ['a', 'b'] })).toEqual([
      'arguments.n: expected more than 1, got 1',
      'arguments.t[1]: no value is allowed here',
    ]);
  });

  test('SCHEMA-09: patterns and formats are not executed', () => {
    const properties = { a: { type: 'string', pattern: '^(a+)+$', format: 'email' } };
    expect(check(properties, { a: `${'a'.repeat(40)}!` })).toEqual([]);
  });

  test('a name that a pattern may allow is not called unknown', () => {
    const more = { patternProperties: { '^x-': {} }, additionalProperties: false };
    expect(check({}, { 'x-a': 1 }, more)).toEqual([]);
  });

  test('SCHEMA-03: parameters named properties and required are parameters', () => {
    const properties = { properties: { type: 'string' }, required: { type: 'boolean' } };
    expect(check(properties, { properties: 'p', required: true })).toEqual([]);
    expect(check(properties, { properties: 1 })).toEqual([
      'arguments.properties: expected string, got number',
    ]);
  });

  test('keys of the object prototype are ordinary names', () => {
    expect(
      check({ a: {} }, { constructor: 1, toString: 2 }, { additionalProperties: false }),
    ).toHaveLength(2);
    expect(check({}, {}, { required: ['toString'] })).toEqual([
      'arguments: missing required property "toString"',
    ]);
  });

  test('unknown types, boolean schemas and nonsense are no reason to refuse', () => {
    expect(
      check(
        { a: { type: 'int' }, b: true, c: { items: 'x', enum: 3, required: 1 } },
        { a: 's', b: 1, c: [1] },
      ),
    ).toEqual([]);
    expect(check({ a: false }, { a: 1 })).toEqual(['arguments.a: no value is allowed here']);
  });

  test('work is bounded: an exploding schema is let through', () => {
    const $defs: Record<string, JsonObject> = { n0: { type: 'string' } };
    for (let level = 1; level < 40; level += 1) {
      const $ref = `#/$defs/n${level - 1}`;
      $defs[`n${level}`] = { anyOf: [{ $ref }, { $ref }] };
    }
    expect(checkArguments({ properties: { a: { $ref: '#/$defs/n39' } }, $defs }, { a: 1 })).toEqual(
      [],
    );
  });

  test('never throws, whatever schema and value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
        // fast-check's JSON values are JSON values.
        const problems = checkArguments(schema as JsonValue, value as JsonValue);
        for (const problem of problems) expect(problem).toStartWith('arguments');
      }),
    );
  });
});
