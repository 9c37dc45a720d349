import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { matchesGlob } from '../../src/base/glob.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { findBinary } from '../../src/tools/binary-schema.ts';
import { type ExposureRules, hiddenReason, unmatchedPatterns } from '../../src/tools/filter.ts';
import { TEST_SEED } from '../helpers/seed.ts';
import { definition } from './samples.ts';

fc.configureGlobal({ seed: TEST_SEED });

const rules = (more: Partial<ExposureRules>): ExposureRules => ({
  tools: undefined,
  exposure: 'direct',
  binary: 'drop',
  ...more,
});

const exposed = (names: readonly string[], tools: readonly string[] | undefined) =>
  names.filter((name) => hiddenReason(definition(name), rules({ tools })) === undefined);

describe('allowlist', () => {
  const names = ['get_issue', 'list_issues', 'delete_repo', 'a-b'];

  test('MM-20: absent is all, [] is none, otherwise the listed original names only', () => {
    expect([
      exposed(names, undefined),
      exposed(names, []),
      exposed(names, ['a-b', 'get_issue']),
      exposed(names, ['a_b']),
    ]).toEqual([names, [], ['get_issue', 'a-b'], []]);
  });

  test('globs choose, exclusions always win, only exclusions are all but those', () => {
    expect([
      exposed(names, ['*_issue?']),
      exposed(names, ['!delete_*', '*']),
      exposed(names, ['!delete_*']),
      exposed(names, ['delete_repo', '!delete_repo']),
    ]).toEqual([
      ['list_issues'],
      ['get_issue', 'list_issues', 'a-b'],
      ['get_issue', 'list_issues', 'a-b'],
      [],
    ]);
  });

  test('the reason names the exclusion', () => {
    expect([
      hiddenReason(definition('x1'), rules({ tools: ['!x*'] })),
      hiddenReason(definition('x1'), rules({ tools: ['y'] })),
      hiddenReason(definition('x1'), rules({ exposure: 'hidden' })),
    ]).toEqual([
      { kind: 'excluded', pattern: '!x*' },
      { kind: 'not_listed' },
      { kind: 'exposure' },
    ]);
  });

  test('MM-20: a listed name the server does not have is a warning with the nearest match', () => {
    expect(unmatchedPatterns('gh', names, ['get_isue', '*', '!delete_rep', 'zzz*'])).toEqual([
      {
        message: 'gh: the server has no tool "get_isue" (listed in tools:)',
        hint: 'did you mean "get_issue"?',
      },
      {
        message: 'gh: the server has no tool "delete_rep" (listed in tools:)',
        hint: 'did you mean "delete_repo"?',
      },
      {
        message: 'gh: the server has no tool that fits "zzz*" (listed in tools:)',
        hint: 'usher tools gh --all lists what it has',
      },
    ]);
  });

  test('a glob of many stars ends at once', () => {
    expect(matchesGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(5_000))).toBe(false);
  });

  test('globs agree with the regular expression they stand for', () => {
    const pattern = fc.stringMatching(/^[ab*?.]{0,8}$/);
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab.]{0,10}$/), (glob, text) => {
        const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesGlob(glob, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });
});

describe('binary filter', () => {
  const pathOf = (schema: JsonObject) => findBinary(schema, 'inputSchema');

  test('MM-07 MM-09: finds binary data wherever it is declared', () => {
    const binary = { type: 'string', format: 'binary' };
    expect([
      pathOf({ properties: { file: binary } }),
      pathOf({ properties: { a: { properties: { b: { type: 'string', format: 'byte' } } } } }),
      pathOf({ properties: { a: { items: { type: 'binary' } } } }),
      pathOf({ properties: { a: { type: ['null', 'binary'] } } }),
      pathOf({ properties: { a: { prefixItems: [{}, binary] } } }),
      pathOf({ properties: { a: { anyOf: [{ type: 'null' }, { contentEncoding: 'base64' }] } } }),
      pathOf({ oneOf: [{ allOf: [{ contentMediaType: 'image/png' }] }] }),
      pathOf({ $defs: { F: { contentMediaType: 'application/pdf' } } }),
      pathOf({ definitions: { F: binary } }),
      pathOf({ additionalProperties: binary }),
    ]).toEqual([
      'inputSchema.properties.file (format: binary)',
      'inputSchema.properties.a.properties.b (format: byte)',
      'inputSchema.properties.a.items (type: binary)',
      'inputSchema.properties.a (type: binary)',
      'inputSchema.properties.a.prefixItems[1] (format: binary)',
      'inputSchema.properties.a.anyOf[1] (contentEncoding: base64)',
      'inputSchema.oneOf[0].allOf[0] (contentMediaType: image/png)',
      'inputSchema.$defs.F (contentMediaType: application/pdf)',
      'inputSchema.definitions.F (format: binary)',
      'inputSchema.additionalProperties (format: binary)',
    ]);
  });

  test('takes text, JSON and names that only look like keywords for what they are', () => {
    expect([
      pathOf({ properties: { format: { type: 'string' }, type: { enum: ['binary'] } } }),
      pathOf({ properties: { a: { default: { format: 'binary' }, format: 'uri' } } }),
      pathOf({ contentMediaType: 'text/html; charset=utf-8' }),
      pathOf({ contentMediaType: 'application/vnd.api+json' }),
      pathOf({ contentMediaType: 'application/json', contentEncoding: 'quoted-printable' }),
      pathOf({ properties: true, items: false, anyOf: 'x' }),
    ]).toEqual(Array.from({ length: 6 }, () => undefined));
  });

  test('ends on a schema that holds itself', () => {
    const inner: Record<string, JsonObject> = {};
    const schema: JsonObject = { properties: inner };
    inner['again'] = schema;
    expect(pathOf(schema)).toBeUndefined();
  });

  test('MM-07: an output schema counts, binary: keep does not hide, the list goes first', () => {
    const tool = definition('t', { outputSchema: { properties: { d: { format: 'binary' } } } });
    expect([
      hiddenReason(tool, rules({})),
      hiddenReason(tool, rules({ binary: 'keep' })),
      hiddenReason(tool, rules({ tools: [] })),
    ]).toEqual([
      { kind: 'binary', schemaPath: 'outputSchema.properties.d (format: binary)' },
      undefined,
      { kind: 'not_listed' },
    ]);
  });
});
