/** AUTH-05: `resource` of the metadata differs from the configured URL in spelling, or in earnest. */
import { describe, expect, test } from 'bun:test';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';

describe('the resource of the metadata', () => {
  test.each([
    ['without the slash at the end', '/mcp/', '{mcp}/mcp'],
    ['with a slash that the URL lacks', '/mcp', '{mcp}/mcp/'],
    ['as the origin', '/mcp', '{mcp}'],
    ['as the origin with a slash', '/mcp', '{mcp}/'],
    ['with the host in upper case', '/mcp', 'http://LOCALHOST:{port}/mcp'],
    ['with the scheme in upper case', '/mcp', 'HTTP://localhost:{port}/mcp'],
    ['as it is configured', '/mcp', '{mcp}/mcp'],
  ])('%s is accepted, and sent on as it is written', async (_name, path, spelling) => {
    await using server = await startAuthServer();
    const { port } = new URL(server.url);
    const isLocalhost = spelling.includes('{port}');
    const origin = isLocalhost ? `http://localhost:${port}` : server.origins.mcp;
    const resource = spelling.replace('{port}', port).replace('{mcp}', server.origins.mcp);
    server.change({ resource: { resource } });
    const desk = openDesk([oauthEntry('s1', `${origin}${path}`)]);
    const login = await desk.run(['mcp', 'login', 's1']);
    expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
    const sent = [...server.authorizations(), ...server.tokenRequests()];
    expect(sent.map((one) => one['resource'])).toEqual([resource, resource]);
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
  });

  test.each([
    ['another host', 'https://other.example/mcp'],
    ['another port', 'http://127.0.0.1:1/mcp'],
    ['another scheme', 'https://127.0.0.1:{port}/mcp'],
    ['a path beside ours', '{mcp}/mcp2'],
    ['a path below ours', '{mcp}/mcp/deeper'],
  ])('%s is refused with both values, before a registration', async (_name, spelling) => {
    await using server = await startAuthServer();
    const { port } = new URL(server.url);
    const resource = spelling.replace('{port}', port).replace('{mcp}', server.origins.mcp);
    server.change({ resource: { resource } });
    const desk = openDesk([oauthEntry('s1', server.url)]);
    const login = await desk.run(['mcp', 'login', 's1']);
    expect([login.code, login.stdout]).toEqual([6, '']);
    expect(login.stderr).toContain(resource);
    expect(login.stderr).toContain(server.url);
    expect(server.paths().filter((path) => !path.includes('/.well-known/'))).toEqual([]);
    expect(desk.opened()).toBe(0);
  });
});
