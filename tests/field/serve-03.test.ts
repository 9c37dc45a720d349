/** SERVE-03, for the listener of a sign-in: a page elsewhere cannot drive it. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { answerOf } from '../fixtures/auth/browser.ts';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { sendRaw } from '../fixtures/auth/raw-request.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';
import type { RunningUsher } from '../helpers/usher.ts';

const LOGIN = ['mcp', 'login', 's1'];

/** The address that the person is told, once it is. */
async function addressOf(run: RunningUsher): Promise<string> {
  for (const end = performance.now() + 10_000; performance.now() < end; ) {
    const [address] = /http:\/\/\S+\/authorize\?\S+(?=\s)/.exec(run.stderrSoFar()) ?? [];
    if (address !== undefined) return address;
    await Bun.sleep(20);
  }
  throw new Error(`no address was told: ${run.stderrSoFar()}`);
}

describe('the listener of a sign-in', () => {
  test('refuses a foreign host or origin before it looks at anything', async () => {
    await using server = await startAuthServer();
    const desk = openDesk([oauthEntry('s1', server.url)]);
    desk.manner = 'foreign';
    expect((await desk.run(LOGIN)).code).toBe(0);
    expect((await desk.shown()).map(({ status }) => status)).toEqual([403, 403, 403, 200]);
    expect(server.tokenRequests()).toHaveLength(1);
  });

  test('refuses further hosts, origins and verbs, and is bound to loopback alone', async () => {
    await using server = await startAuthServer();
    const desk = openDesk([oauthEntry('s1', server.url)]);
    desk.manner = 'never';
    const run = desk.start(LOGIN);
    const answer = await answerOf(await addressOf(run));
    const { port } = answer;
    const refused = await Promise.all([
      sendRaw(answer, { host: `evil.example:${port}` }),
      sendRaw(answer, { host: `127.0.0.1.evil.example:${port}` }),
      sendRaw(answer, { host: '127.0.0.1:1' }),
      sendRaw(answer, { origin: 'http://localhost:1' }),
      sendRaw(answer, { method: 'POST', origin: 'http://evil.example' }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await sendRaw(answer, { method: 'POST' })).status).toBeGreaterThanOrEqual(400);
    if (process.platform === 'linux') expect(boundTo(Number(port))).toEqual(['0100007F']);
    const outside = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .find((one) => one.family === 'IPv4' && !one.internal)?.address;
    if (outside !== undefined) {
      const url = new URL(answer);
      url.hostname = outside;
      expect((await sendRaw(url)).status).toBe(0);
    }
    expect(server.tokenRequests()).toEqual([]);
    expect((await sendRaw(answer)).status).toBe(200);
    expect((await run.done).code).toBe(0);
  });
});

/** Addresses that listen on a port, as the kernel writes them. */
function boundTo(port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${hex}`) === true && state === '0A')
      .map(([, local = '']) => local.split(':')[0] ?? ''),
  );
}
