import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createToolSearch, searchTools } from '../../src/tools/search.ts';
import { slipsBetween } from '../../src/tools/search-spelling.ts';
import { stem } from '../../src/tools/search-stem.ts';
import { splitWords } from '../../src/tools/search-words.ts';
import type { RegisteredTool } from '../../src/tools/types.ts';
import { TEST_SEED } from '../helpers/seed.ts';
import { definition, registered } from './samples.ts';

function toolOf(server: string, name: string, description = ''): RegisteredTool {
  return registered(server, definition(name, { description }));
}

const TOOLS = [
  toolOf('fs', 'move_file', 'Move or rename a file or directory'),
  toolOf('fs', 'read_file', 'Read the whole content of a file'),
  toolOf('fs', 'get_file_info', 'Size, type and time of last modification'),
  toolOf('map', 'mindmap', 'Turns markdown into a mindmap'),
  toolOf('rail', 'get-train-route-stations', '查询列车途经车站'),
  toolOf('rail', 'get-tickets', '查询车票'),
  toolOf('sky', 'get_weather', 'Weather forecast for a city'),
  toolOf('git', 'git_reset', 'Unstages all staged changes'),
];

function names(query: string, limit = 3): readonly string[] {
  return searchTools(TOOLS, query, limit).map(({ tool }) => tool.name);
}

describe('what finds a tool', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['another word of the same meaning', 'relocate a document', 'move_file'],
    ['a typing slip', 'wether forcast', 'get_weather'],
    ['letters swapped', 'raed file', 'read_file'],
    ['two words for one', 'mind map', 'mindmap'],
    ['one word for two', 'readfile', 'read_file'],
    ['another spelling of its name', 'gitReset', 'git_reset'],
    ['Chinese for an English tool', '北京明天天气怎么样', 'get_weather'],
    [
      'English for a Chinese tool',
      'which stations does the train pass',
      'get-train-route-stations',
    ],
    ['Chinese for a Chinese tool', '车票', 'get-tickets'],
    ['French', 'renommer un fichier', 'move_file'],
    ['Spanish', '¿Qué tiempo hace en esta ciudad?', 'get_weather'],
    ['German', 'Zeige mir das Wetter', 'get_weather'],
    ['Russian', 'переименовать файл', 'move_file'],
    ['Japanese', 'ファイルを読む', 'read_file'],
    ['a file name in the query', 'open /srv/weather_report.txt', 'read_file'],
    ['a phrase', 'undo git add', 'git_reset'],
  ];
  for (const [why, query, expected] of cases) {
    test(`${why}: ${query}`, () => {
      expect(names(query)[0]).toBe(expected);
    });
  }

  test('a name is no typing slip', () => {
    expect(names('ask Ritley Weatherby')).toEqual([]);
  });

  test('the text on its server, where there is one', () => {
    const search = createToolSearch(() => new Map([['fs', 'Zeppelin logistics']]));
    const found = search.find(TOOLS, 'zeppelin', 8);
    expect(found.map(({ tool }) => tool.server)).toEqual(['fs', 'fs', 'fs']);
  });
});

test('an index that follows a list answers like a new one', () => {
  const search = createToolSearch();
  const queries = ['read file', 'weather', 'train stations', 'document'];
  const lists = [
    TOOLS,
    TOOLS.slice(3),
    [...TOOLS].reverse(),
    TOOLS.map((tool) => (tool.name === 'read_file' ? toolOf('fs', 'read_file', 'Weather') : tool)),
    [],
    TOOLS.slice(0, 2),
  ];
  for (const list of lists) {
    for (const query of queries) {
      expect(search.find(list, query, 8)).toEqual(createToolSearch().find(list, query, 8));
    }
  }
});

test('order of tools, wild queries and limits never change what is best', () => {
  const word = fc.constantFrom('read', 'file', 'weather', '列车', 'mindmap', 'x', 'undo', '/a/b.c');
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.array(word).map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(
      text,
      fc.nat({ max: 9 }),
      fc.shuffledSubarray(TOOLS, { minLength: 8 }),
      (query, limit, shuffled) => {
        const best = searchTools(TOOLS, query, 8);
        expect(searchTools(shuffled, query, 8)).toEqual([...best]);
        expect(searchTools(TOOLS, query, limit)).toEqual(best.slice(0, limit));
        expect(best.every(({ score }) => score > 0 && Number.isFinite(score))).toBe(true);
      },
    ),
    { seed: TEST_SEED },
  );
});

test('counts slips and gives up beyond the bound', () => {
  expect([
    slipsBetween('souce', 'source', 2),
    slipsBetween('raed', 'read', 1),
    slipsBetween('weather', 'whether', 2),
    slipsBetween('abcd', 'wxyz', 2),
  ]).toEqual([1, 1, 2, 3]);
});

test('forms of a word have one stem, other words keep theirs', () => {
  const groups = [
    ['list', 'lists', 'listing', 'listed'],
    ['convert', 'converts', 'converter', 'conversion'],
    ['summary', 'summaries', 'summarize', 'summarise'],
    ['validate', 'validation', 'validator'],
    ['delete', 'deleting', 'deletion'],
  ];
  expect(groups.map((words) => new Set(words.map(stem)).size)).toEqual(groups.map(() => 1));
  expect(new Set(['order', 'number', 'server', 'news', 'new', 'status'].map(stem)).size).toBe(6);
});

test('splits scripts without spaces into pairs and leaves acronyms whole', () => {
  expect(splitWords('查询车票 PDFs getURLs base64')).toEqual([
    '查询',
    '询车',
    '车票',
    'pdf',
    'get',
    'url',
    'base',
    '64',
  ]);
});
