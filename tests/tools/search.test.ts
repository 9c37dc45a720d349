import { describe, expect, test } from 'bun:test';
import { searchTools } from '../../src/tools/search.ts';
import { wordsOf } from '../../src/tools/search-words.ts';
import { definition, registered } from './samples.ts';

const TOOLS = [
  registered('github', definition('search_code', { description: 'Search code in repositories' })),
  registered(
    'github',
    definition('list_issues', { description: 'List the issues of a repository' }),
  ),
  registered(
    'files',
    definition('readTextFile', {
      description: 'Read a file as text',
      inputSchema: { type: 'object', properties: { path: {} } },
    }),
  ),
  registered('files', definition('write-file', { description: 'Write a file' })),
];
const names = (query: string, limit = 10) =>
  searchTools(TOOLS, query, limit).map(({ tool }) => tool.publicName);

describe('search', () => {
  test('splits names at case, digits and every other character, endings and accents off', () => {
    expect([wordsOf('readTextFile'), wordsOf('HTTPServer2go'), wordsOf('a-b_c.d/résumé')]).toEqual([
      ['read', 'text', 'fil'],
      ['http', 'server', '2', 'go'],
      ['b', 'c', 'd', 'resum'],
    ]);
  });

  test('ranks the tool first whose name has the words', () => {
    expect([
      names('read file', 1),
      names('open issues', 1),
      names('code search', 1),
      names('writing files', 1),
    ]).toEqual([
      ['files_readTextFile'],
      ['github_list_issues'],
      ['github_search_code'],
      ['files_write-file'],
    ]);
  });

  test('an exact name, path or public name comes first', () => {
    for (const query of ['write-file', 'files/write-file', 'FILES_write-file']) {
      expect(names(query)[0]).toBe('files_write-file');
    }
  });

  test('nothing in common gives nothing, the limit holds, ties do not depend on order', () => {
    expect([names('weather tomorrow'), names(''), names('file', 0)]).toEqual([[], [], []]);
    const twins = [registered('b', definition('same')), registered('a', definition('same'))];
    const order = (tools: typeof twins) =>
      searchTools(tools, 'same', 5).map(({ tool }) => tool.server);
    expect(order(twins)).toEqual(['a', 'b']);
    expect(order([...twins].reverse())).toEqual(['a', 'b']);
  });
});
