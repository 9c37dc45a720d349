/** AUTH-11: a token that lacks a scope. */
import { describe, expect, test } from 'bun:test';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import type { AuthScript } from '../fixtures/auth/script.ts';
import { type AuthServer, startAuthServer } from '../fixtures/auth/server.ts';
import { startModelServer } from '../fixtures/models/server.ts';
import { scriptedModel } from '../helpers/config.ts';
import { callThenAnswer, toolTexts } from '../helpers/scripted-run.ts';

const WRITES: AuthScript = {
  challenge: { scope: 'a:read' },
  needs: { 'tools/call wipe': 'a:write' },
  refreshGrants: 'a:read',
};

/** How often a tool call came to the door. */
function knocks(server: AuthServer): number {
  return server.requests.filter((one) => one.body['method'] === 'tools/call').length;
}

const scopes = (server: AuthServer) =>
  server.authorizations().map((one) => one['scope']?.split(' ').toSorted().join(' '));

describe('a missing scope', () => {
  test('of a configured server is one error that names it and the way to it', async () => {
    await using server = await startAuthServer(WRITES);
    const desk = openDesk([oauthEntry('s1', server.url)]);
    expect((await desk.run(['mcp', 'login', 's1'])).code).toBe(0);
    const call = await desk.run(['call', 's1', 'wipe']);
    expect([call.code, call.stdout]).toEqual([6, '']);
    expect(call.stderr).toContain('a:write');
    expect(call.stderr).not.toMatch(/expired/i);
    expect([knocks(server), server.tokenRequests('refresh_token'), desk.opened()]).toEqual([
      1,
      [],
      1,
    ]);
    const typed = await desk.run(['--prompt', 's1/wipe', '--yes', 's1/wipe', '-q', '--json']);
    expect([typed.code, JSON.parse(typed.stdout).error?.code]).toEqual([6, 'auth']);
    const [, hint] = /usher (mcp login s1[^\n]*)/.exec(call.stderr) ?? [];
    const words = (hint ?? '').replaceAll("'", '').split(' ');
    expect((await desk.run(words)).code).toBe(0);
    expect(scopes(server)).toEqual(['a:read', 'a:read a:write']);
    expect((await desk.run(['call', 's1', 'wipe'])).code).toBe(0);
    expect((await desk.run(['call', 's1', 'read'])).code).toBe(0);
  });

  test('in a run is one tool error for the model, and no browser opens', async () => {
    await using server = await startAuthServer(WRITES);
    const model = await startModelServer({
      format: 'openai',
      script: callThenAnswer(['s1_wipe', {}], ['s1_read', {}]),
    });
    const desk = openDesk([oauthEntry('s1', server.url)], { model: scriptedModel(model) });
    expect((await desk.run(['mcp', 'login', 's1'])).code).toBe(0);
    const run = await desk.run(['--prompt', 'go']);
    await model.close();
    expect(run.code).toBe(0);
    const [wiped, read] = toolTexts(model.requests);
    expect(wiped).toContain('a:write');
    expect(wiped).toContain('usher mcp login s1');
    expect(read).toBe('nothing to read');
    expect([knocks(server), server.tokenRequests('refresh_token'), desk.opened()]).toEqual([
      2,
      [],
      1,
    ]);
  });

  test('of a bare URL is one new consent for old and new scopes', async () => {
    await using server = await startAuthServer(WRITES);
    const desk = openDesk(undefined);
    const call = await desk.run(['call', server.url, 'wipe']);
    expect([call.code, scopes(server)]).toEqual([0, ['a:read', 'a:read a:write']]);
    expect([knocks(server), server.tokenRequests('refresh_token')]).toEqual([2, []]);
    expect((await desk.run(['call', server.url, 'wipe'])).code).toBe(0);
    expect(scopes(server)).toHaveLength(2);
  });

  test('that is never granted ends after one consent for it', async () => {
    await using server = await startAuthServer({ ...WRITES, grants: 'a:read' });
    const desk = openDesk(undefined);
    const call = await desk.run(['call', server.url, 'wipe']);
    expect([call.code, call.stdout]).toEqual([6, '']);
    expect(call.stderr).toContain('a:write');
    expect([scopes(server), knocks(server)]).toEqual([['a:read', 'a:read a:write'], 2]);
    // The next command does not ask for it again.
    const again = await desk.run(['call', server.url, 'wipe']);
    expect([again.code, scopes(server).length]).toEqual([6, 2]);
  });

  test('of every method another: at most three consents, never a loop', async () => {
    await using server = await startAuthServer({
      open: ['server/discover', 'initialize', 'notifications/initialized', ''],
      needs: {
        'tools/list': 'a:list',
        'tools/call read': 'a:read',
        'tools/call wipe': 'a:write',
      },
    });
    const desk = openDesk(undefined);
    const read = await desk.run(['call', server.url, 'read']);
    expect([read.code, scopes(server).at(-1)]).toEqual([0, 'a:list a:read']);
    expect(scopes(server).length).toBeLessThanOrEqual(3);
    const before = scopes(server).length;
    expect((await desk.run(['call', server.url, 'wipe'])).code).toBe(0);
    expect(scopes(server).slice(before)).toEqual(['a:list a:read a:write']);
  });
});
