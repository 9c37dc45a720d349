import { describe, expect, test } from 'bun:test';
import { fillArguments } from '../../src/model/offline-fill.ts';
import { routePrompt } from '../../src/model/offline-route.ts';
import { findValues } from '../../src/model/offline-values.ts';
import type { RegisteredTool } from '../../src/tools/types.ts';
import { definition, registered } from '../tools/samples.ts';

function fill(properties: object, required: readonly string[], prompt: string) {
  const inputSchema = {
    type: 'object',
    properties: JSON.parse(JSON.stringify(properties)),
    required,
  };
  const tool = registered('s', definition('t', { inputSchema }));
  const { args, missing, hasLeftover } = fillArguments(tool, findValues(prompt), prompt);
  return { args, missing, hasLeftover };
}
const done = (args: object) => ({ args, missing: [], hasLeftover: false });
const number = { type: 'number' };
const integer = { type: 'integer' };
const text = { type: 'string' };
const date = { type: 'string', format: 'date' };

describe('arguments from a prompt', () => {
  const cases: readonly (readonly [string, object, readonly string[], string, object])[] = [
    ['a date as written', { date }, ['date'], 'weather on 2024-03-05', { date: '2024-03-05' }],
    ['a date in words', { date }, ['date'], 'on 5 March 2024', { date: '2024-03-05' }],
    ['a date the American way', { date }, ['date'], 'on Mar 5th, 2024', { date: '2024-03-05' }],
    [
      'two dates in order, in the form asked for',
      {
        from: { type: 'string', description: 'YYYYMMDD' },
        to: { type: 'string', description: 'YYYYMMDD' },
      },
      ['from', 'to'],
      'from 2024-01-02 to 2024-02-01',
      { from: '20240102', to: '20240201' },
    ],
    ['a grouped number', { n: integer }, ['n'], 'count to 12,500', { n: 12_500 }],
    [
      'units to their properties',
      { days: integer, amount: number },
      ['amount', 'days'],
      'for 3 days and 250 euros',
      { amount: 250, days: 3 },
    ],
    [
      'a unit the property does not count in',
      { timeout_ms: integer },
      ['timeout_ms'],
      'give up after 2.5s',
      { timeout_ms: 2500 },
    ],
    [
      'a unit in the description',
      { size: { type: 'number', description: 'in kilobytes' } },
      ['size'],
      'files above 2 MB',
      { size: 2048 },
    ],
    [
      'how many',
      { query: text, limit: integer },
      ['query'],
      'top 5 of "x"',
      { query: 'x', limit: 5 },
    ],
    [
      'an enum of several words',
      { period: { enum: ['last_week', 'last_month'] } },
      ['period'],
      'sales of last month',
      { period: 'last_month' },
    ],
    [
      'the longer of two choices',
      { kind: { enum: ['bar', 'bar chart'] } },
      ['kind'],
      'a bar chart please',
      { kind: 'bar chart' },
    ],
    [
      'lists of texts',
      { names: { type: 'array', items: text } },
      ['names'],
      "shuffle 'a', 'b' and 'c'",
      { names: ['a', 'b', 'c'] },
    ],
    [
      'lists of numbers',
      { numbers: { type: 'array', items: number } },
      ['numbers'],
      'mean of 3, 5 and 8.5',
      { numbers: [3, 5, 8.5] },
    ],
    [
      'lists of choices',
      { fields: { type: 'array', items: { enum: ['size', 'type', 'time'] } } },
      [],
      'its size and time',
      { fields: ['size', 'time'] },
    ],
    [
      'dotted keys',
      { options: { type: 'object', properties: { depth: integer } } },
      [],
      'list options.depth=2',
      { options: { depth: 2 } },
    ],
    [
      'objects inside',
      { place: { type: 'object', properties: { city: text, days: integer }, required: ['city'] } },
      ['place'],
      'weather in "Rome" for 4 days',
      { place: { city: 'Rome', days: 4 } },
    ],
  ];
  for (const [what, properties, required, prompt, expected] of cases) {
    test(`${what}: ${prompt}`, () => {
      expect<unknown>(fill(properties, required, prompt)).toEqual(done(expected));
    });
  }

  test('nothing is made up: no day there is not, no other unit, no time of day', () => {
    expect(fill({ date }, ['date'], 'on 2024-02-31').missing).toEqual(['date']);
    expect(fill({ meters: number }, ['meters'], 'wait 5 s').missing).toEqual(['meters']);
    const at = { type: 'string', format: 'date-time' };
    expect(fill({ at }, ['at'], 'on 2024-03-05')).toEqual({
      args: {},
      missing: ['at'],
      hasLeftover: true,
    });
  });

  test('what is missing inside an object is named by its path', () => {
    const place = { type: 'object', properties: { city: text }, required: ['city'] };
    expect(fill({ place }, ['place'], 'weather').missing).toEqual(['place.city']);
  });
});

describe('no wrong call', () => {
  const readOnly = (name: string, description: string): RegisteredTool =>
    registered('s', definition(name, { description, annotations: { readOnlyHint: true } }));
  const tools = [
    readOnly('list_files', 'Lists the files'),
    readOnly('get_status', 'Status of the order'),
    registered('s', definition('delete_files', { description: 'Deletes the files' })),
  ];
  const prompts = [
    'delete the files',
    'list the files and delete them',
    'do not list the files',
    'never show the status',
    'cancel the order',
    'rename the files',
    'supprimer les fichiers',
    '删除文件',
    'lösche die Dateien',
  ];
  for (const prompt of prompts) {
    test(prompt, () => {
      expect(routePrompt(prompt, tools).kind).toBe('unclear');
    });
  }

  test('what is clear is called', () => {
    expect(routePrompt('list the files', tools)).toMatchObject({
      kind: 'call',
      tool: { name: 'list_files' },
    });
    expect(routePrompt('status of the order', tools)).toMatchObject({
      kind: 'call',
      tool: { name: 'get_status' },
    });
  });
});
