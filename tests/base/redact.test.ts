import { expect, test } from 'bun:test';
import { registerSecret, scrubSecrets } from '../../src/base/redact.ts';

test('a secret is masked as it is, in a URL, as base64 and inside JSON text', () => {
  const secret = 'spelled "&" secret';
  registerSecret(secret);
  const texts = [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    JSON.stringify({ a: secret }),
  ];
  expect(texts.map(scrubSecrets)).toEqual(['***', '***', '***', '{"a":"***"}']);
});

test('a secret inside a longer one leaves no tail', () => {
  registerSecret('inner-part');
  registerSecret('inner-part-and-more');
  expect(scrubSecrets('x inner-part-and-more y inner-part')).toBe('x *** y ***');
});

test('what is too short to be a secret masks nothing', () => {
  registerSecret('abc');
  registerSecret('');
  expect(scrubSecrets('abc')).toBe('abc');
});
