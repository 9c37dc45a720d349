/** `WWW-Authenticate` as servers write it, and as nobody should. */
import { describe, expect, test } from 'bun:test';
import { readChallenge } from '../../src/auth/challenge.ts';
import type { Challenge } from '../../src/auth/types.ts';
import { TEST_SEED } from '../helpers/seed.ts';

function read(...fields: readonly string[]): Challenge | undefined {
  const headers = new Headers();
  for (const field of fields) headers.append('www-authenticate', field);
  return readChallenge(new Response(null, { status: 401, headers }));
}

const bearer: Challenge = {
  scheme: 'bearer',
  error: undefined,
  description: undefined,
  scope: undefined,
  resourceMetadata: undefined,
};

describe('readChallenge', () => {
  const meta = 'https://h.test/prm';
  test.each<[string, readonly string[], Challenge | undefined]>([
    ['no field', [], undefined],
    ['an empty field', [''], undefined],
    ['another scheme alone', ['Basic realm="Bearer"'], undefined],
    ['a scheme alone', ['Bearer'], bearer],
    [
      'every parameter we know and one we do not',
      [
        `Bearer realm="x", error="invalid_token", error_description="too old", scope="a  b ", resource_metadata="${meta}", later=1`,
      ],
      {
        ...bearer,
        error: 'invalid_token',
        description: 'too old',
        scope: 'a b',
        resourceMetadata: meta,
      },
    ],
    [
      'any case of scheme and names',
      [`bEaReR ERROR=invalid_token, Resource_Metadata="${meta}"`],
      { ...bearer, error: 'invalid_token', resourceMetadata: meta },
    ],
    [
      'commas, equals signs, schemes and escaped quotes inside quotes',
      [`Bearer realm="a, Bearer scope=\\"no\\", \\\\", scope="a:b c"`],
      { ...bearer, scope: 'a:b c' },
    ],
    [
      'an address without quotes',
      [`Bearer resource_metadata=${meta}?a=b, scope=x`],
      { ...bearer, resourceMetadata: `${meta}?a=b`, scope: 'x' },
    ],
    [
      'blanks around equals signs, empty elements and missing commas',
      ['Bearer , ,scope = "a" ,, error="e" error_description="d",'],
      { ...bearer, scope: 'a', error: 'e', description: 'd' },
    ],
    [
      'schemes with token68 and without parameters before it',
      ['Negotiate, NTLM TlRMTVNTUAAB==, Basic realm="r", Bearer scope="a"'],
      { ...bearer, scope: 'a' },
    ],
    ['the first of a repeated name', ['Bearer scope="a", scope="b"'], { ...bearer, scope: 'a' }],
    ['empty values as absent', ['Bearer scope="", error="", resource_metadata=" "'], bearer],
    [
      'the one that names its metadata',
      ['Bearer realm="old"', `Bearer resource_metadata="${meta}"`],
      { ...bearer, resourceMetadata: meta },
    ],
    [
      'DPoP before Bearer, completed by it',
      [
        `Bearer scope="a", resource_metadata="${meta}", error="invalid_token"`,
        'DPoP algs="ES256 PS256"',
      ],
      { ...bearer, scheme: 'dpop', scope: 'a', resourceMetadata: meta, error: 'invalid_token' },
    ],
    [
      'DPoP in the same field with its own words first',
      ['Bearer error="a", scope="b", DPoP error="use_dpop_nonce", scope="c"'],
      { ...bearer, scheme: 'dpop', error: 'use_dpop_nonce', scope: 'c' },
    ],
    ['a quote that never ends', ['Bearer scope="a", realm="b, error=x'], { ...bearer, scope: 'a' }],
    ['a value that is missing', ['Bearer realm=, scope="a"'], { ...bearer, scope: 'a' }],
  ])('reads %s', (_what, fields, expected) => {
    expect(read(...fields)).toEqual(expected);
  });

  test(`gives back any text that was quoted by the rules (seed ${TEST_SEED})`, () => {
    let state = TEST_SEED;
    const below = (end: number) => {
      state = (state * 48271) % 2147483647;
      return state % end;
    };
    const alphabet = ['"', '\\', ',', '=', ' ', 'a', 'Bearer ', 'scope="x"', ';', '/'];
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from(
        { length: 1 + below(12) },
        () => alphabet[below(alphabet.length)],
      ).join('');
      const quoted = text.replace(/["\\]/g, '\\$&');
      const field = `Basic realm="${quoted}", Bearer error_description="${quoted}", error="e"`;
      expect(read(field)).toEqual({ ...bearer, error: 'e', description: text });
    }
  });

  test.each(['"', '\\', 'a="', 'a=', 'a ', ',', 'a="\\" '])(
    'ends soon on a field of nothing but %j',
    (piece) => {
      const started = performance.now();
      read(`Bearer ${piece.repeat(8000 / piece.length)}`);
      expect(performance.now() - started).toBeLessThan(1000);
    },
  );
});
