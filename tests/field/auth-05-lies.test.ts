/** AUTH-05, further: metadata in every place where it may be, metadata that lies, swells, circles or is none. */
import { describe, expect, test } from 'bun:test';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import type { AuthScript, Fault } from '../fixtures/auth/script.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';

const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';
const LOGIN = ['mcp', 'login', 's1'];

const at = (path: string, fault: Fault): AuthScript => ({ faults: { [path]: fault } });
const json = (body: object): Fault => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe('metadata is found', () => {
  test.each<[string, AuthScript]>([
    ['below the path of the resource', {}],
    ['without an address in the challenge', { challenge: { address: false } }],
    ['without any challenge', { challenge: { none: true } }],
    ['at the root of the resource', { resourceMetadata: 'root', challenge: { address: false } }],
    ['where the challenge says', { resourceMetadata: 'custom' }],
    ['of an issuer with a path', { issuerPath: '/tenant1' }],
    ['as OpenID has it', { serverMetadata: 'openid' }],
    ['as OpenID has it, with a path', { serverMetadata: 'openid', issuerPath: '/tenant1' }],
    ['below the issuer', { serverMetadata: 'openid-below', issuerPath: '/tenant1' }],
    ['of an issuer with one more slash', { server: { issuer: '{as}/' }, iss: 'slash' }],
    ['as it was in 2025-03-26', { resourceMetadata: 'none' }],
    ['nowhere, as it was in 2025-03-26', { resourceMetadata: 'none', serverMetadata: 'none' }],
    ['by a server of 2026-07-28', { mcp: { modern: true } }],
    ['by a server that asks first when it is called', { open: ['server/discover', 'initialize'] }],
  ])('%s', async (_name, script) => {
    await using server = await startAuthServer(script);
    const desk = openDesk([oauthEntry('s1', server.url)]);
    const login = await desk.run(LOGIN);
    expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
    const call = await desk.run(['call', 's1', 'read']);
    expect([call.code, call.stdout]).toEqual([0, 'nothing to read\n']);
    const sent = new Set(server.tokenRequests().map((one) => one['resource']));
    expect([...sent]).toEqual([server.url]);
  });
});

describe('nobody is sent anywhere by metadata', () => {
  test.each<[string, AuthScript, RegExp]>([
    ['of 10 MB about the resource', at(RESOURCE, 'huge'), /oauth-protected-resource/],
    ['of 10 MB about the issuer', at(SERVER, 'huge'), /oauth-authorization-server/],
    ['that redirects to itself', at(RESOURCE, 'loop'), /oauth-protected-resource/],
    ['of the issuer that redirects to itself', at(SERVER, 'loop'), /oauth-authorization-server/],
    ['that fails', at(RESOURCE, { status: 500 }), /500/],
    ['of the issuer that fails', at(SERVER, { status: 503 }), /503/],
    ['that is a page', at(RESOURCE, { status: 200, body: '<html>hello' }), /oauth-protected/],
    ['that is a list', at(RESOURCE, json([])), /oauth-protected-resource/],
    ['of another issuer', { server: { issuer: 'https://other.example' } }, /other\.example/],
    ['without PKCE', { server: { code_challenge_methods_supported: ['plain'] } }, /S256|PKCE/],
    [
      'whose token endpoint is no https',
      { server: { token_endpoint: 'http://token.example/token' } },
      /token_endpoint/,
    ],
    [
      'whose authorization endpoint is a script',
      { server: { authorization_endpoint: 'javascript:alert(1)' } },
      /authorization_endpoint/,
    ],
    [
      'whose authorization endpoint is a file',
      { server: { authorization_endpoint: 'file:///etc/passwd' } },
      /authorization_endpoint/,
    ],
    [
      'that names an address of the network inside',
      { resource: { authorization_servers: ['http://169.254.169.254/'] } },
      /169\.254\.169\.254/,
    ],
    [
      'that names a private https address',
      { resource: { authorization_servers: ['https://10.0.0.1/'] } },
      /10\.0\.0\.1/,
    ],
  ])('%s', async (_name, script, said) => {
    await using server = await startAuthServer(script);
    const desk = openDesk([oauthEntry('s1', server.url)]);
    const login = await desk.run(LOGIN, { timeoutMs: 60_000 });
    expect([4, 6, 7]).toContain(login.code);
    expect(login.stdout).toBe('');
    expect(login.stderr).toMatch(said);
    expect(login.stderr.length).toBeLessThan(2000);
    expect([desk.opened(), server.authorizations(), server.tokenRequests()]).toEqual([0, [], []]);
    expect(server.requests.length).toBeLessThan(30);
  });

  test('that never comes: the wait ends', async () => {
    await using server = await startAuthServer(at(RESOURCE, 'hang'));
    const desk = openDesk([oauthEntry('s1', server.url)]);
    const login = await desk.run(LOGIN, { timeoutMs: 40_000 });
    expect([login.code, login.ms < 25_000]).toEqual([4, true]);
    expect(login.stderr).toContain('oauth-protected-resource');
  }, 50_000);
});

describe('an endpoint that', () => {
  test.each<[string, Fault, RegExp]>([
    ['swells', 'huge', /\/token|token endpoint/],
    ['circles', 'loop', /\/token|token endpoint/],
    ['sends elsewhere', { status: 307, headers: { location: '{mcp}/elsewhere' } }, /redirect/],
    [
      'gives a token of an unknown kind',
      json({ access_token: 'a', token_type: 'mac' }),
      /mac|type/,
    ],
    ['gives no token', json({ token_type: 'Bearer' }), /access.token/],
    [
      'gives a token that is no text',
      json({ access_token: 7, token_type: 'Bearer' }),
      /access.token/,
    ],
    [
      'gives a token that is no header',
      json({ access_token: 'a\nb', token_type: 'Bearer' }),
      /token/,
    ],
  ])('%s in place of a token ends the sign-in, with nothing kept', async (_name, fault, said) => {
    await using server = await startAuthServer(at('/token', fault));
    const desk = openDesk([oauthEntry('s1', server.url)]);
    const login = await desk.run(LOGIN, { timeoutMs: 60_000 });
    expect([1, 4, 6, 7]).toContain(login.code);
    expect([login.stdout, endOf(login.stderr)]).toEqual(['', expect.stringMatching(said)]);
    expect(server.paths().filter((path) => path.endsWith('/elsewhere'))).toEqual([]);
    expect((await desk.run(['tools', 's1'])).code).toBe(6);
  });

  test.each<[string, Fault]>([
    ['swells', 'huge'],
    ['circles', 'loop'],
    ['sends elsewhere', { status: 307, headers: { location: '{mcp}/elsewhere' } }],
  ])(
    '%s in place of a registration ends the sign-in before anybody is asked',
    async (_n, fault) => {
      await using server = await startAuthServer(at('/register', fault));
      const desk = openDesk([oauthEntry('s1', server.url)]);
      const login = await desk.run(LOGIN, { timeoutMs: 60_000 });
      expect([1, 4, 6, 7]).toContain(login.code);
      expect([login.stdout, login.stderr]).toEqual(['', expect.stringMatching(/regist/)]);
      expect([desk.opened(), server.paths().filter((path) => path.endsWith('/elsewhere'))]).toEqual(
        [0, []],
      );
    },
  );
});

/** Behind the address that the person was told. */
function endOf(stderr: string): string {
  return stderr.slice(stderr.indexOf('error:'));
}
