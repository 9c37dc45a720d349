// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are what is tested.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { escapeReferences, expand, hasReference } from '../../src/config/expand.ts';
import { TEST_SEED } from '../helpers/seed.ts';

const PARAMETERS = { seed: TEST_SEED, numRuns: 500 };
const env = { TOK: 'value', EMPTY: '', NESTED: '${TOK}', DOLLAR: 'a$b$$c$&', _x1: 'low' };

describe('expand', () => {
  const texts: Readonly<Record<string, string>> = {
    'plain text': 'plain text',
    '': '',
    'Bearer ${TOK}': 'Bearer value',
    '${TOK}${_x1}': 'valuelow',
    '${TOK:-other}': 'value',
    '${NOPE:-other}': 'other',
    '${EMPTY:-other}': 'other',
    '${NOPE:-}': '',
    '${NOPE:-a b:c-d$e}': 'a b:c-d$e',
    '${EMPTY}': '',
    '${NESTED}': '${TOK}',
    '${DOLLAR}': 'a$b$$c$&',
    $TOK: '$TOK',
    'cost 5$': 'cost 5$',
    $$: '$$',
    '{TOK}': '{TOK}',
    '$${TOK}': '${TOK}',
    '$${TOK}-${TOK}': '${TOK}-value',
    '$${': '${',
    '$$${TOK}': '$${TOK}',
  };
  for (const [text, expected] of Object.entries(texts)) {
    test(`${JSON.stringify(text)} gives ${JSON.stringify(expected)}`, () => {
      expect(expand(text, env, false)).toMatchObject({ kind: 'expanded', text: expected });
    });
  }

  const failures: Readonly<Record<string, string>> = {
    '${env:TOK}': '${env:TOK} is not known here; write ${TOK}',
    '${TOK': 'a ${ is never closed; write ${VAR}, or $${ for the characters ${',
    '${': 'a ${ is never closed; write ${VAR}, or $${ for the characters ${',
    '${}': 'only ${VAR} and ${VAR:-default} are known; write $${ for the characters ${',
    '${TOK-x}': 'only ${VAR} and ${VAR:-default} are known; write $${ for the characters ${',
    '${TOK:?x}': 'only ${VAR} and ${VAR:-default} are known; write $${ for the characters ${',
    '${ TOK }': 'only ${VAR} and ${VAR:-default} are known; write $${ for the characters ${',
    '${A:-${TOK}}': 'a default cannot hold another ${VAR}',
  };
  for (const [text, expected] of Object.entries(failures)) {
    test(`${text} is an error`, () => {
      expect(expand(text, env, false)).toMatchObject({ kind: 'bad', text: expected });
    });
  }

  test('names every missing variable once, an empty one where values are trimmed', () => {
    expect([
      expand('${A}${B}${A}${EMPTY}', env, false),
      expand('${A}${B}${A}${EMPTY}', env, true),
    ]).toEqual([
      { kind: 'missing', variables: ['A', 'B'] },
      { kind: 'missing', variables: ['A', 'B', 'EMPTY'] },
    ]);
  });

  test('cuts white space around a value only where asked', () => {
    const padded = { A: ' a b\n' };
    expect([expand('${A}.', padded, false), expand('${A}.', padded, true)]).toEqual([
      { kind: 'expanded', text: ' a b\n.', used: [{ name: 'A', value: ' a b\n' }] },
      { kind: 'expanded', text: 'a b.', used: [{ name: 'A', value: 'a b' }] },
    ]);
  });

  test('reports the values that went in', () => {
    expect(expand('${TOK}/${NOPE:-x}', env, false)).toEqual({
      kind: 'expanded',
      text: 'value/x',
      used: [{ name: 'TOK', value: 'value' }],
    });
  });

  const pieces = fc
    .array(fc.oneof(fc.constantFrom('$', '{', '}', '${', '$${', ':-', 'TOK'), fc.string()))
    .map((parts) => parts.join(''));

  test('any escaped text expands to itself', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        expect(expand(escapeReferences(text), env, true)).toEqual({
          kind: 'expanded',
          text,
          used: [],
        });
      }),
      PARAMETERS,
    );
  });

  test('a value goes in as it is, whatever it holds', () => {
    fc.assert(
      fc.property(pieces, pieces, (before, value) => {
        const prefix = escapeReferences(before).replace(/\$+$/, '');
        const result = expand(`${prefix}\${V}`, { V: value, TOK: 'never' }, false);
        expect(result).toMatchObject({
          text: before.replace(/\$+$/, '') + value,
          used: value === '' ? [] : [{ name: 'V', value }],
        });
      }),
      PARAMETERS,
    );
  });

  test('any text at all ends in one of three outcomes', () => {
    fc.assert(
      fc.property(pieces, fc.boolean(), (text, trimmed) => {
        expect(['expanded', 'bad', 'missing']).toContain(expand(text, env, trimmed).kind);
      }),
      PARAMETERS,
    );
  });

  test('a reference is told from its escape', () => {
    expect(['${A}', '${A:-b}', '$${A}', '$A', '${A', ''].map(hasReference)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
