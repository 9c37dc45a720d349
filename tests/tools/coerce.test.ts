import { describe, expect, test } from 'bun:test';
import { UsageError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { parseArguments } from '../../src/tools/coerce.ts';

const files: Readonly<Record<string, string>> = { 'a.txt': 'from file', 'n.txt': '7' };
const parse = (words: readonly string[], schema?: JsonObject) =>
  parseArguments(words, schema, (path) => files[path] ?? '');
const typed = (properties: JsonObject, ...words: string[]) =>
  parse(words, { type: 'object', properties });
const problem = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no error';
};

describe('arguments on a command line', () => {
  test('a value takes its type from the schema', () => {
    const properties = {
      s: { type: 'string' },
      n: { type: 'number' },
      i: { type: 'integer' },
      b: { type: 'boolean' },
      o: { type: 'object' },
      a: { type: 'array', items: { type: 'string' } },
      e: { enum: [1, 'x'] },
      m: { type: ['integer', 'null'] },
      r: { $ref: '#/$defs/Text' },
      u: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    };
    const words = [
      's=007',
      'n=1.5',
      'i=3',
      'b=true',
      'o={"k":1}',
      'a=["1"]',
      'e=1',
      'm=null',
      'r=true',
      'u=x',
    ];
    expect(parse(words, { properties, $defs: { Text: { type: 'string' } } })).toEqual({
      s: '007',
      n: 1.5,
      i: 3,
      b: true,
      o: { k: 1 },
      a: ['1'],
      e: 1,
      m: null,
      r: 'true',
      u: 'x',
    });
  });

  test('without a schema: JSON if it parses as such, else text', () => {
    expect(
      parse(['a=1', 'b=true', 'c={"x":[]}', 'd=word', 'e=01', 'f=', 'g=a=b', 'h=null']),
    ).toEqual({
      a: 1,
      b: true,
      c: { x: [] },
      d: 'word',
      e: '01',
      f: '',
      g: 'a=b',
      h: null,
    });
  });

  test(':= is JSON, =@ a file, a.b a path, repeated keys of an array its items', () => {
    expect(
      typed(
        { s: { type: 'string' }, tags: { type: 'array', items: { type: 'integer' } } },
        's:={"a":1}',
        'tags=1',
        'tags=2',
        'x=@a.txt',
        'p.q.r=1',
        'p.q.s=t',
      ),
    ).toEqual({ s: { a: 1 }, tags: [1, 2], x: 'from file', p: { q: { r: 1, s: 't' } } });
    expect(typed({ 'a.b': { type: 'string' } }, 'a.b=1')).toEqual({ 'a.b': '1' });
    expect(typed({ n: { type: 'integer' } }, 'n=@n.txt')).toEqual({ n: 7 });
    expect(
      typed({ o: { type: 'object', properties: { t: { type: 'string' } } } }, 'o.t=5'),
    ).toEqual({ o: { t: '5' } });
  });

  test('one JSON object is taken as it is', () => {
    expect(parse([' {"a": {"b": "1"}} '])).toEqual({ a: { b: '1' } });
    expect(parse([])).toEqual({});
  });

  test('slips are usage errors that show key and wanted type', () => {
    const i = { i: { type: 'integer' }, b: { type: 'boolean' } };
    expect([
      problem(() => typed(i, 'i=1.5')),
      problem(() => typed(i, 'b=yes')),
      problem(() => parse(['word'])),
      problem(() => parse(['=1'])),
      problem(() => parse(['a=1', 'a=2'])),
      problem(() => parse(['a=1', 'a.b=2'])),
      problem(() => parse(['a:={x'])),
      problem(() => parse(['{"a":1'])),
      problem(() => parse(['__proto__.x=1'])),
    ]).toEqual([
      'i: expected integer, got "1.5"',
      'b: expected boolean, got "yes"',
      'word: expected key=value',
      '=1: expected key=value',
      'a: given twice',
      'a.b: given twice',
      'a: expected JSON, got "{x"',
      'the arguments are not one JSON object: {"a":1',
      '__proto__.x: not a usable argument name',
    ]);
  });
});

test('a whole number with more digits than a number keeps is sent as text, or not at all', () => {
  const of = (type: string) => ({ type: 'object', properties: { id: { type } } });
  const words = ['id=99999999999999999999'];
  expect(parseArguments(words, of('string'), () => '')).toEqual({ id: '99999999999999999999' });
  expect(parseArguments(words, {}, () => '')).toEqual({ id: '99999999999999999999' });
  for (const type of ['integer', 'number']) {
    expect(() => parseArguments(words, of(type), () => '')).toThrow('more digits than');
  }
  const exact = ['id=9007199254740991'];
  expect(parseArguments(exact, of('integer'), () => '')).toEqual({ id: 9007199254740991 });
});
