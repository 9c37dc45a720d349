import { describe, expect, test } from 'bun:test';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { type FieldKind, type Form, readForm } from '../../../src/mcp/handlers/form.ts';
import { fieldProblem, formDefaults, formProblems } from '../../../src/mcp/handlers/form-check.ts';

const formOf = (properties: JsonObject, required: readonly string[] = []): Form => {
  const form = readForm({ type: 'object', properties, required });
  if (typeof form === 'string') throw new Error(form);
  return form;
};
const kindOf = (property: JsonObject) => formOf({ a: property }).fields[0]?.type;

describe('the schema of a form', () => {
  test.each<[string, JsonObject, FieldKind]>([
    [
      'text with bounds and a format',
      { type: 'string', format: 'email', minLength: 3, maxLength: 9 },
      { kind: 'text', format: 'email', minLength: 3, maxLength: 9 },
    ],
    [
      'a whole number in a range',
      { type: 'integer', minimum: 1, maximum: 5 },
      { kind: 'number', isInteger: true, minimum: 1, maximum: 5 },
    ],
    [
      'a number, nullable',
      { type: ['null', 'number'] },
      { kind: 'number', isInteger: false, minimum: undefined, maximum: undefined },
    ],
    ['yes or no', { type: 'boolean' }, { kind: 'boolean' }],
    [
      'a choice',
      { type: 'string', enum: ['x', 'y'] },
      {
        kind: 'choice',
        choices: [
          { value: 'x', title: 'x' },
          { value: 'y', title: 'y' },
        ],
      },
    ],
    [
      'a choice with names of its own',
      { type: 'string', enum: ['x', 'y'], enumNames: ['Ex'] },
      {
        kind: 'choice',
        choices: [
          { value: 'x', title: 'Ex' },
          { value: 'y', title: 'y' },
        ],
      },
    ],
    [
      'a titled choice',
      { type: 'string', oneOf: [{ const: 'x', title: 'Ex' }, { title: 'no value' }] },
      { kind: 'choice', choices: [{ value: 'x', title: 'Ex' }] },
    ],
    [
      'several of a titled choice',
      {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: { anyOf: [{ const: 'x', title: 'Ex' }] },
      },
      { kind: 'choices', choices: [{ value: 'x', title: 'Ex' }], minItems: 1, maxItems: 2 },
    ],
  ])('%s is read', (_name, property, expected) => {
    expect(kindOf(property)).toEqual(expected);
  });

  test('texts, defaults and what is required go with a field', () => {
    const form = formOf(
      { a: { type: 'string', title: 'A', description: ' ', default: 'x' }, b: { type: 'boolean' } },
      ['b'],
    );
    expect(form).toEqual({
      leftOut: [],
      fields: [
        {
          name: 'a',
          title: 'A',
          description: undefined,
          default: 'x',
          isRequired: false,
          type: { kind: 'text', format: undefined, minLength: undefined, maxLength: undefined },
        },
        {
          name: 'b',
          title: undefined,
          description: undefined,
          default: undefined,
          isRequired: true,
          type: { kind: 'boolean' },
        },
      ],
    });
  });

  test('what no form may ask is left out, or refused where it is required', () => {
    const nested = { type: 'object', properties: {} };
    expect(formOf({ a: nested, b: { type: 'boolean' } })).toMatchObject({
      fields: [{ name: 'b' }],
      leftOut: ['a: a form has no fields of type object'],
    });
    expect(readForm({ properties: { a: nested }, required: ['a'] })).toBe(
      'requestedSchema.properties.a: a form has no fields of type object',
    );
  });

  test.each<[string, JsonValue | undefined, string]>([
    ['none', undefined, 'requestedSchema is no object'],
    ['a list of properties', { properties: [] }, 'requestedSchema.properties is no object'],
    ['a required field that is not there', { required: ['z'] }, 'no field "z" to require'],
    [
      'a hundred and one fields',
      { properties: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, {}])) },
      'requestedSchema has more than 100 fields',
    ],
    [
      'nothing to choose from',
      { properties: { a: { enum: [] } }, required: ['a'] },
      'requestedSchema.properties.a: it offers nothing to choose from',
    ],
  ])('%s is no form', (_name, schema, reason) => {
    expect(readForm(schema)).toBe(reason);
  });

  test('a form without fields asks for a yes alone', () => {
    expect(readForm({ type: 'object' })).toEqual({ fields: [], leftOut: [] });
  });
});

describe('an answer', () => {
  const problemOf = (property: JsonObject, value: JsonValue) => {
    const [field] = formOf({ a: property }).fields;
    return field === undefined ? 'no field' : fieldProblem(field, value);
  };
  const pick = { type: 'array', items: { enum: ['x', 'y', 'z'] }, minItems: 1, maxItems: 2 };

  test.each<[JsonObject, JsonValue]>([
    [{ type: 'string' }, ''],
    [{ type: 'string', minLength: 2, maxLength: 2 }, '👍👍'],
    [{ type: 'string', format: 'email' }, 'a@b'],
    [{ type: 'string', format: 'uri' }, 'urn:isbn:1'],
    [{ type: 'string', format: 'date' }, '2024-02-29'],
    [{ type: 'string', format: 'date-time' }, '2026-07-28T09:30:00+02:00'],
    [{ type: 'string', format: 'postcode' }, 'anything'],
    [{ type: 'integer', minimum: 1, maximum: 1 }, 1],
    [{ type: 'number' }, -0.5],
    [{ type: 'boolean' }, false],
    [{ enum: ['x'] }, 'x'],
    [pick, ['x', 'z']],
  ])('%j takes %j', (property, value) => {
    expect(problemOf(property, value)).toBeUndefined();
  });

  test.each<[JsonObject, JsonValue, string]>([
    [{ type: 'string' }, 1, 'expected text'],
    [{ type: 'string', minLength: 2 }, '👍', 'expected at least 2 characters'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'expected at most 1 characters'],
    [{ type: 'string', format: 'email' }, 'a b@c', 'expected an e-mail address'],
    [
      { type: 'string', format: 'uri' },
      'example.com',
      'expected a URI, such as https://example.com',
    ],
    [{ type: 'string', format: 'date' }, '2026-02-29', 'expected a date, such as 2026-07-28'],
    [{ type: 'string', format: 'date' }, '28.7.2026', 'expected a date, such as 2026-07-28'],
    [
      { type: 'string', format: 'date-time' },
      '2026-07-28',
      'expected a time, such as 2026-07-28T09:30:00Z',
    ],
    [{ type: 'integer' }, 1.5, 'expected a whole number'],
    [{ type: 'number', minimum: 2 }, 1, 'expected at least 2'],
    [{ type: 'number', maximum: 2 }, 3, 'expected at most 2'],
    [{ type: 'number' }, '3', 'expected a number'],
    [{ type: 'boolean' }, 'yes', 'expected yes or no'],
    [{ enum: ['x'] }, 'X', 'expected one of the choices'],
    [pick, 'x', 'expected a list'],
    [pick, ['q'], 'expected only given choices'],
    [pick, ['x', 'x'], 'expected each choice once'],
    [pick, [], 'expected at least 1 of them'],
    [pick, ['x', 'y', 'z'], 'expected at most 2 of them'],
  ])('%j does not take %j', (property, value, problem) => {
    expect(problemOf(property, value)).toBe(problem);
  });

  test('every field that is missing, wrong or strange is named', () => {
    const form = formOf({ a: { type: 'string' }, b: { type: 'integer' } }, ['a']);
    expect(formProblems(form, { b: 'x', c: 1 })).toEqual([
      'c: the form has no such field',
      'a: it is required',
      'b: expected a number',
    ]);
    expect(formProblems(form, { a: '', b: 2 })).toEqual([]);
  });

  test('defaults that do not fit their own schema are none', () => {
    const form = formOf({
      a: { type: 'string', default: 'x' },
      b: { type: 'integer', default: 1.5 },
      c: { enum: ['y'], default: 'z' },
      d: { type: 'boolean', default: false },
    });
    expect(formDefaults(form)).toEqual({ a: 'x', d: false });
  });

  test('a field may be called like what every object has', () => {
    const form = formOf({ constructor: { type: 'string' }, toString: { type: 'boolean' } });
    expect(formProblems(form, {})).toEqual([]);
    expect(readForm({ properties: {}, required: ['constructor'] })).toBe(
      'no field "constructor" to require',
    );
  });
});
