/** Credentials and the state of a connection. */
import { expect, test } from 'bun:test';
import { AuthError } from '../../src/base/errors.ts';
import { startMcpServer } from '../fixtures/servers/http.ts';
import { callTool, failureOf, httpEndpoint, never, open } from './rig.ts';

const auth = { type: 'bearer', tokenEnv: 'TOK' } as const;

test('without its token nothing is sent, and calls say what is missing', async () => {
  await using server = await startMcpServer();
  await using connection = open(httpEndpoint(server.url, { auth }));
  await connection.connect(never);
  const message = 'server "s1" needs a token: the variable TOK is not set or empty';
  expect([connection.status().state, connection.status().error?.message]).toEqual([
    'needs_auth',
    message,
  ]);
  const error = await failureOf(callTool(connection, 'echo'));
  expect([error instanceof AuthError, error.message, server.requests]).toEqual([true, message, []]);
});

test.each([
  [401, { status: 401, body: '{"error":"Missing API key"}' }],
  [403, { status: 403, body: '{"error":"Missing API key"}' }],
])('a token refused by %d is reported as such, after one request', async (status, reply) => {
  await using server = await startMcpServer({ instead: { '*': reply } });
  await using connection = open(httpEndpoint(server.url, { auth }), {
    env: { TOK: 'canary-refused' },
  });
  await connection.connect(never);
  expect([connection.status().state, connection.status().error?.message]).toEqual([
    'needs_auth',
    `server "s1" refused the configured token (${status}): {"error":"Missing API key"}`,
  ]);
  expect(server.requests).toHaveLength(1);
});

test('a token that is accepted goes with every request', async () => {
  await using server = await startMcpServer({ bearer: 'right-token' });
  await using connection = open(httpEndpoint(server.url, { auth }), {
    env: { TOK: 'right-token\n' },
  });
  await connection.connect(never);
  expect((await callTool(connection, 'echo', { a: 1 })).content).toHaveLength(1);
});
