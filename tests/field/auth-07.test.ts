/** AUTH-07: a client cannot register itself, and is told what to configure instead. */
import { describe, expect, test } from 'bun:test';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import type { AuthScript, Fault } from '../fixtures/auth/script.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';

const json = { 'content-type': 'application/json' };
const answering = (fault: Fault): AuthScript => ({ faults: { '/register': fault } });
const refusal = JSON.stringify({
  error: 'invalid_client_metadata',
  error_description: 'no native clients here',
});

describe('registration', () => {
  test.each<[string, AuthScript, RegExp]>([
    ['that is not offered', { registration: false }, /regist/],
    ['that answers 403', answering({ status: 403, body: 'admins only' }), /403/],
    ['that answers 500 with nothing', answering({ status: 500 }), /500/],
    [
      'that is refused with a reason',
      answering({ status: 400, headers: json, body: refusal }),
      /no native clients here/,
    ],
    [
      'that forgets the secret it asks for',
      {
        clientMethod: 'client_secret_post',
        faults: {
          '/register': {
            status: 201,
            headers: json,
            body: '{"client_id":"c","token_endpoint_auth_method":"client_secret_post"}',
          },
        },
      },
      /secret/,
    ],
    ['that answers with no JSON', answering({ status: 200, body: '<html>' }), /regist/],
  ])('%s ends with what to configure', async (_name, script, said) => {
    await using server = await startAuthServer(script);
    const desk = openDesk([oauthEntry('s1', server.url)]);
    const login = await desk.run(['mcp', 'login', 's1']);
    expect([login.code, login.stdout]).toEqual([6, '']);
    expect(login.stderr).toMatch(said);
    expect(login.stderr).toMatch(/regist/);
    expect(login.stderr).toContain('clientId');
    expect(login.stderr).toContain('clientSecretEnv');
    expect([server.authorizations(), server.tokenRequests(), desk.opened()]).toEqual([[], [], 0]);
  });

  test.each<[string, AuthScript]>([
    ['not offered', { registration: false }],
    ['offered', {}],
    ['broken', answering({ status: 500 })],
  ])('%s is not tried with a configured client', async (_name, script) => {
    const client = { id: 'known-1', secret: 'known-secret-abc' };
    await using server = await startAuthServer({
      ...script,
      client,
      clientMethod: 'client_secret_post',
    });
    const auth = { type: 'oauth', clientId: client.id, clientSecretEnv: 'THE_SECRET' };
    const desk = openDesk([oauthEntry('s1', server.url, { auth })]);
    const env = { THE_SECRET: client.secret };
    const login = await desk.run(['mcp', 'login', 's1'], { env });
    expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
    expect(server.paths().filter((path) => path.includes('register'))).toEqual([]);
    const [token] = server.tokenRequests();
    expect([token?.['client_id'], token?.['client_secret']]).toEqual([client.id, client.secret]);
    expect((await desk.run(['tools', 's1'], { env })).code).toBe(0);
  });
});
