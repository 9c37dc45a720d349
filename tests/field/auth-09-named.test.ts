/** AUTH-09, further: named logins that servers share, keys that tokens are bound to, what ends a login. */
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { type AuthServer, startAuthServer } from '../fixtures/auth/server.ts';
import { writeFiles } from '../helpers/places.ts';

const provided = (name: string, url: string) =>
  oauthEntry(name, url, { auth: { type: 'provider', provider: 'work' } });

function sharing(first: AuthServer, second: AuthServer): Desk {
  second.trust(first);
  return openDesk([provided('s1', first.url), provided('s2', second.url)], {
    logins: { work: { issuer: first.issuer, resource: first.url } },
  });
}

function keptLogins({ home }: Desk): readonly string[] {
  return readdirSync(join(home, 'state/usher/logins')).filter((name) => name.endsWith('.json'));
}

describe('a named login', () => {
  test('opens each server that names it, and is refreshed once for all of them', async () => {
    await using first = await startAuthServer();
    await using second = await startAuthServer();
    const desk = sharing(first, second);
    const before = await desk.run(['tools', 's1']);
    expect([before.code, before.stdout]).toEqual([6, '']);
    expect(before.stderr).toContain('usher login work');
    const login = await desk.run(['login', 'work']);
    expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
    expect(first.authorizations().map((one) => one['resource'])).toEqual([first.url]);
    expect((await desk.run(['tools'])).code).toBe(0);
    first.ledger.expireAccess();
    expect((await desk.run(['tools'])).code).toBe(0);
    expect((await desk.run(['tools', 's2'])).code).toBe(0);
    expect(first.tokenRequests('refresh_token')).toHaveLength(1);
    const own = second.requests.filter((one) => one.side === 'as');
    expect([own, keptLogins(desk)]).toEqual([[], [expect.any(String)]]);
    expect((await desk.run(['logout', 'work'])).code).toBe(0);
    expect((await desk.run(['tools', 's2'])).code).toBe(6);
    expect(keptLogins(desk)).toEqual([]);
  });

  test('is not sent for a server of a project file', async () => {
    await using first = await startAuthServer();
    await using second = await startAuthServer();
    second.trust(first);
    const desk = openDesk(undefined);
    const logins = { work: { issuer: first.issuer, resource: first.url } };
    const own = { logins, servers: [provided('s1', first.url)] };
    writeFiles(desk.home, { 'etc/usher/config.yaml': JSON.stringify(own) });
    expect((await desk.run(['login', 'work'])).code).toBe(0);
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
    const files = { 'usher.yaml': JSON.stringify({ servers: [provided('s3', second.url)] }) };
    const tools = await desk.run(['tools', 's3', '--approve', 's3'], { files });
    expect(tools.code).not.toBe(0);
    expect(tools.stderr).toMatch(/provider/);
    expect(second.requests.filter((one) => one.headers['authorization'] !== undefined)).toEqual([]);
  });
});

describe('a key of ours', () => {
  test('stays the same over a refresh, asks of each server its own nonce', async () => {
    await using server = await startAuthServer({ dpop: 'nonce' });
    const desk = openDesk([oauthEntry('s1', server.url)]);
    expect((await desk.run(['mcp', 'login', 's1'])).code).toBe(0);
    expect((await desk.run(['call', 's1', 'read'])).code).toBe(0);
    server.ledger.expireAccess();
    expect((await desk.run(['call', 's1', 'read'])).code).toBe(0);
    const asked = server.tokenRequests().map((one) => one['grant_type']);
    expect([...new Set(asked)]).toEqual(['authorization_code', 'refresh_token']);
    const sent = server.requests.filter((one) => one.path === '/mcp');
    const bearers = sent.filter((one) => one.headers['authorization']?.startsWith('Bearer'));
    expect([bearers, server.mcp.calls().length]).toEqual([[], 2]);
  });
});

describe('what is kept', () => {
  test('goes with the entry that is removed', async () => {
    await using server = await startAuthServer();
    const desk = openDesk(undefined);
    expect((await desk.run(['mcp', 'add', 's1', server.url])).code).toBe(0);
    expect((await desk.run(['mcp', 'login', 's1'])).code).toBe(0);
    expect(keptLogins(desk)).toHaveLength(1);
    expect((await desk.run(['mcp', 'remove', 's1'])).code).toBe(0);
    expect(keptLogins(desk)).toEqual([]);
  });

  test('of a server in two homes is two logins', async () => {
    await using server = await startAuthServer();
    const desk = openDesk([oauthEntry('s1', server.url)]);
    const other = openDesk([oauthEntry('s1', server.url)]);
    expect((await desk.run(['mcp', 'login', 's1'])).code).toBe(0);
    expect((await other.run(['tools', 's1'])).code).toBe(6);
  });
});
