/** The whole life of a login at an authorization server that others wrote, through the binary. */
import { describe, expect, test } from 'bun:test';
import { resolve } from 'node:path';
import { type Desk, oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { type OidcPeer, SCOPES, startOidcPeer } from './oidc-provider.ts';

const BROWSER = `${process.execPath} ${resolve(import.meta.dir, 'oidc-browser.ts')}`;
const env = { BROWSER };

function deskAt(peer: OidcPeer, more: object = {}): Desk {
  return openDesk([oauthEntry('s1', peer.url, more)]);
}

/** Exit code and stdout of one command. */
async function said(desk: Desk, ...words: readonly string[]) {
  const { code, stdout, stderr } = await desk.run(words, { env });
  return { code, stdout: stdout.trim(), stderr };
}

/** What the provider granted, in order. */
function grants(peer: OidcPeer): readonly string[] {
  return peer.asked.filter((line) => line.startsWith('granted')).map((line) => line.slice(8));
}

describe('oidc-provider', () => {
  test('login, use, refresh, step-up, logout', async () => {
    await using peer = await startOidcPeer();
    const desk = deskAt(peer);
    expect((await said(desk, 'tools', 's1')).code).toBe(6);
    expect(peer.asked.filter((line) => line.startsWith('POST'))).toEqual([]);

    expect((await said(desk, 'mcp', 'login', 's1')).code).toBe(0);
    const hello = ['call', 's1', 'echo', '{"text":"hello"}'];
    expect(await said(desk, ...hello)).toMatchObject({ code: 0, stdout: 'hello' });
    expect(grants(peer)).toEqual(['authorization_code']);

    peer.expire();
    expect(await said(desk, ...hello)).toMatchObject({ code: 0, stdout: 'hello' });
    expect(await said(desk, ...hello)).toMatchObject({ code: 0, stdout: 'hello' });
    expect(grants(peer)).toEqual(['authorization_code', 'refresh_token']);

    const region = ['call', 's1', 'region', '{"region":"eu"}'];
    const poor = await said(desk, ...region);
    expect([poor.code, poor.stdout]).toEqual([6, '']);
    expect(poor.stderr).toContain(SCOPES.region);
    expect(poor.stderr).toContain('usher mcp login s1');
    expect((await said(desk, 'mcp', 'login', 's1', '--oauth-scope', SCOPES.region)).code).toBe(0);
    expect((await said(desk, ...region)).code).toBe(0);
    expect(await said(desk, ...hello)).toMatchObject({ code: 0, stdout: 'hello' });
    expect(peer.asked.filter((line) => line === 'POST /reg')).toHaveLength(1);

    expect((await said(desk, 'mcp', 'logout', 's1')).code).toBe(0);
    expect(peer.asked).toContain('POST /token/revocation');
    expect((await said(desk, ...hello)).code).toBe(6);
  }, 60_000);

  test('a bare URL signs in by itself, and again for a scope that one tool needs', async () => {
    await using peer = await startOidcPeer();
    const desk = openDesk(undefined);
    expect(await said(desk, 'call', peer.url, 'region', '{"region":"eu"}')).toMatchObject({
      code: 0,
      stdout: 'eu eu',
    });
    expect(grants(peer)).toEqual(['authorization_code', 'authorization_code']);
  }, 60_000);

  test('a device that its person looks at elsewhere', async () => {
    await using peer = await startOidcPeer();
    const desk = deskAt(peer);
    expect(await said(desk, 'mcp', 'login', 's1', '--device')).toMatchObject({ code: 0 });
    expect(grants(peer)).toEqual(['urn:ietf:params:oauth:grant-type:device_code']);
    peer.expire();
    expect((await said(desk, 'tools', 's1')).code).toBe(0);
    expect(grants(peer).at(-1)).toBe('refresh_token');
  }, 60_000);

  test.each(['plain', 'nonce'] as const)(
    'tokens that are bound to a key (%s)',
    async (dpop) => {
      await using peer = await startOidcPeer({ dpop });
      const desk = deskAt(peer, { auth: { type: 'oauth', dpop: true } });
      expect(await said(desk, 'mcp', 'login', 's1')).toMatchObject({ code: 0 });
      expect((await said(desk, 'tools', 's1')).code).toBe(0);
      peer.expire();
      expect((await said(desk, 'tools', 's1')).code).toBe(0);
      expect(grants(peer)).toEqual(['authorization_code', 'refresh_token']);
      const sent = peer.modern.requests.map(({ headers }) => headers.get('authorization'));
      expect(sent.filter((header) => !header?.startsWith('DPoP '))).toEqual([]);
    },
    60_000,
  );

  test('a refresh token that is given only for offline_access with a consent', async () => {
    await using peer = await startOidcPeer({ strictOffline: true });
    const desk = deskAt(peer);
    expect(await said(desk, 'mcp', 'login', 's1')).toMatchObject({ code: 0 });
    peer.expire();
    expect((await said(desk, 'tools', 's1')).code).toBe(0);
    expect(grants(peer)).toEqual(['authorization_code', 'refresh_token']);
  }, 60_000);
});
