import { describe, expect, test } from 'bun:test';
import { literalSecretParameters, urlProblem } from '../../src/config/url-rules.ts';

const PRIVATE_HTTP =
  'plain http is only for this machine; write https, or allowPrivate: true for a private network';

describe('urls', () => {
  const cases: readonly (readonly [
    url: string,
    problem: string | undefined,
    allowed: string | undefined,
  ])[] = [
    ['https://a.example/mcp?x=1', undefined, undefined],
    ['HTTPS://a.example', undefined, undefined],
    ['http://localhost:3000/mcp', undefined, undefined],
    ['http://127.0.0.1/', undefined, undefined],
    ['http://127.1/', undefined, undefined],
    ['http://[::1]:8080/', undefined, undefined],
    ['http://[::ffff:127.0.0.1]/', undefined, undefined],
    ['http://app.localhost/', undefined, undefined],
    ['http://a.example/', PRIVATE_HTTP, undefined],
    [
      'http://8.8.8.8/',
      'plain http to a public address is refused; write https',
      'plain http to a public address is refused; write https',
    ],
    ['http://10.1.2.3/', '10.1.2.3 is a private address; allowPrivate: true permits it', undefined],
    [
      'https://0x0a000001/',
      '10.0.0.1 is a private address; allowPrivate: true permits it',
      undefined,
    ],
    [
      'https://192.168.1.1/',
      '192.168.1.1 is a private address; allowPrivate: true permits it',
      undefined,
    ],
    [
      'https://169.254.169.254/',
      '169.254.169.254 is a private address; allowPrivate: true permits it',
      undefined,
    ],
    [
      'https://[fd00::1]/',
      '[fd00::1] is a private address; allowPrivate: true permits it',
      undefined,
    ],
    [
      'https://[fe80::1]/',
      '[fe80::1] is a private address; allowPrivate: true permits it',
      undefined,
    ],
    ['https://0.0.0.0/', '0.0.0.0 is a private address; allowPrivate: true permits it', undefined],
    ...both('htp:/x', 'expected a URL such as https://host/mcp, got "htp:/x"'),
    ...both('https:/x', 'expected a URL such as https://host/mcp, got "https:/x"'),
    ...both(
      'localhost:3000/mcp',
      'expected a URL such as https://host/mcp, got "localhost:3000/mcp"',
    ),
    ...both('ftp://h/', 'expected a URL such as https://host/mcp, got "ftp://h/"'),
    ...both(
      'file:///etc/passwd',
      'expected a URL such as https://host/mcp, got "file:///etc/passwd"',
    ),
    ...both('https://', 'expected a URL such as https://host/mcp, got "https://"'),
    ...both('https://a b/', 'expected a URL without white space'),
    ...both('ws://a.example/', 'expected a URL such as https://host/mcp, got "ws://a.example/"'),
    ...both(
      'https://u:p@a.example/',
      'user name and password do not belong into a URL; write headers or auth',
    ),
    ...both(
      'https://@a.example/',
      'user name and password do not belong into a URL; write headers or auth',
    ),
    ...both('https://a.example/#', 'a fragment (#…) is never sent; remove it'),
    ...both('https://a.example/#x', 'a fragment (#…) is never sent; remove it'),
    ['https://a.example/@scope/x?y=a@b', undefined, undefined],
  ];
  for (const [url, problem, allowed] of cases) {
    test(`${url}: ${problem ?? 'good'}`, () => {
      expect([urlProblem(url, false), urlProblem(url, true)]).toEqual([problem, allowed]);
    });
  }

  test.each([
    ['ws', 'wss://a.example/mcp', undefined],
    ['ws', 'ws://127.0.0.1:3000/', undefined],
    ['ws', 'http://127.0.0.1/', 'expected a URL such as wss://host/mcp, got "http://127.0.0.1/"'],
    ['ws', 'https://a.example/', 'expected a URL such as wss://host/mcp, got "https://a.example/"'],
    ['ws', 'ws://8.8.8.8/', 'plain ws to a public address is refused; write wss'],
    [
      'ws',
      'ws://a.example/',
      'plain ws is only for this machine; write wss, or allowPrivate: true for a private network',
    ],
    ['ws', 'wss://10.1.2.3/', '10.1.2.3 is a private address; allowPrivate: true permits it'],
    ['sse', 'https://a.example/sse', undefined],
    ['sse', 'wss://h/', '"wss://h/" is a WebSocket address; it goes with transport: ws'],
    ['http', 'ws://h/', '"ws://h/" is a WebSocket address; it goes with transport: ws'],
  ] as const)('with transport: %s %s: %p', (transport, url, problem) => {
    expect(urlProblem(url, false, transport)).toBe(problem);
  });

  test('never show what may be secret', () => {
    expect(urlProblem('htp://u:CANARY@h/?k=CANARY#CANARY', false)).toBe(
      'expected a URL such as https://host/mcp, got "htp://***@h/?k=***#***"',
    );
  });

  test('literal values of secret-like parameters are found', () => {
    const url = `https://h/?token=a&x=1&api%5Fkey=b&secret=\${S}&key=&sig=c#token=d`;
    expect(literalSecretParameters(url)).toEqual(['token', 'api_key', 'sig']);
  });
});

function both(url: string, problem: string) {
  return [[url, problem, problem]] as const;
}
