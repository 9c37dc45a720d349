import { expect, test } from 'bun:test';
import { unmetExpectations } from '../../src/tools/expect.ts';

const found = { tools: ['search', 'read'], version: '1.4.2' };

test.each([
  [{}, []],
  [{ tools: ['search'], minTools: 2, serverVersion: '1.*' }, []],
  [{ tools: ['serch'] }, ['tool serch is missing (there is search)']],
  [{ tools: ['wipe', 'read'] }, ['tool wipe is missing']],
  [{ minTools: 3 }, ['2 tools instead of at least 3']],
  [{ serverVersion: '1.4' }, ['version 1.4.2 instead of 1.4']],
  [
    { tools: ['x'], minTools: 9, serverVersion: '2.*' },
    ['tool x is missing', '2 tools instead of at least 9', 'version 1.4.2 instead of 2.*'],
  ],
])('%j against what is there', (expectation, differences) => {
  expect(unmetExpectations(expectation, found)).toEqual(differences);
});

test('a server that does not tell its version has none, and its words are harmless', () => {
  expect(unmetExpectations({ serverVersion: '*.*' }, { tools: [], version: undefined })).toEqual([
    'version (none) instead of *.*',
  ]);
  const odd = { tools: [], version: '2\u001b[2J' };
  expect(unmetExpectations({ serverVersion: '1' }, odd)).toEqual([
    'version 2\\u{1b}[2J instead of 1',
  ]);
});
