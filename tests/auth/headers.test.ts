import { describe, expect, test } from 'bun:test';
import { readCredentials } from '../../src/auth/headers.ts';
import { AuthError, ConfigError } from '../../src/base/errors.ts';
import { scrubSecrets } from '../../src/base/redact.ts';

const bearer = { type: 'bearer', tokenEnv: 'TOK' } as const;

describe('readCredentials', () => {
  test.each(['token-1', '  token-1\n', 'token-1\r\n', '\ttoken-1 '])(
    'trims %j and sends it as a bearer token',
    (TOK) => {
      const read = readCredentials('s1', { headers: { 'X-A': 'b' }, auth: bearer }, { TOK });
      expect(read).toEqual({
        headers: { 'X-A': 'b', Authorization: 'Bearer token-1' },
        hasToken: true,
      });
    },
  );

  test('puts an API key into its header as it is', () => {
    const auth = { type: 'apiKey', header: 'X-Api-Key', tokenEnv: 'KEY' } as const;
    expect(readCredentials('s1', { headers: {}, auth }, { KEY: 'k-123 4' })).toEqual({
      headers: { 'X-Api-Key': 'k-123 4' },
      hasToken: true,
    });
  });

  test.each([undefined, '', ' \n'])('names variable and server when the token is %j', (TOK) => {
    const read = () => readCredentials('s1', { headers: {}, auth: bearer }, { TOK });
    expect(read).toThrow(AuthError);
    expect(read).toThrow('server "s1" needs a token: the variable TOK is not set or empty');
  });

  test.each(['a\nb-long', 'a\u0000b-long', 'Bearer x\r\nX-Evil: 1'])(
    'refuses %j without showing it',
    (TOK) => {
      const read = () => readCredentials('s1', { headers: {}, auth: bearer }, { TOK });
      expect(read).toThrow(
        'server "s1": the token in TOK contains a line break or control character',
      );
    },
  );

  test.each(['Authorization', 'AUTHORIZATION'])('refuses a rival header %s', (name) => {
    const read = () =>
      readCredentials('s1', { headers: { [name]: 'Bearer y' }, auth: bearer }, { TOK: 'x-long' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`server "s1": headers and auth both set ${name}`);
  });

  test('registers what is secret', () => {
    readCredentials('s1', { headers: {}, auth: bearer }, { TOK: ' canary-token-9 ' });
    readCredentials(
      's1',
      { headers: { Authorization: 'Bearer canary-header-9' }, auth: undefined },
      {},
    );
    expect(scrubSecrets('a canary-token-9 b canary-header-9 c')).toBe('a *** b *** c');
  });

  test('registers the password of a Basic credential by itself', () => {
    const Authorization = `Basic ${Buffer.from('ann:canary-pass:9').toString('base64')}`;
    readCredentials('s1', { headers: { Authorization }, auth: undefined }, {});
    expect(scrubSecrets('password canary-pass:9')).toBe('password ***');
  });

  test('knows that plain headers are no token', () => {
    expect(readCredentials('s1', { headers: { 'X-Team': 'a' }, auth: undefined }, {})).toEqual({
      headers: { 'X-Team': 'a' },
      hasToken: false,
    });
  });
});
