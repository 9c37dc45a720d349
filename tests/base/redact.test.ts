import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  createScrubStream,
  registerSecret,
  scrubBytes,
  scrubJson,
  scrubSecrets,
} from '../../src/base/redact.ts';
import { secretSpellings } from '../../src/base/secret-spellings.ts';
import { TEST_SEED } from '../helpers/seed.ts';

describe('a registered secret', () => {
  const secret = 'spelled "&/é" secret';
  const json = JSON.stringify(secret).slice(1, -1);
  registerSecret(secret);

  test.each([
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    [
      'URL-encoded in lower case',
      encodeURIComponent(secret).replace(/%\w\w/g, (c) => c.toLowerCase()),
    ],
    ['as a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['as base64', Buffer.from(secret).toString('base64')],
    ['as base64url', Buffer.from(secret).toString('base64url')],
    ['as hex', Buffer.from(secret).toString('hex')],
    ['as HEX', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in JSON text', json],
    ['in JSON text inside JSON text', JSON.stringify(json).slice(1, -1)],
    ['in ASCII JSON text', json.replace('é', '\\u00e9')],
    ['in JSON text with \\/', json.replace('/', '\\/')],
  ])('%s is masked', (_how, spelling) => {
    expect(scrubSecrets(`<${spelling}>`)).toBe('<***>');
  });

  test.each(['a', 'ab', 'abc', 'user'])(
    'inside the base64 of a longer text leaves less than a byte of itself on either side (%s:)',
    (user) => {
      const composite = Buffer.from(`${user}:${secret}`).toString('base64');
      const scrubbed = scrubSecrets(`Authorization: Basic ${composite}`);
      const shown = Buffer.from(scrubbed.replace(/^.*Basic /, '').split('***')[0] ?? '', 'base64');
      expect(scrubbed).toContain('***');
      expect(`${user}:`).toStartWith(shown.toString().replace(/[^a-z:]/g, ''));
      expect(scrubbed.length).toBeLessThan(composite.length);
    },
  );

  test('is masked in keys and texts of JSON at every depth', () => {
    expect(scrubJson({ a: [secret, 1, null], [secret]: { b: `x${secret}` } })).toEqual({
      a: ['***', 1, null],
      '***': { b: 'x***' },
    });
  });

  test('is masked in bytes that are no text', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(secret), Buffer.from([0])]);
    const clean = Buffer.from([0xff, 1, 2]);
    expect(scrubBytes(bytes)).toEqual(Buffer.from([0xff, 0xfe, 42, 42, 42, 0]));
    expect(scrubBytes(clean)).toBe(clean);
  });
});

test('a secret inside a longer one leaves no tail, and neither do two that overlap', () => {
  registerSecret('inner-part');
  registerSecret('inner-part-and-more');
  registerSecret('more-to-come');
  expect(scrubSecrets('x inner-part-and-more y inner-part')).toBe('x *** y ***');
  expect(scrubSecrets('x inner-part-and-more-to-come y')).toBe('x *** y');
});

test('what masking spells is masked as well', () => {
  registerSecret('left***');
  registerSecret('right-part');
  expect(scrubSecrets('leftright-part')).toBe('***');
});

test('what is too short to be a secret masks nothing', () => {
  registerSecret('abc');
  registerSecret('');
  expect(scrubSecrets('abc')).toBe('abc');
});

test('a stream holds back no more than what may begin a secret', () => {
  registerSecret('stream-secret');
  const stream = createScrubStream();
  expect([
    stream.push('say str'),
    stream.push('ong and stream-sec'),
    stream.push('ret!'),
    stream.end(),
  ]).toEqual(['say ', 'strong and ', '***!', '']);
  expect([stream.push('stream-se'), stream.end()]).toEqual(['', 'stream-se']);
});

test('no secret survives in any spelling, whatever stands around it and however it is cut', () => {
  const letters = fc.constantFrom('a', 'b', '/', '+', '"', ' ', 'é', '%', '\\', '=');
  const word = (minLength: number, maxLength: number) =>
    fc.array(letters, { minLength, maxLength }).map((all) => all.join(''));
  const piece = (secrets: readonly string[]) =>
    fc.oneof(word(0, 4), fc.constantFrom(...secrets.flatMap(secretSpellings)));
  const scene = fc
    // Their first letter keeps them out of every other test's words.
    .array(
      word(3, 8).map((rest) => `ß${rest}`),
      { minLength: 1, maxLength: 3 },
    )
    .chain((secrets) =>
      fc.tuple(
        fc.constant(secrets),
        fc.array(piece(secrets), { maxLength: 8 }).map((all) => all.join('')),
        fc.array(fc.nat({ max: 60 }), { maxLength: 12 }),
      ),
    );
  fc.assert(
    fc.property(scene, ([secrets, text, cuts]) => {
      for (const secret of secrets) registerSecret(secret);
      const known = secrets.flatMap(secretSpellings).filter(({ length }) => length >= 4);
      const stream = createScrubStream();
      const ends = [...cuts.sort((a, b) => a - b), text.length];
      const shown = ends.map((end, index) =>
        stream.push(text.slice(index === 0 ? 0 : ends[index - 1], end)),
      );
      const streamed = shown.join('') + stream.end();
      for (const result of [scrubSecrets(text), streamed]) {
        for (const spelling of known) expect(result).not.toContain(spelling);
      }
    }),
    { seed: TEST_SEED, numRuns: 100 },
  );
});
