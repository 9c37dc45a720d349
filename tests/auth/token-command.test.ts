import { describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createTokenCommandSource, runTokenCommand } from '../../src/auth/token-command.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import type { Fetch, FetchInit } from '../../src/base/http.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { type Child, spawnChild } from '../../src/base/spawn.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const never = new AbortController().signal;
const NOW = Date.parse('2026-01-01T00:00:00Z');

async function run(script: string, more: Partial<Clock> = {}) {
  const cwd = writeFiles(newFolder(), { helper: `#!/bin/sh\n${script}\n` });
  const path = join(cwd, 'helper');
  chmodSync(path, 0o755);
  const children: Child[] = [];
  const spawn: typeof spawnChild = (options) => {
    const child = spawnChild(options);
    children.push(child);
    return child;
  };
  const clock = { ...systemClock, date: () => new Date(NOW), ...more };
  const command = { server: 's1', argv: [path], env: { PATH: '/usr/bin:/bin' }, cwd };
  try {
    return await runTokenCommand(command, { spawn, clock }, never);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { exit: error.exit, message: error.message.replaceAll(path, 'helper') };
  } finally {
    expect(children.filter((child) => child.isGroupAlive())).toEqual([]);
  }
}

describe('a token command', () => {
  test.each([
    ['echo "  canary-t1  "', 'canary-t1', undefined],
    [`printf %s 'a.b-c_d~e+f/g=='`, 'a.b-c_d~e+f/g==', undefined],
    [`echo '{"access_token": "canary-t2"}'`, 'canary-t2', undefined],
    [`echo '{"access_token":"canary-t3","token_type":"bearer","expires_in":60}'`, 'canary-t3', 60],
    [`echo '{"access_token":"canary-t3","expires_in":"1.5"}'`, 'canary-t3', 1.5],
    [`echo '{"access_token":"canary-t3","expires_at":${NOW / 1000 + 9}}'`, 'canary-t3', 9],
    [`echo '{"access_token":"canary-t3","expires_at":${NOW + 9000}}'`, 'canary-t3', 9],
    [`echo '{"access_token":"canary-t3","expires_at":"2026-01-01T00:01:00Z"}'`, 'canary-t3', 60],
    [`echo '{"access_token":"canary-t3","expires_in":null}'`, 'canary-t3', undefined],
  ])('%s: gives the token and when it ends', async (script, token, seconds) => {
    const expiresAt = seconds === undefined ? undefined : NOW + seconds * 1000;
    expect(await run(script)).toEqual({ token, expiresAt });
  });

  test('may leave something running that holds its output', async () => {
    expect(await run('sleep 77 & echo canary-t4')).toEqual({
      token: 'canary-t4',
      expiresAt: undefined,
    });
  });

  test('registers every token of the answer as a secret', async () => {
    await run(
      `echo '{"access_token":"canary-reg-a","refresh_token":"canary-reg-r","id_token":"canary-reg-i"}'`,
    );
    await run('echo canary-reg-bare');
    expect(scrubSecrets('canary-reg-a canary-reg-r canary-reg-i canary-reg-bare')).toBe(
      '*** *** *** ***',
    );
  });

  const said = 'server "s1": auth.command: helper';
  test.each([
    ['echo no login >&2; exit 3', `${said} ended with 3; it said: no login`],
    ['echo sign in first >&2', `${said} printed no token; it said: sign in first`],
    [
      'echo Bearer canary-x1',
      `${said}: what it printed is no token alone; no "Bearer " before it, no other text`,
    ],
    [
      `printf 'canary-x2\\nx'`,
      `${said}: what it printed has a line break or control character in it`,
    ],
    [
      'echo canary-é',
      `${said}: what it printed is no token alone; no "Bearer " before it, no other text`,
    ],
    ['echo "{canary-x3"', `${said} has to print a token, or one JSON object with access_token`],
    [`echo '["canary-x4"]'`, `${said} has to print a token, or one JSON object with access_token`],
    [`echo '{"token": "canary-x5"}'`, `${said}: access_token is missing or no text`],
    [`echo '{"access_token": " "}'`, `${said}: access_token is missing or no text`],
    [
      `printf %s '{"access_token": "canary\\u0007x6"}'`,
      `${said}: access_token has a line break or control character in it`,
    ],
    [`echo '{"access_token":"canary-x7","token_type":"mac"}'`, `${said}: token_type is not Bearer`],
    [
      `echo '{"access_token":"canary-x8","expires_in":"soon"}'`,
      `${said}: expires_in is no number of seconds`,
    ],
    [
      `echo '{"access_token":"canary-x9","expires_in":0}'`,
      `${said}: expires_in is no number of seconds`,
    ],
    [`echo '{"access_token":"canary-x9","expires_at":"soon"}'`, `${said}: expires_at is no time`],
    ['head -c 70000 /dev/zero', `${said} printed more than 64 KiB`],
  ])('%s: fails in plain words, without what it printed', async (script, message) => {
    expect(await run(script)).toEqual({ exit: 6, message });
  });

  test('is killed with all it started after 10 s', async () => {
    const after: Clock['after'] = (ms, action) => systemClock.after(ms / 300, action);
    expect(await run('sleep 60 & sleep 60', { after })).toEqual({
      exit: 6,
      message: `${said} gave no answer within 10 s`,
    });
  });
});

describe('the token of a command', () => {
  const init = (headers: Record<string, string> = {}): FetchInit => ({
    method: 'POST',
    headers,
    signal: never,
    redirect: 'manual',
    timeout: false,
    verbose: false,
  });

  /** A source whose tokens live `seconds`, before a server that accepts some of them, with a clock to set. */
  function rig(
    seconds: number | undefined,
    accepts: (token: string | undefined) => boolean = () => true,
  ) {
    const state = { runs: 0, now: NOW };
    const sent: Record<string, string>[] = [];
    const fetch: Fetch = async (_url, { headers }) => {
      sent.push(headers);
      return new Response('', { status: accepts(headers['authorization']) ? 200 : 401 });
    };
    const source = createTokenCommandSource(
      async () => {
        state.runs += 1;
        const expiresAt = seconds === undefined ? undefined : state.now + seconds * 1000;
        return { token: `t${state.runs}`, expiresAt };
      },
      { ...systemClock, date: () => new Date(state.now) },
    );
    return { state, sent, source, send: source.wrap(fetch) };
  }

  test('is sent as bearer in place of any other, and asked for once', async () => {
    const { send, sent, state } = rig(undefined);
    await Promise.all([send('u', init({ AUTHORIZATION: 'x', a: 'b' })), send('u', init())]);
    state.now += 1e9;
    await send('u', init());
    const authorization = 'Bearer t1';
    expect([sent, state.runs]).toEqual([
      [{ a: 'b', authorization }, { authorization }, { authorization }],
      1,
    ]);
  });

  test.each([
    [3600, 3569, 3570],
    [20, 9, 10],
  ])(
    'that lives %d s is kept for %d s and renewed once after %d s',
    async (seconds, kept, stale) => {
      const { send, state } = rig(seconds);
      const runs: number[] = [];
      for (const at of [0, kept, stale]) {
        state.now = NOW + at * 1000;
        await Promise.all([send('u', init()), send('u', init())]);
        runs.push(state.runs);
      }
      expect(runs).toEqual([1, 1, 2]);
    },
  );

  test('is renewed once after a 401, for all that were refused together', async () => {
    const { send, state } = rig(undefined, (token) => token === 'Bearer t2');
    const replies = await Promise.all([send('u', init()), send('u', init())]);
    expect([replies.map(({ status }) => status), state.runs]).toEqual([[200, 200], 2]);
  });

  test('is not asked for again and again where a server refuses all, but at the next connection', async () => {
    const { send, source, state } = rig(3600, () => false);
    for (let round = 0; round < 3; round += 1) expect((await send('u', init())).status).toBe(401);
    expect(state.runs).toBe(2);
    source.reset();
    await send('u', init());
    expect(state.runs).toBe(4);
  });
});
