/** AUTH-09: many want one rotating token at once. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Desk, oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import type { AuthScript } from '../fixtures/auth/script.ts';
import { type AuthServer, startAuthServer } from '../fixtures/auth/server.ts';
import { startModelServer } from '../fixtures/models/server.ts';
import { scriptedModel } from '../helpers/config.ts';
import { callThenAnswer, toolTexts } from '../helpers/scripted-run.ts';

/** Zero grace: a refresh token that comes twice ends them all. The answer is late, so that others come in between. */
const STRICT: AuthScript = { refresh: 'rotate', refreshDelayMs: 300 };
const AT_ONCE = 5;

async function signedIn(server: AuthServer, root: object = {}): Promise<Desk> {
  const desk = openDesk([oauthEntry('s1', server.url)], root);
  const login = await desk.run(['mcp', 'login', 's1']);
  expect([login.code, login.stderr]).toEqual([0, expect.any(String)]);
  return desk;
}

function refreshes(server: AuthServer): number {
  return server.tokenRequests('refresh_token').length;
}

/** Codes of runs that start together. */
async function allAtOnce(desk: Desk, count: number, words: readonly string[]) {
  const runs = Array.from({ length: count }, () => desk.run(words, { timeoutMs: 60_000 }));
  return (await Promise.all(runs)).map(({ code, stdout }) => ({ code, stdout: stdout.trim() }));
}

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

describe('one refresh', () => {
  test('for five runs that start after the token has ended', async () => {
    await using server = await startAuthServer(STRICT);
    const model = await startModelServer({
      format: 'openai',
      script: { steps: [{ text: 'fine' }], after: 'repeat' },
    });
    const desk = await signedIn(server, { model: scriptedModel(model) });
    server.ledger.expireAccess();
    const runs = await allAtOnce(desk, AT_ONCE, ['--prompt', 'go']);
    await model.close();
    expect(runs).toEqual(times(AT_ONCE, { code: 0, stdout: 'fine' }));
    expect([refreshes(server), server.ledger.reuses]).toEqual([1, 0]);
    const offered = model.requests.map(({ seen }) =>
      seen.tools.some(({ name }) => name === 's1_read'),
    );
    expect(offered).toEqual(times(AT_ONCE, true));
  }, 90_000);

  test('for ten calls of ten processes, expiry after expiry', async () => {
    await using server = await startAuthServer(STRICT);
    const desk = await signedIn(server);
    for (let expiry = 1; expiry <= 2; expiry += 1) {
      server.ledger.expireAccess();
      const calls = await allAtOnce(desk, 10, ['call', 's1', 'read']);
      expect(calls).toEqual(times(10, { code: 0, stdout: 'nothing to read' }));
      expect([refreshes(server), server.ledger.reuses]).toEqual([expiry, 0]);
    }
  }, 120_000);

  test('for parallel calls of one run', async () => {
    await using server = await startAuthServer(STRICT);
    const calls = times(AT_ONCE, ['s1_read', {}] as const);
    const model = await startModelServer({ format: 'openai', script: callThenAnswer(...calls) });
    const desk = await signedIn(server, { model: scriptedModel(model) });
    server.onMessage = (method) => {
      if (method !== 'tools/call') return;
      server.onMessage = undefined;
      server.ledger.expireAccess();
    };
    const run = await desk.run(['--prompt', 'go'], { timeoutMs: 60_000 });
    await model.close();
    expect([run.code, toolTexts(model.requests)]).toEqual([0, times(AT_ONCE, 'nothing to read')]);
    expect([refreshes(server), server.ledger.reuses]).toEqual([1, 0]);
  }, 90_000);
});

describe('a token', () => {
  test('that lives for two seconds never makes a run use a refresh token twice', async () => {
    await using server = await startAuthServer({ refresh: 'rotate', expiresIn: [2] });
    const desk = await signedIn(server);
    server.ledger.expireAccess();
    const calls = await allAtOnce(desk, AT_ONCE, ['call', 's1', 'read']);
    expect(calls).toEqual(times(AT_ONCE, { code: 0, stdout: 'nothing to read' }));
    expect(server.ledger.reuses).toBe(0);
  }, 90_000);

  test('whose refresh was cut off by a crash leaves readable files and a way on', async () => {
    await using server = await startAuthServer({ ...STRICT, refreshDelayMs: 60_000 });
    const desk = await signedIn(server);
    server.ledger.expireAccess();
    const begun = Promise.withResolvers<void>();
    server.ledger.onRefresh = begun.resolve;
    const run = desk.start(['tools', 's1']);
    await begun.promise;
    run.kill('SIGKILL');
    expect((await run.done).code).toBe(137);
    for (const file of loginFiles(desk))
      expect(() => JSON.parse(readFileSync(file, 'utf8'))).not.toThrow();
    server.change({ refreshDelayMs: 0 });
    const next = await desk.run(['tools', 's1'], { timeoutMs: 60_000 });
    expect(next.code).toBe(6);
    expect(next.stderr).toContain('usher mcp login s1');
    expect((await desk.run(['mcp', 'login', 's1'])).code).toBe(0);
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
  }, 120_000);

  test('that was revoked ends in one clear word, and its login is not tried again', async () => {
    await using server = await startAuthServer(STRICT);
    const desk = await signedIn(server);
    server.ledger.revoke();
    const first = await desk.run(['tools', 's1']);
    expect([first.code, first.stdout]).toEqual([6, '']);
    expect(first.stderr).toContain('usher mcp login s1');
    expect((await desk.run(['tools', 's1'])).code).toBe(6);
    expect([refreshes(server), desk.opened()]).toEqual([1, 1]);
  }, 60_000);

  test('whose refresh fails for the network or the server is kept for the next time', async () => {
    await using server = await startAuthServer({ refresh: 'rotate' });
    const desk = await signedIn(server);
    server.ledger.expireAccess();
    server.change({ faults: { '/token': { status: 503, body: 'later' } } });
    const failed = await desk.run(['tools', 's1'], { timeoutMs: 60_000 });
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain('503');
    server.change({ faults: {} });
    expect((await desk.run(['tools', 's1'])).code).toBe(0);
    expect(desk.opened()).toBe(1);
  }, 60_000);
});

function loginFiles({ home }: Desk): readonly string[] {
  const folder = join(home, 'state/usher/logins');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
}
