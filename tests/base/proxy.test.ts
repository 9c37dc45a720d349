import { describe, expect, test } from 'bun:test';
import { proxyFor, proxyProblem } from '../../src/base/proxy.ts';
import { scrubSecrets } from '../../src/base/redact.ts';

const urlOf = (url: string, env: Record<string, string>, setting?: string) =>
  proxyFor(new URL(url), setting, env)?.url;

describe('which proxy', () => {
  const HTTP = 'http://p:1/';
  const HTTPS = 'https://q:2/';
  const both = { HTTP_PROXY: HTTP, HTTPS_PROXY: HTTPS };
  test.each([
    ['http://a.example/', both, HTTP],
    ['ws://a.example/', both, HTTP],
    ['https://a.example/', both, HTTPS],
    ['wss://a.example/', both, HTTPS],
    ['http://a.example/', { http_proxy: 'http://low:1', HTTP_PROXY: HTTP }, 'http://low:1/'],
    ['http://a.example/', { http_proxy: ' ', HTTP_PROXY: HTTP }, HTTP],
    ['http://a.example/', { HTTPS_PROXY: HTTPS }, undefined],
    ['http://a.example/', { HTTP_PROXY: 'p.example:3128' }, 'http://p.example:3128/'],
    ['http://127.0.0.1/', both, undefined],
    ['http://[::1]:8/', both, undefined],
    ['https://localhost/', both, undefined],
  ])('%s with %j: %s', (url, env, expected) => {
    expect(urlOf(url, env)).toBe(expected);
  });

  test.each([
    ['*', true],
    ['a.example', true],
    ['example', true],
    ['.example', true],
    ['*.example', true],
    ['A.EXAMPLE', true],
    ['a.example:443', true],
    ['a.example:80', false],
    ['b.example, a.example', true],
    ['b.example a.example', true],
    ['ample', false],
    ['b.example', false],
    ['.a.example', true],
    ['', false],
    [',', false],
  ])('NO_PROXY=%s keeps a.example away from it: %p', (excluded, isAway) => {
    const env = { https_proxy: HTTPS, NO_PROXY: excluded };
    expect(urlOf('https://a.example/', env)).toBe(isAway ? undefined : HTTPS);
  });

  test.each([
    ['[2001:db8::1]:8080', 'http://[2001:db8::1]:8080/', true],
    ['2001:db8::1', 'http://[2001:db8::1]:8080/', true],
    ['[2001:db8::1]:9', 'http://[2001:db8::1]:8080/', false],
    ['10.1.2.3', 'http://10.1.2.3/', true],
    ['10.1.2.3:80', 'http://10.1.2.3/', true],
    ['10.1.2.3:81', 'http://10.1.2.3/', false],
    ['2001:DB8:0:0::1', 'http://[2001:db8::1]/', true],
    ['10.0.0.0/8', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://11.1.2.3/', false],
    ['192.168.1.0/25', 'http://192.168.1.127:8080/', true],
    ['192.168.1.0/25', 'http://192.168.1.128:8080/', false],
    ['10.1.2.3/32', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://[::ffff:10.1.2.3]/', true],
    ['0.0.0.0/0', 'http://10.1.2.3/', true],
    ['0.0.0.0/0', 'http://[2001:db8::1]/', false],
    ['2001:db8::/32', 'http://[2001:db8:1::1]/', true],
    ['2001:db8::/33', 'http://[2001:db8:8000::1]/', false],
    ['fd00::/8', 'http://10.1.2.3/', false],
    ['10.0.0.0/33', 'http://10.1.2.3/', false],
    ['10.0.0.0/', 'http://10.0.0.0/', false],
    ['10.0.0/8', 'http://10.1.2.3/', false],
    ['10.0.0.0/8', 'http://10.example/', false],
  ])('NO_PROXY=%s and %s: %p', (excluded, url, isAway) => {
    const found = urlOf(url, { HTTP_PROXY: HTTP, no_proxy: excluded });
    expect(found).toBe(isAway ? undefined : HTTP);
  });

  test("a server's own setting beats the environment, loopback and NO_PROXY", () => {
    const env = { ...both, NO_PROXY: '*' };
    expect(urlOf('http://localhost/', env, 'http://own:3')).toBe('http://own:3/');
    expect(urlOf('http://a.example/', both, 'none')).toBeUndefined();
  });
});

test('userinfo goes to the socket and to nobody else', () => {
  const env = { HTTPS_PROXY: 'http://someone:w%2Ford-of-the-proxy@p.example:3128' };
  const proxy = proxyFor(new URL('https://a.example/'), undefined, env);
  expect(proxy).toEqual({
    url: 'http://someone:w%2Ford-of-the-proxy@p.example:3128/',
    shown: 'http://p.example:3128',
    source: 'HTTPS_PROXY',
  });
  expect(scrubSecrets('w%2Ford-of-the-proxy w/ord-of-the-proxy')).toBe('*** ***');
});

test.each([
  ['socks5://p:1', 'a proxy of kind socks5:// is not supported; use http:// or https://'],
  ['http://', 'expected a proxy such as http://proxy.example:3128'],
  ['p.example:3128', undefined],
])('%s as a proxy: %s', (text, problem) => {
  expect(proxyProblem(text)).toBe(problem);
});

test('a variable that names no proxy is an error with its name', () => {
  expect(() => urlOf('http://a.example/', { http_proxy: 'socks5://p:1' })).toThrow(
    'http_proxy: a proxy of kind socks5:// is not supported',
  );
});
