/** The order of a sign-in, over a real authorization server and in one process. */
import { describe, expect, test } from 'bun:test';
import { createOAuthSource, SignInNeededError } from '../../src/auth/oauth-source.ts';
import { SignIn } from '../../src/auth/sign-in.ts';
import { openLoginStore } from '../../src/auth/store.ts';
import { serverSubject } from '../../src/auth/subject.ts';
import type { Interaction, LoginStore, OAuthSettings, StoredLogin } from '../../src/auth/types.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { FetchInit } from '../../src/base/http.ts';
import { spawnChild } from '../../src/base/spawn.ts';
import { browse } from '../fixtures/auth/browser.ts';
import type { AuthScript } from '../fixtures/auth/script.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';
import { loginPorts, refusalOf } from './site.ts';

const never = new AbortController().signal;
/** Waits of a device flow pass at once; limits are longer. */
const hurriedClock: Clock = {
  ...systemClock,
  after: (delayMs, action) => systemClock.after(delayMs > 5000 ? delayMs : 0, action),
};
const nothing = { challenge: undefined };

function memoryStore(): LoginStore {
  const options = { stateDir: undefined, env: {}, clock: systemClock, spawn: spawnChild };
  return openLoginStore({ ...options, log: () => undefined });
}

async function openRig(script: AuthScript = {}, settings: OAuthSettings = {}) {
  const server = await startAuthServer(script);
  const store = memoryStore();
  const subject = serverSubject('s1', server.url, settings);
  const ports = loginPorts({ env: { SECRET: 'shhh-0123' }, clock: hurriedClock });
  const signIn = new SignIn(subject, { ...ports, store });
  return { server, store, signIn, [Symbol.asyncDispose]: () => server.close() };
}

/** A person whose browser goes ahead once `gate` opens. */
function person(
  gate: Promise<void> = Promise.resolve(),
): Interaction & { readonly told: string[] } {
  const told: string[] = [];
  return {
    told,
    async openUrl(url) {
      await gate;
      await browse('follow', url);
      return true;
    },
    tell: (lines) => void told.push(...lines),
    readPaste: undefined,
  };
}

/** Somebody who refreshes `login` until another one wants its turn, or has changed the store without one. */
function refreshUntilAsked(inner: LoginStore, login: StoredLogin) {
  const gate = Promise.withResolvers<void>();
  const refreshing = inner.alone(login.key, never, async () => {
    await gate.promise;
    await inner.write(login);
  });
  const store: LoginStore = {
    ...inner,
    alone(key, signal, work) {
      queueMicrotask(gate.resolve);
      return inner.alone(key, signal, work);
    },
    write: (next) => inner.write(next).finally(gate.resolve),
    remove: (key) => inner.remove(key).finally(gate.resolve),
  };
  return { refreshing, store };
}

describe('two that wait for one sign-in', () => {
  test('the first gives up: it alone, at once; the other one is signed in', async () => {
    await using rig = await openRig();
    const gate = Promise.withResolvers<void>();
    const impatient = new AbortController();
    const first = rig.signIn.begin(person(gate.promise), nothing, impatient.signal);
    const second = rig.signIn.begin(person(), nothing, never);
    impatient.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    gate.resolve();
    const login = await second;
    expect(rig.signIn.isSignedIn).toBe(true);
    expect(await rig.store.read(rig.signIn.subject.key)).toEqual(login);
    expect(rig.server.authorizations()).toHaveLength(1);
  });

  test('the second gives up: it alone, at once', async () => {
    await using rig = await openRig();
    const gate = Promise.withResolvers<void>();
    const impatient = new AbortController();
    const first = rig.signIn.begin(person(gate.promise), nothing, never);
    const second = rig.signIn.begin(person(), nothing, impatient.signal);
    impatient.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    gate.resolve();
    expect((await first).metadata.issuer).toBe(rig.server.issuer);
  });

  test('both give up: the next one begins anew', async () => {
    await using rig = await openRig();
    const stop = new AbortController();
    const closed = new Promise<void>(() => undefined);
    const waits = [1, 2].map(() => rig.signIn.begin(person(closed), nothing, stop.signal));
    stop.abort(new Error('enough'));
    expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    await rig.signIn.begin(person(), nothing, never);
    expect(rig.signIn.isSignedIn).toBe(true);
  });
});

describe('how often a person is asked', () => {
  test('by itself no more than three times', async () => {
    await using rig = await openRig();
    for (let time = 1; time <= 3; time += 1) await rig.signIn.begin(person(), nothing, never);
    expect(await refusalOf(rig.signIn.begin(person(), nothing, never))).toEqual({
      name: 'AuthError',
      message: 'server "s1" asked for 3 sign-ins and is still not content',
      hint: 'usher mcp login s1',
    });
    expect(rig.server.authorizations()).toHaveLength(3);
  });

  test('on their own word as often as they like', async () => {
    await using rig = await openRig();
    for (let time = 1; time <= 5; time += 1) {
      rig.signIn.startOver();
      await rig.signIn.begin(person(), nothing, never);
    }
    expect(rig.server.authorizations()).toHaveLength(5);
  });
});

describe('a client that the server has forgotten', () => {
  const wishes = { 'a browser': nothing, 'another device': { ...nothing, isByDevice: true } };

  test.each(Object.entries(wishes))('by %s it is registered anew', async (_way, wish) => {
    await using rig = await openRig({ device: { pending: 0 } });
    const { server, signIn, store } = rig;
    const first = await signIn.begin(person(), nothing, never);
    server.ledger.clients.clear();
    // A browser would stop at the page of an error; the token endpoint says it to a program.
    const { clientId } = first.client;
    if (wish === nothing)
      server.change({ clientDocuments: true, client: { id: clientId, secret: 's' } });
    const second = await signIn.begin(person(), wish, never);
    expect(second.client.clientId).not.toBe(clientId);
    expect(await store.read(first.key)).toEqual(second);
  });

  test('one whose secret has ended is not tried first', async () => {
    await using rig = await openRig({ clientMethod: 'client_secret_basic' });
    const { server, signIn, store } = rig;
    const first = await signIn.begin(person(), nothing, never);
    await store.write({ ...first, client: { ...first.client, secretExpiresAt: 1 } });
    const second = await signIn.begin(person(), nothing, never);
    expect(second.client.clientId).not.toBe(first.client.clientId);
    expect(server.authorizations()).toHaveLength(2);
  });

  test('one that is configured is not', async () => {
    await using rig = await openRig({ device: { pending: 0 } }, { clientId: 'gone' });
    const begun = rig.signIn.begin(person(), { ...nothing, isByDevice: true }, never);
    expect(await refusalOf(begun)).toEqual({
      name: 'TokenRefusedError',
      message:
        'server "s1": no code for another device: invalid_client (the server says invalid_client)',
      hint: 'check clientId',
    });
  });
});

test('a sign-in that came to nothing leaves what was kept in use', async () => {
  await using rig = await openRig();
  const login = await rig.signIn.begin(person(), nothing, never);
  rig.signIn.startOver();
  expect(await rig.signIn.current(never)).toBeUndefined();
  rig.signIn.giveUpStartingOver();
  expect(await rig.signIn.current(never)).toEqual(login);
});

test('a grant without a person whose token is refused asks nobody', async () => {
  const settings = {
    grant: 'client_credentials',
    clientId: 'robot',
    clientSecretEnv: 'SECRET',
  } as const;
  await using rig = await openRig({ client: { id: 'robot', secret: 'shhh-0123' } }, settings);
  const { server, signIn } = rig;
  const source = createOAuthSource(signIn, { clock: systemClock, url: server.url, closing: never });
  const send = source.wrap(async () => new Response(null, { status: 401 }));
  const init: FetchInit = {
    ...{ method: 'POST', headers: {}, body: '{}', signal: never },
    ...{ redirect: 'manual', timeout: false, verbose: false },
  };
  const error = await send(server.url, init).catch((thrown: unknown) => thrown);
  if (!(error instanceof SignInNeededError)) throw error;
  expect([error.isWorthAsking, error.message, error.hint]).toEqual([
    false,
    'server "s1" does not take the token that the grant client_credentials gave (401)',
    'check clientId, scope and authServerMetadataUrl of its sign-in',
  ]);
  expect(server.tokenRequests('client_credentials')).toHaveLength(1);
});

test('a nonce outlives the login that is read anew for every request', async () => {
  await using rig = await openRig({ dpop: 'nonce' }, { dpop: true });
  const { server, signIn, store } = rig;
  await signIn.begin(person(), nothing, never);
  const read: LoginStore['read'] = async (key) => structuredClone(await store.read(key));
  const reading = new SignIn(signIn.subject, { ...loginPorts(), store: { ...store, read } });
  const options = { clock: systemClock, url: server.url, closing: never, isShared: true };
  const send = createOAuthSource(reading, options).wrap((url, init) => fetch(url, init));
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const init: FetchInit = {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: never },
    ...{ redirect: 'manual', timeout: false, verbose: false },
  };
  const sent = () => server.requests.filter(({ side, path }) => side === 'mcp' && path === '/mcp');
  for (let time = 1; time <= 3; time += 1) await send(server.url, init);
  expect(sent().filter(({ status }) => status === 401)).toHaveLength(1);
});

describe('signing out', () => {
  test('waits for a refresh that runs, so that its tokens do not come back', async () => {
    await using rig = await openRig();
    const { subject } = rig.signIn;
    const login = await rig.signIn.begin(person(), nothing, never);
    const { refreshing, store } = refreshUntilAsked(rig.store, login);
    const signIn = new SignIn(subject, { ...loginPorts(), store });
    expect(await signIn.end(never)).toBe(true);
    await refreshing;
    expect(await store.list()).toEqual([]);
  });

  test('removes also what cannot be read here', async () => {
    await using rig = await openRig();
    const { server, store } = rig;
    await rig.signIn.begin(person(), nothing, never);
    const blind: LoginStore = { ...store, read: async () => undefined };
    const subject = serverSubject('s1', server.url, {});
    const signIn = new SignIn(subject, { ...loginPorts(), store: blind });
    expect(await signIn.end(never)).toBe(true);
    expect(await store.list()).toEqual([]);
  });
});

test('a login is kept after a refresh that runs, not before it', async () => {
  await using rig = await openRig();
  const { subject } = rig.signIn;
  const old = await rig.signIn.begin(person(), nothing, never);
  const { refreshing, store } = refreshUntilAsked(rig.store, old);
  const signIn = new SignIn(subject, { ...loginPorts(), store });
  const login = await signIn.begin(person(), nothing, never);
  await refreshing;
  expect(await store.read(old.key)).toEqual(login);
});
