import { afterEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freshTokens, refreshesSettled } from '../../src/auth/refresh.ts';
import type { LoginStore, StoredLogin, Tokens } from '../../src/auth/types.ts';
import { type Clock, sleep, systemClock } from '../../src/base/clock.ts';
import {
  AuthError,
  ConnectError,
  FailedError,
  InternalError,
  LimitError,
} from '../../src/base/errors.ts';
import { newFolder } from '../helpers/places.ts';
import { fileStore, refreshAt } from './refresh-worker.ts';

const KEY = 'https://mcp.test/mcp';
const NOW = 1_700_000_000_000;
const never = new AbortController().signal;
const OLD: Tokens = { accessToken: 'access-0', type: 'bearer', refreshToken: 'refresh-0' };

function loginWith(tokens: Partial<Tokens>, savedAt = NOW - 3_600_000): StoredLogin {
  return {
    key: KEY,
    metadata: { issuer: 'https://as.test', token_endpoint: 'https://as.test/token' },
    client: { clientId: 'c1', method: 'none', kind: 'dcr' },
    tokens: { ...OLD, ...tokens },
    savedAt,
  };
}

interface HandClock extends Clock {
  readonly pass: (ms: number) => Promise<void>;
}

/** Stands until it is moved. */
function handClock(): HandClock {
  let at = 0;
  let timers: { readonly due: number; readonly action: () => void }[] = [];
  return {
    now: () => at,
    date: () => new Date(NOW + at),
    after(delayMs, action) {
      const timer = { due: at + delayMs, action };
      timers.push(timer);
      return {
        cancel() {
          timers = timers.filter((one) => one !== timer);
        },
      };
    },
    async pass(ms) {
      // What was started runs until it waits for time.
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      at += ms;
      const due = timers.filter((one) => one.due <= at);
      timers = timers.filter((one) => one.due > at);
      for (const { action } of due) action();
    },
  };
}

interface Scene {
  readonly store: LoginStore;
  readonly clock: HandClock;
  /** What was asked for, in order. */
  readonly asked: string[];
  readonly ask: (
    login: StoredLogin,
    more?: Partial<Parameters<typeof freshTokens>[0]>,
  ) => Promise<StoredLogin | undefined>;
}

/** A store in memory, and a server that hands out `access-1`, `access-2` …, each saved for an hour. */
async function scene(kept: StoredLogin | undefined): Promise<Scene> {
  const logins = new Map<string, StoredLogin>();
  if (kept !== undefined) logins.set(kept.key, kept);
  const store: LoginStore = {
    read: async (key) => logins.get(key),
    async write(login) {
      logins.set(login.key, login);
    },
    remove: async (key) => logins.delete(key),
    list: async () => [...logins.keys()],
    alone: (_key, _signal, work) => work(),
  };
  const clock = handClock();
  const asked: string[] = [];
  return {
    store,
    clock,
    asked,
    ask: (login, more = {}) =>
      freshTokens({
        store,
        login,
        used: undefined,
        clock,
        signal: never,
        async refresh(current) {
          asked.push(current.tokens.refreshToken ?? 'none');
          const refreshToken = `refresh-${asked.length}`;
          const expiresAt = clock.date().getTime() + 3_600_000;
          const tokens: Tokens = {
            accessToken: `access-${asked.length}`,
            type: 'bearer',
            refreshToken,
            expiresAt,
          };
          return { ...current, tokens };
        },
        ...more,
      }),
  };
}

function refusal(error: string): AuthError {
  return new AuthError('refused', { details: { error } });
}

const failWith = (error: Error) => ({ refresh: () => Promise.reject(error) });

describe('whether a token is refreshed', () => {
  test.each([
    ['its end is not known', {}, undefined, 'access-0'],
    ['it lasts longer than 30 s', { expiresAt: NOW + 30_001 }, undefined, 'access-0'],
    ['its end is absurdly far', { expiresAt: 8e15 }, undefined, 'access-0'],
    ['another token was refused', {}, 'access-9', 'access-0'],
    ['it ends within 30 s', { expiresAt: NOW + 30_000 }, undefined, 'access-1'],
    ['it has ended', { expiresAt: NOW - 1 }, undefined, 'access-1'],
    ['it was refused', { expiresAt: NOW + 3_600_000 }, 'access-0', 'access-1'],
  ])('%s', async (_name, tokens, used, expected) => {
    const login = loginWith(tokens);
    const { ask, asked, store } = await scene(login);
    const found = await ask(login, { used });
    expect(found?.tokens.accessToken).toBe(expected);
    expect(asked).toEqual(expected === 'access-0' ? [] : ['refresh-0']);
    expect(await store.read(KEY)).toEqual(found);
  });

  test.each([
    ['it only nears its end', { expiresAt: NOW + 1 }, undefined, 'access-0'],
    ['it has ended', { expiresAt: NOW }, undefined, undefined],
    ['it was refused', {}, 'access-0', undefined],
  ])('without a refresh token: %s', async (_name, tokens, used, expected) => {
    const { refreshToken: _, ...rest } = OLD;
    const login = { ...loginWith({}), tokens: { ...rest, ...tokens } };
    const { ask, asked, store } = await scene(login);
    expect((await ask(login, { used }))?.tokens.accessToken).toBe(expected);
    expect(asked).toEqual([]);
    expect(await store.read(KEY)).toEqual(login);
  });

  test('a token that was given just now is not questioned for 5 s, whatever its time says', async () => {
    const login = loginWith({ expiresAt: NOW - 1000 }, NOW);
    const { ask, asked, clock } = await scene(login);
    expect(await ask(login)).toEqual(login);
    await clock.pass(5000);
    expect((await ask(login))?.tokens.accessToken).toBe('access-1');
    expect(asked).toEqual(['refresh-0']);
  });
});

describe('what others did meanwhile', () => {
  test('a login that another process refreshed is taken over', async () => {
    const newer = loginWith({ accessToken: 'access-5', refreshToken: 'refresh-5' });
    const { ask, asked } = await scene(newer);
    expect(await ask(loginWith({}), { used: 'access-0' })).toEqual(newer);
    expect(asked).toEqual([]);
  });

  test('one that is at its end as well is refreshed by its own refresh token', async () => {
    const newer = loginWith({ accessToken: 'access-5', refreshToken: 'refresh-5', expiresAt: NOW });
    const { ask, asked } = await scene(newer);
    expect((await ask(loginWith({}), { used: 'access-0' }))?.tokens.accessToken).toBe('access-1');
    expect(asked).toEqual(['refresh-5']);
  });

  test('after a sign-out nothing is refreshed', async () => {
    const { ask, asked } = await scene(undefined);
    expect(await ask(loginWith({}), { used: 'access-0' })).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('a refused refresh token removes the login, unless another one was kept meanwhile', async () => {
    const login = loginWith({});
    const { ask, store } = await scene(login);
    const newer = loginWith({ accessToken: 'access-5' });
    const refresh = async () => {
      await store.write(newer);
      throw refusal('invalid_grant');
    };
    expect(await ask(login, { used: 'access-0', refresh })).toEqual(newer);
    const other = await scene(login);
    expect(
      await other.ask(login, { used: 'access-0', ...failWith(refusal('invalid_grant')) }),
    ).toBeUndefined();
    expect(await other.store.list()).toEqual([]);
  });
});

describe('a refresh that fails', () => {
  const near = loginWith({ expiresAt: NOW + 10_000 });
  test.each([
    ['the network', new ConnectError('no way'), 'access-0'],
    ['a late answer', new LimitError('too late'), 'access-0'],
    ['the server', refusal('server_error'), 'access-0'],
    ['the registration', refusal('invalid_client'), 'thrown'],
    ['a mistake of ours', new InternalError('a fault'), 'thrown'],
    ['a foreign error', new TypeError('a fault'), 'thrown'],
  ])('%s: a token that holds is used on, where it may be', async (_name, error, expected) => {
    const { ask, store } = await scene(near);
    const found = await ask(near, failWith(error)).catch((thrown) => {
      expect(thrown).toBe(error);
      return 'thrown' as const;
    });
    expect(found === 'thrown' ? found : found?.tokens.accessToken).toBe(expected);
    expect(await store.read(KEY)).toEqual(near);
  });

  test.each([
    ['ended', loginWith({ expiresAt: NOW }), undefined],
    ['refused', near, 'access-0'],
  ])('rejects when the token is %s', async (_name, login, used) => {
    const { ask, store } = await scene(login);
    const error = new ConnectError('no way');
    expect(await ask(login, { used, ...failWith(error) }).catch((thrown) => thrown)).toBe(error);
    expect(await store.read(KEY)).toEqual(login);
  });

  test('is tried once in 5 s: a token that holds is used at once, another waits', async () => {
    const { ask, asked, clock } = await scene(near);
    expect(await ask(near, failWith(new ConnectError('no way')))).toEqual(near);
    expect(await ask(near)).toEqual(near);
    expect(asked).toEqual([]);
    const waiting = ask(near, { used: 'access-0' });
    await clock.pass(4999);
    expect(asked).toEqual([]);
    await clock.pass(1);
    expect((await waiting)?.tokens.accessToken).toBe('access-1');
  });

  test('is tried again 5 s after it ended, however long it took', async () => {
    const soon = loginWith({ expiresAt: NOW + 20_000 });
    const { ask, asked, clock } = await scene(soon);
    const slow = async () => {
      await sleep(clock, 10_000, never);
      throw new ConnectError('no answer');
    };
    const first = ask(soon, { refresh: slow });
    await clock.pass(10_000);
    expect(await first).toEqual(soon);
    expect(await ask(soon)).toEqual(soon);
    expect(asked).toEqual([]);
    await clock.pass(5000);
    expect((await ask(soon))?.tokens.accessToken).toBe('access-1');
  });

  test('what the store does not take is kept in mind and stored later, not asked for twice', async () => {
    const login = loginWith({});
    const { ask, asked, store } = await scene(login);
    const { write } = store;
    const full = new FailedError('no space');
    Object.assign(store, { write: () => Promise.reject(full) });
    expect(await ask(login, { used: 'access-0' }).catch((error) => error)).toBe(full);
    expect(await store.read(KEY)).toEqual(login);
    Object.assign(store, { write });
    const found = await ask(login, { used: 'access-0' });
    expect(found?.tokens.accessToken).toBe('access-1');
    expect(await store.read(KEY)).toEqual(found);
    expect(asked).toEqual(['refresh-0']);
  });

  test.each([
    ['of the wait for another process', new LimitError('held')],
    ['of the lock, for want of space', new FailedError('no space')],
  ])('%s leaves a token that holds', async (_name, error) => {
    const { ask, asked, store } = await scene(near);
    Object.assign(store, { alone: () => Promise.reject(error) });
    expect(await ask(near)).toEqual(near);
    expect(await ask(near, { used: 'access-0' }).catch((thrown) => thrown)).toBe(error);
    expect(asked).toEqual([]);
  });
});

describe('many callers in one process', () => {
  test('share one refresh, those who come late too', async () => {
    const login = loginWith({});
    const { ask, asked } = await scene(login);
    const found = await Promise.all([1, 2, 3].map(() => ask(login, { used: 'access-0' })));
    found.push(await ask(login, { used: 'access-0' }));
    expect(found.map((one) => one?.tokens.accessToken)).toEqual(Array(4).fill('access-1'));
    expect(asked).toEqual(['refresh-0']);
  });

  test('who gives up does not end the refresh of the others', async () => {
    const login = loginWith({});
    const { ask, store } = await scene(login);
    const answer = Promise.withResolvers<StoredLogin>();
    const begun = Promise.withResolvers<void>();
    const refresh = () => {
      begun.resolve();
      return answer.promise;
    };
    const leaving = new AbortController();
    const first = ask(login, { used: 'access-0', refresh, signal: leaving.signal });
    const second = ask(login, { used: 'access-0' });
    await begun.promise;
    const gone = new Error('gone');
    leaving.abort(gone);
    expect(await first.catch((error) => error)).toBe(gone);
    answer.resolve(loginWith({ accessToken: 'access-7' }));
    expect((await second)?.tokens.accessToken).toBe('access-7');
    expect((await store.read(KEY))?.tokens.accessToken).toBe('access-7');
  });

  test('the wait for another process ends when the last one gives up, not before', async () => {
    const login = loginWith({});
    const { ask, asked, store } = await scene(login);
    const waits = Promise.withResolvers<AbortSignal>();
    Object.assign(store, {
      alone: (_key: string, signal: AbortSignal) => {
        waits.resolve(signal);
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    });
    const leaving = [new AbortController(), new AbortController()] as const;
    const asking = leaving.map(({ signal }) => ask(login, { used: 'access-0', signal }));
    const ends = Promise.allSettled(asking);
    const signal = await waits.promise;
    leaving[0].abort(new Error('gone'));
    expect(await asking[0]?.catch((error) => error.message)).toBe('gone');
    expect(signal.aborted).toBe(false);
    leaving[1].abort(new Error('gone too'));
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([signal.aborted, asked]).toEqual([true, []]);
  });

  test('an answer that nobody waits for any more is stored all the same', async () => {
    const login = loginWith({});
    const { ask, store } = await scene(login);
    const answer = Promise.withResolvers<StoredLogin>();
    const begun = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<StoredLogin>();
    const { write } = store;
    Object.assign(store, {
      async write(one: StoredLogin) {
        await write(one);
        stored.resolve(one);
      },
    });
    const leaving = new AbortController();
    const refresh = () => {
      begun.resolve();
      return answer.promise;
    };
    const only = ask(login, { used: 'access-0', refresh, signal: leaving.signal });
    await begun.promise;
    leaving.abort(new Error('gone'));
    expect(await only.catch(() => 'gone')).toBe('gone');
    answer.resolve(loginWith({ accessToken: 'access-7' }));
    expect((await stored.promise).tokens.accessToken).toBe('access-7');
    expect((await ask(login, { used: 'access-0' }))?.tokens.accessToken).toBe('access-7');
  });

  test('one whose token is the one that another refresh brought asks once more', async () => {
    const login = loginWith({});
    const { ask, asked, clock } = await scene(login);
    const first = ask(login, { used: 'access-0' });
    const second = ask(loginWith({ accessToken: 'access-1' }), { used: 'access-1' });
    expect((await first)?.tokens.accessToken).toBe('access-1');
    await clock.pass(5000);
    expect((await second)?.tokens.accessToken).toBe('access-2');
    expect(asked).toEqual(['refresh-0', 'refresh-1']);
  });
});

describe('many processes', () => {
  let server: ReturnType<typeof Bun.serve> | undefined;
  afterEach(() => server?.stop(true));

  /** Gives `access-N` and `refresh-N` for `refresh-N-1`, each once; a used one ends the line. `hold` delays an answer. */
  function rotating(hold: (count: number) => Promise<void>) {
    const seen: string[] = [];
    let next = 0;
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const token = await request.text();
        seen.push(token);
        await hold(seen.length);
        if (token !== `refresh-${next}`) {
          next = -1;
          return Response.json({}, { status: 400 });
        }
        next += 1;
        return Response.json({ access: `access-${next}`, refresh: `refresh-${next}` });
      },
    });
    return { url: server.url.href, seen };
  }

  function startWorker(stateDir: string, url: string) {
    const script = join(import.meta.dir, 'refresh-worker.ts');
    return Bun.spawn([process.execPath, script, stateDir, KEY, url, 'access-0'], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
  }

  test('ten that want the same token refreshed ask the server once', async () => {
    const stateDir = newFolder();
    await fileStore(stateDir).write(loginWith({}));
    const allWait = Promise.withResolvers<void>();
    const { url, seen } = rotating(() => allWait.promise);
    const workers = Array.from({ length: 10 }, () => startWorker(stateDir, url));
    const readers = workers.map((one) => one.stdout.getReader());
    const ready = await Promise.all(readers.map((one) => readText(one)));
    allWait.resolve();
    const said = await Promise.all(readers.map((one) => readText(one)));
    expect([ready, said]).toEqual([Array(10).fill('access-0;'), Array(10).fill('access-1')]);
    expect(seen).toEqual(['refresh-0']);
    expect((await fileStore(stateDir).read(KEY))?.tokens.refreshToken).toBe('refresh-1');
    expect(readdirSync(join(stateDir, 'logins')).filter((name) => !name.endsWith('.json'))).toEqual(
      [],
    );
  });

  test('one that is killed in the middle leaves the old login and a lock that is taken over', async () => {
    const stateDir = newFolder();
    const login = loginWith({});
    const store = fileStore(stateDir);
    await store.write(login);
    const asked = Promise.withResolvers<void>();
    const dead = Promise.withResolvers<void>();
    const { url, seen } = rotating((count) => {
      asked.resolve();
      return count === 1 ? dead.promise : Promise.resolve();
    });
    const worker = startWorker(stateDir, url);
    await asked.promise;
    worker.kill('SIGKILL');
    await worker.exited;
    expect(await store.read(KEY)).toEqual(login);
    const begun = performance.now();
    const request = { store, login, used: 'access-0', clock: systemClock, signal: never };
    const found = await freshTokens({ ...request, refresh: refreshAt(url) });
    dead.resolve();
    expect(found?.tokens).toEqual({ ...OLD, accessToken: 'access-1', refreshToken: 'refresh-1' });
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(seen).toEqual(['refresh-0', 'refresh-0']);
  });
});

async function readText(reader: {
  readonly read: () => Promise<{ readonly value?: Uint8Array<ArrayBuffer> | undefined }>;
}): Promise<string> {
  return new TextDecoder().decode((await reader.read()).value);
}

test('whoever ends waits until a refresh that was sent is stored', async () => {
  const login = loginWith({ expiresAt: NOW - 1 });
  const { ask, store } = await scene(login);
  const answer = Promise.withResolvers<void>();
  const given = new AbortController();
  const asking = ask(login, {
    signal: given.signal,
    async refresh(current) {
      await answer.promise;
      return { ...current, tokens: { ...OLD, accessToken: 'access-late' } };
    },
  }).catch((error: unknown) => error);
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
  given.abort(new Error('given up'));
  expect(await asking).toEqual(new Error('given up'));
  const settled = refreshesSettled();
  answer.resolve();
  await settled;
  expect((await store.read(KEY))?.tokens.accessToken).toBe('access-late');
});
