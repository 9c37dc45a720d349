/** AUTH-09, further: a server that changes its authorization server, or that was forgotten by it. */
import { describe, expect, test } from 'bun:test';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { type AuthServer, startAuthServer } from '../fixtures/auth/server.ts';

const LOGIN = ['mcp', 'login', 's1'];

/** What `from` gave out and `to` was sent. */
function carriedOver(from: AuthServer, to: AuthServer): readonly string[] {
  const sent = JSON.stringify(to.requests.filter((one) => one.side === 'as'));
  return from.secrets().filter((secret) => sent.includes(secret));
}

/** From now on `second` signs in for the server of `first`. */
function move(first: AuthServer, second: AuthServer): void {
  first.change({ resource: { authorization_servers: [second.issuer] } });
  first.trust(second);
  first.ledger.expireAccess();
}

describe('another authorization server', () => {
  test('of a configured server asks for a new login and sees nothing of the old one', async () => {
    await using first = await startAuthServer({ clientMethod: 'client_secret_post' });
    await using second = await startAuthServer({ clientMethod: 'client_secret_post' });
    const desk = openDesk([oauthEntry('s1', first.url)]);
    expect((await desk.run(LOGIN)).code).toBe(0);
    move(first, second);
    const tools = await desk.run(['tools', 's1']);
    expect([tools.code, tools.stdout]).toEqual([6, '']);
    expect(tools.stderr).toContain('usher mcp login s1');
    expect([second.tokenRequests(), desk.opened()]).toEqual([[], 1]);
    expect((await desk.run(LOGIN)).code).toBe(0);
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
    expect(second.paths().filter((path) => path === 'as POST /register')).toHaveLength(1);
    expect(carriedOver(first, second)).toEqual([]);
  });

  test('of a bare URL is signed in to at once, with a registration of its own', async () => {
    await using first = await startAuthServer({ clientMethod: 'client_secret_post' });
    await using second = await startAuthServer({ clientMethod: 'client_secret_post' });
    const desk = openDesk(undefined);
    expect((await desk.run(['tools', first.url])).code).toBe(0);
    move(first, second);
    expect((await desk.run(['call', first.url, 'read'])).code).toBe(0);
    expect(second.authorizations()).toHaveLength(1);
    expect(carriedOver(first, second)).toEqual([]);
  });
});

describe('a client that was forgotten', () => {
  test('is registered anew by the next login, once', async () => {
    await using server = await startAuthServer();
    const desk = openDesk([oauthEntry('s1', server.url)]);
    expect((await desk.run(LOGIN)).code).toBe(0);
    server.ledger.clients.clear();
    server.ledger.expireAccess();
    const tools = await desk.run(['tools', 's1']);
    expect([tools.code, tools.stdout]).toEqual([6, '']);
    const login = await desk.run(LOGIN);
    expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
    expect(server.paths().filter((path) => path === 'as POST /register')).toHaveLength(2);
  });
});

describe('a token', () => {
  test('that does not say when it ends is refreshed when it is refused', async () => {
    await using server = await startAuthServer({ expiresIn: [0] });
    const desk = openDesk([oauthEntry('s1', server.url)]);
    expect((await desk.run(LOGIN)).code).toBe(0);
    server.ledger.expireAccess();
    expect((await desk.run(['call', 's1', 'read'])).code).toBe(0);
    expect((await desk.run(['call', 's1', 'read'])).code).toBe(0);
    expect(server.tokenRequests('refresh_token')).toHaveLength(1);
  });

  test('goes to its own server alone, and not behind a redirect', async () => {
    await using server = await startAuthServer();
    await using other = await startAuthServer();
    const desk = openDesk([oauthEntry('s1', server.url), oauthEntry('s2', other.url)]);
    expect((await desk.run(LOGIN)).code).toBe(0);
    const location = other.url;
    server.change({ faults: { '/mcp': { status: 307, headers: { location } } } });
    await desk.run(['tools']);
    expect((await desk.run(['tools', 's1'])).code).not.toBe(0);
    const sent = JSON.stringify(other.requests);
    expect(server.secrets().filter((secret) => sent.includes(secret))).toEqual([]);
  });

  test('that a login brings again replaces the one before, and a logout ends all', async () => {
    await using server = await startAuthServer();
    const desk = openDesk([oauthEntry('s1', server.url)]);
    for (const words of [LOGIN, LOGIN, ['mcp', 'logout', 's1']]) {
      expect((await desk.run(words)).code).toBe(0);
    }
    expect(server.paths()).toContain('as POST /revoke');
    expect((await desk.run(['tools', 's1'])).code).toBe(6);
    expect((await desk.run(['mcp', 'logout', 's1'])).code).toBe(0);
  });
});
