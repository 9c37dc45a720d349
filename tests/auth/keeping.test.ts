/** What becomes of tokens on a bad disk, over a real authorization server. */
import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignIn } from '../../src/auth/sign-in.ts';
import { serverSubject } from '../../src/auth/subject.ts';
import type { Interaction, LoginStore, OAuthSettings } from '../../src/auth/types.ts';
import { FailedError, LimitError } from '../../src/base/errors.ts';
import { browse } from '../fixtures/auth/browser.ts';
import type { AuthScript } from '../fixtures/auth/script.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';
import { newFolder } from '../helpers/places.ts';
import { fileStore } from './refresh-worker.ts';
import { loginPorts } from './site.ts';

const never = new AbortController().signal;
const nothing = { challenge: undefined };
const full = new FailedError('FILE: no space left on the device');

const person: Interaction = {
  openUrl: async (url) => (await browse('follow', url)).length > 0,
  tell: () => undefined,
  readPaste: undefined,
};

async function openRig(script: AuthScript = {}, settings: OAuthSettings = {}) {
  const server = await startAuthServer(script);
  const log: string[] = [];
  const stateDir = newFolder();
  const store = fileStore(stateDir, () => undefined);
  const subject = serverSubject('s1', server.url, settings, 's1');
  const ports = {
    ...loginPorts({ env: { SECRET: 'shhh-0123' } }),
    log: (level: string, message: string) => void log.push(`${level} ${message}`),
  };
  return {
    ...{ server, log, logins: join(stateDir, 'logins') },
    signIn: new SignIn(subject, { ...ports, store }),
    withStore: (patch: Partial<LoginStore>) =>
      new SignIn(subject, { ...ports, store: { ...store, ...patch } }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

const posts = (paths: readonly string[]) => paths.filter((path) => path.startsWith('as POST'));

test('nobody is asked to sign in where nothing can be kept', async () => {
  await using rig = await openRig();
  const signIn = rig.withStore({ alone: () => Promise.reject(full) });
  expect(await signIn.begin(person, nothing, never).catch((error) => error)).toBe(full);
  expect(rig.server.paths().filter((path) => /POST|authorize/.test(path))).toEqual([]);
});

test('a login that another process holds for long is begun and kept all the same', async () => {
  await using rig = await openRig();
  const signIn = rig.withStore({ alone: () => Promise.reject(new LimitError('held')) });
  await signIn.begin(person, nothing, never);
  expect(await rig.signIn.current(never)).toBeDefined();
});

test('tokens that cannot be kept after all are revoked', async () => {
  await using rig = await openRig();
  const signIn = rig.withStore({ write: () => Promise.reject(full) });
  expect(await signIn.begin(person, nothing, never).catch((error) => error)).toBe(full);
  expect(posts(rig.server.paths()).slice(-3)).toEqual([
    'as POST /token',
    'as POST /revoke',
    'as POST /revoke',
  ]);
  expect(signIn.isSignedIn).toBe(false);
});

test('a token of a grant without a person is used where it cannot be kept', async () => {
  await using rig = await openRig(
    { client: { id: 'robot', secret: 'shhh-0123' } },
    { grant: 'client_credentials', clientId: 'robot', clientSecretEnv: 'SECRET' },
  );
  const signIn = rig.withStore({ alone: () => Promise.reject(full) });
  const login = await signIn.renew(undefined, undefined, never);
  expect(login?.tokens.type).toBe('bearer');
  expect(await signIn.current(never)).toEqual(login);
  expect(rig.log).toEqual([`warn ${full.message}; the token is not kept for the next run`]);
  expect(posts(rig.server.paths())).toEqual(['as POST /token']);
});

test('signing out needs no space', async () => {
  await using rig = await openRig();
  await rig.signIn.begin(person, nothing, never);
  const signIn = rig.withStore({ alone: () => Promise.reject(full) });
  expect(await signIn.end(never)).toBe(true);
  expect(readdirSync(rig.logins)).toEqual([]);
  expect(posts(rig.server.paths()).slice(-2)).toEqual(['as POST /revoke', 'as POST /revoke']);
});

test('signing out removes a login that cannot be read, and says so', async () => {
  await using rig = await openRig();
  await rig.signIn.begin(person, nothing, never);
  const [name = ''] = readdirSync(rig.logins);
  const file = join(rig.logins, name);
  writeFileSync(file, '{"version":1,');
  expect(await rig.withStore({}).end(never)).toBe(true);
  expect(readdirSync(rig.logins)).toEqual([]);
  expect(rig.log).toEqual([
    `warn ${file} is no login file of this usher; it is not used; its tokens are not revoked`,
  ]);
});

test.each([
  ['refuses', { faults: { '/revoke': { status: 500 } } }, [unconfirmed()]],
  ['has no place for it', { server: { revocation_endpoint: null } }, []],
] as const)(
  'signing out where the server %s forgets the tokens',
  async (_name, script, warnings) => {
    await using rig = await openRig(script);
    await rig.signIn.begin(person, nothing, never);
    expect(await rig.signIn.end(never)).toBe(true);
    expect(rig.log.filter((line) => !line.startsWith('debug'))).toEqual([...warnings]);
    expect(readdirSync(rig.logins)).toEqual([]);
  },
);

function unconfirmed(): string {
  return 'warn server "s1": nobody confirms that its tokens are revoked; they are forgotten here';
}
