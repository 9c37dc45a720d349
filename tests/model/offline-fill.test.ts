import { describe, expect, test } from 'bun:test';
import { fillArguments } from '../../src/model/offline-fill.ts';
import { routePrompt } from '../../src/model/offline-route.ts';
import { findValues } from '../../src/model/offline-values.ts';
import type { RegisteredTool } from '../../src/tools/types.ts';
import { definition, registered } from '../tools/samples.ts';

/** A Thursday, at noon on whatever clock the test runs by. */
const NOW = new Date(2026, 0, 15, 12, 0);

function fill(properties: object, required: readonly string[], prompt: string) {
  const inputSchema = {
    type: 'object',
    properties: JSON.parse(JSON.stringify(properties)),
    required,
  };
  const tool = registered('s', definition('t', { inputSchema }));
  const { args, missing, hasLeftover } = fillArguments(tool, findValues(prompt, NOW), prompt);
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
    ['a day told from today', { date }, ['date'], 'weather tomorrow', { date: '2026-01-16' }],
    ['the last such weekday', { date }, ['date'], 'on last Thursday', { date: '2026-01-08' }],
    ['the next such weekday', { date }, ['date'], 'next Thursday', { date: '2026-01-22' }],
    ['days from now', { date }, ['date'], 'due in 3 days', { date: '2026-01-18' }],
    ['days from now in words', { date }, ['date'], 'due in two weeks', { date: '2026-01-29' }],
    ['a while ago', { date }, ['date'], 'as of 2 months ago', { date: '2025-11-15' }],
    ['a week by its first day', { date }, ['date'], 'meetings next week', { date: '2026-01-19' }],
    [
      'both ends of a span',
      { end_date: date, start_date: date },
      ['start_date', 'end_date'],
      'sales of last month',
      { start_date: '2025-12-01', end_date: '2025-12-31' },
    ],
    [
      'the end that was said',
      { start_date: date, end_date: date },
      [],
      'tasks until Friday',
      { end_date: '2026-01-16' },
    ],
    [
      'days back as a number where a number is wanted',
      { since_days: integer, since: date },
      ['since_days'],
      'commits of the last 3 days',
      { since_days: 3 },
    ],
    [
      'a code',
      { nct_id: text, ip: text },
      ['nct_id', 'ip'],
      'NCT03456789 seen by 10.0.0.7',
      { nct_id: 'NCT03456789', ip: '10.0.0.7' },
    ],
    ['a ticker', { symbol: text }, ['symbol'], 'the price of NVDA', { symbol: 'NVDA' }],
    ['an address', { email: text }, ['email'], 'look up a.b@c.example', { email: 'a.b@c.example' }],
    [
      'words listed without quotes',
      { names: { type: 'array', items: text } },
      ['names'],
      'shuffle Ana, Bo and Cy',
      { names: ['Ana', 'Bo', 'Cy'] },
    ],
    [
      'a weight in the unit asked for',
      { weight: { type: 'number', description: 'in grams' } },
      ['weight'],
      'post 2 kg',
      { weight: 2000 },
    ],
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
      'a choice where a folder could stand',
      { units: { enum: ['metric', 'imperial'] } },
      [],
      'weather in metric',
      { units: 'metric' },
    ],
    ['a city, as a guess', { city: text }, ['city'], 'weather in Rome', { city: 'Rome' }],
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

  test('a moment needs a time of day, unless it is where something begins or ends', () => {
    const moment = { type: 'string', format: 'date-time' };
    const at = (prompt: string) => fill({ at: moment }, ['at'], prompt).args['at'];
    const read = (value: unknown) => new Date(String(value)).getTime();
    expect(at('remind me tomorrow')).toBeUndefined();
    expect(read(at('remind me tomorrow at 10 am'))).toBe(new Date(2026, 0, 16, 10).getTime());
    expect(read(at('remind me on 2026-02-01 14:30'))).toBe(new Date(2026, 1, 1, 14, 30).getTime());
    expect(read(at('remind me in 2 hours'))).toBe(new Date(2026, 0, 15, 14).getTime());
    const { start, end } = fill({ start: moment, end: moment }, [], 'meetings this week').args;
    expect([read(start), read(end)]).toEqual([
      new Date(2026, 0, 12).getTime(),
      new Date(2026, 0, 18, 23, 59, 59).getTime(),
    ]);
  });

  test('what a prompt is about is shown, and nothing is called with it', () => {
    const inputSchema = { type: 'object', properties: { query: text }, required: ['query'] };
    const search = registered(
      's',
      definition('search_notes', {
        description: 'Search notes',
        inputSchema,
        annotations: { readOnlyHint: true },
      }),
    );
    const route = routePrompt('search notes about sourdough in my journal', [search], NOW);
    expect(route).toMatchObject({
      kind: 'unclear',
      candidates: [{ filled: { args: { query: 'sourdough' } } }],
    });
  });

  test('arguments that do not fit the schema are not sent', () => {
    const inputSchema = {
      type: 'object',
      properties: { limit: { type: 'integer', maximum: 10 } },
      required: ['limit'],
    };
    const list = registered(
      's',
      definition('list_notes', {
        description: 'List notes',
        inputSchema,
        annotations: { readOnlyHint: true },
      }),
    );
    expect(routePrompt('list 500 notes', [list], NOW).kind).toBe('unclear');
    expect(routePrompt('list 5 notes', [list], NOW).kind).toBe('call');
  });

  test('today may be said in passing, another day not', () => {
    const news = registered(
      's',
      definition('list_news', { description: 'List news', annotations: { readOnlyHint: true } }),
    );
    expect(routePrompt('list the news today', [news], NOW).kind).toBe('call');
    expect(routePrompt('list the news of yesterday', [news], NOW).kind).toBe('unclear');
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
      expect(routePrompt(prompt, tools, NOW).kind).toBe('unclear');
    });
  }

  test('what is clear is called', () => {
    expect(routePrompt('list the files', tools, NOW)).toMatchObject({
      kind: 'call',
      tool: { name: 'list_files' },
    });
    expect(routePrompt('status of the order', tools, NOW)).toMatchObject({
      kind: 'call',
      tool: { name: 'get_status' },
    });
  });
});
