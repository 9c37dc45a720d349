/** BUN-05, for the listener of a sign-in: a connection that stays quiet for long is not cut. Slow by nature. */
import { expect, test } from 'bun:test';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';

test('a browser that connects and brings its answer twelve seconds later signs in', async () => {
  await using server = await startAuthServer();
  const desk = openDesk([oauthEntry('s1', server.url)]);
  desk.manner = 'quiet';
  const login = await desk.run(['mcp', 'login', 's1'], { timeoutMs: 40_000 });
  expect([login.code, login.ms > 12_000]).toEqual([0, true]);
  expect((await desk.shown()).map(({ status }) => status)).toEqual([200]);
}, 60_000);
