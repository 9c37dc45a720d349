import { describe, expect, test } from 'bun:test';
import { readPasted } from '../../src/auth/pasted.ts';
import { scrubSecrets } from '../../src/base/redact.ts';

/** The parameters, the code, or why not. */
function read(text: string): unknown {
  const pasted = readPasted(text);
  if (pasted.kind === 'answer') return Object.fromEntries(pasted.params);
  return pasted.kind === 'code' ? pasted.code : pasted.why;
}

const answer = { code: 'a+b/c', state: 's1', iss: 'https://as.example' };
const query = `code=a%2Bb%2Fc&state=s1&iss=https%3A%2F%2Fas.example`;
const url = `http://127.0.0.1:4711/callback?${query}`;

describe('an address', () => {
  test.each([
    ['as it is', url],
    ['with spaces and line ends around', `  ${url}\r\n`],
    ['in quotes', `"${url}"`],
    ['in angle brackets', `<${url}>`],
    ['in typographic quotes', `\u201c${url}\u201d`],
    ['as a bracketed paste', `\u001b[200~${url}\u001b[201~`],
    ['broken over lines by a terminal', `${url.slice(0, 40)}\n   ${url.slice(40)}`],
    ['with invisible characters', `\ufeff${url.slice(0, 30)}\u200b${url.slice(30)}`],
    ['with a fragment', `${url}#_=_`],
    ['with entities of HTML', url.replaceAll('&', '&amp;')],
    ['of another host', `https://elsewhere.example/x?${query}`],
    ['without its scheme', `127.0.0.1:4711/callback?${query}`],
    ['as its query alone', `?${query}`],
    ['as its query without the question mark', query],
  ])('%s', (_name, text) => {
    expect(read(text)).toEqual(answer);
  });

  test('that holds an error', () => {
    expect(read('http://127.0.0.1:1/callback?error=access_denied&state=s1')).toEqual({
      error: 'access_denied',
      state: 's1',
    });
  });

  test.each([
    [
      'http://127.0.0.1:1/callback',
      'that address holds no code; paste the one that the browser ends at',
    ],
    [
      'http://127.0.0.1:1/cb?state=s',
      'that address holds no code; paste the one that the browser ends at',
    ],
    [
      'https://as.example/authorize?response_type=code&state=s&code_challenge=x',
      'that is the address to open; paste the one that the browser ends at',
    ],
  ])('that is no answer: %s', (text, why) => {
    expect(read(text)).toBe(why);
  });
});

describe('a code', () => {
  test.each([
    ['as it is', 'SplxlOBeZQQYbYS6WxSbIA', 'SplxlOBeZQQYbYS6WxSbIA'],
    ['in quotes and broken over lines', "'Splxl\n OBeZ'\n", 'SplxlOBeZ'],
    ['as it stands in the address line', '4%2F0AeanS', '4/0AeanS'],
    ['with a percent sign of its own', '100%zz', '100%zz'],
    ['that ends in equals signs', 'YWJj==', 'YWJj=='],
  ])('%s', (_name, text, code) => {
    expect(read(text)).toBe(code);
  });

  test('is kept out of logs from then on', () => {
    readPasted('pasted-code-4711');
    readPasted('http://127.0.0.1/callback?code=code-in-address-4711&state=s');
    expect(scrubSecrets('pasted-code-4711 code-in-address-4711')).toBe('*** ***');
  });
});

test.each([
  ['', 'nothing was pasted'],
  [' \r\n\u200b""', 'nothing was pasted'],
  ['\u00e4\u00f6', 'that is neither an address nor a code'],
  ['x'.repeat(16 * 1024 + 1), 'that is too long for an address or a code'],
])('%j is asked for again', (text, why) => {
  expect(read(text)).toBe(why);
});
