import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findKeyring, type Keyring, type KeyringName } from '../../src/auth/keyring.ts';
import { openLoginStore } from '../../src/auth/store.ts';
import type { StoredLogin } from '../../src/auth/types.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Env } from '../../src/base/env.ts';
import { AppError, InternalError } from '../../src/base/errors.ts';
import { sha256Hex } from '../../src/base/hash.ts';
import { type Child, spawnChild } from '../../src/base/spawn.ts';
import { newFolder, writeFiles } from '../helpers/places.ts';

const KEY = 'https://mcp.test/mcp';
const SYSTEM_PATH = '/usr/bin:/bin';
const login: StoredLogin = {
  key: KEY,
  metadata: { issuer: 'https://as.test', token_endpoint: 'https://as.test/token' },
  client: { clientId: 'c1', clientSecret: 'canary-client', method: 'none', kind: 'dcr' },
  tokens: { accessToken: 'canary-access', type: 'bearer', refreshToken: 'canary-refresh' },
  savedAt: 1_690_000_000_000,
};
const renewed: StoredLogin = {
  ...login,
  tokens: { ...login.tokens, accessToken: 'canary-access-2' },
};

/** Keeps items as files beside it, and its arguments and variables in `calls` and `env`. */
const SECRET_TOOL = `
here=\${0%/*}
printf '%s\\n' "$*" >> "$here/calls"
env > "$here/env"
[ ! -e "$here/trouble" ] || . "$here/trouble"
verb=$1
[ "$verb" = store ] && shift
item="$here/item-$(printf %s "$5" | tr -c a-zA-Z0-9 _)"
case $verb in
store) cat > "$item" ;;
lookup) [ -e "$item" ] || exit 1; cat "$item" ;;
search) [ ! -e "$item" ] || echo '[/1]' ;;
clear) [ -e "$item" ] || exit 1; rm "$item" ;;
esac
`;

/** Reads one command in double quotes from its input, as \`security -i\` does. */
const SECURITY = `
here=\${0%/*}
printf '%s\\n' "$*" >> "$here/calls"
[ ! -e "$here/trouble" ] || . "$here/trouble"
if [ "$1" = -i ]; then read -r line; eval "set -- $line"; fi
item="$here/item-$(printf %s "$*" | sed 's/.*-a \\([^ ]*\\).*/\\1/' | tr -c a-zA-Z0-9 _)"
case $1 in
add-generic-password) shift 6; [ "$1" = -w ] && printf %s "$2" > "$item" ;;
find-generic-password) [ -e "$item" ] || exit 44; cat "$item"; echo ;;
delete-generic-password) [ -e "$item" ] || exit 44; rm "$item" ;;
esac
`;

interface Bridge {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly children: Child[];
  readonly keyring: Keyring | undefined;
  /** Argument lines so far, of one verb. */
  readonly calls: (verb?: string) => readonly string[];
  /** What the program keeps, by file. */
  readonly items: () => Readonly<Record<string, string>>;
  /** Shell lines that run first from now on. */
  readonly trouble: (script: string) => void;
}

function bridge(
  kind: 'secret-tool' | 'security' = 'secret-tool',
  clock: Clock = systemClock,
): Bridge {
  const folder = newFolder();
  const path = join(folder, kind);
  writeFiles(folder, { [kind]: `#!/bin/sh\n${kind === 'security' ? SECURITY : SECRET_TOOL}` });
  chmodSync(path, 0o755);
  const env = {
    PATH: `${folder}:${SYSTEM_PATH}`,
    HOME: folder,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
    API_TOKEN: 'canary-variable',
  };
  const children: Child[] = [];
  const spawn: typeof spawnChild = (options) => {
    const child = spawnChild(options);
    children.push(child);
    return child;
  };
  const platform = kind === 'security' ? 'darwin' : 'linux';
  const lines = () =>
    existsSync(join(folder, 'calls'))
      ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
      : [];
  return {
    folder,
    env,
    children,
    keyring: findKeyring({ env, clock, spawn, platform, securityProgram: path }),
    calls: (verb = '') => lines().filter((line) => line.startsWith(verb)),
    items: () =>
      Object.fromEntries(
        readdirSync(folder)
          .filter((name) => name.startsWith('item-'))
          .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
      ),
    trouble: (script) => writeFiles(folder, { trouble: script }),
  };
}

function storeWith(
  stateDir: string,
  { keyring, env }: Pick<Bridge, 'keyring' | 'env'>,
  log: string[] = [],
) {
  return openLoginStore({
    stateDir,
    env,
    clock: systemClock,
    // A store that looks for a keyring itself would start a process here.
    spawn: () => {
      throw new InternalError('a process was started');
    },
    log: (level, message) => log.push(`${level}: ${message}`),
    ...(keyring === undefined ? {} : { keyring }),
  });
}

async function failure(work: Promise<unknown>) {
  const thrown = await work.then(
    () => undefined,
    (error) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error('no AppError', { cause: thrown });
  return { code: thrown.code, message: thrown.message, hint: thrown.hint };
}

const fileOf = (stateDir: string) => join(stateDir, 'logins', `${sha256Hex(KEY)}.json`);
const unlock = 'unlock the keyring, or set USHER_KEYRING=off and sign in again';
const hurried: Clock = {
  ...systemClock,
  after: (ms, action) => systemClock.after(ms / 50, action),
};

describe.each(['secret-tool', 'security'] as const)('the bridge %s', (kind) => {
  const text = 'canary0123456789';

  test('keeps, gives back and takes away; nothing is found before and after', async () => {
    const { keyring, calls, items, children } = bridge(kind);
    if (keyring === undefined) throw new Error('no keyring');
    expect([await keyring.isUsable(), await keyring.get('a"b\\c')]).toEqual([true, undefined]);
    await keyring.set('a"b\\c', text);
    await keyring.set('login:two', `${text}2`);
    expect([await keyring.get('a"b\\c'), await keyring.get('login:two')]).toEqual([
      text,
      `${text}2`,
    ]);
    await keyring.delete('a"b\\c');
    await keyring.delete('a"b\\c');
    expect([await keyring.get('a"b\\c'), Object.values(items())]).toEqual([
      undefined,
      [`${text}2`],
    ]);
    expect(calls().filter((line) => line.includes('canary'))).toEqual([]);
    expect(calls().length).toBeGreaterThan(6);
    expect(children.filter((child) => child.isGroupAlive())).toEqual([]);
  });

  test.each([
    [
      'echo no bus here >&2; exit 1',
      `the OS keyring does not work: ${kind} ended with 1; it said: no bus here`,
    ],
    ['exit 36', `the OS keyring does not work: ${kind} ended with 36`],
    ['kill -9 $$', `the OS keyring does not work: ${kind} was ended by SIGKILL`],
    [
      'head -c 70000 /dev/zero; exit 0',
      `the OS keyring does not work: ${kind} printed more than 64 KiB`,
    ],
    [
      'head -c 70000 /dev/zero >&2; exit 1',
      `the OS keyring does not work: ${kind} printed more than 64 KiB`,
    ],
    ['sleep 60 & sleep 60', `the OS keyring does not work: ${kind} gave no answer within 10 s`],
  ])('%s: is not usable and says what it did', async (script, message) => {
    const { keyring, trouble, children } = bridge(kind, hurried);
    if (keyring === undefined) throw new Error('no keyring');
    trouble(script);
    const expected = { code: 'auth' as const, message, hint: unlock };
    expect(await keyring.isUsable()).toBe(false);
    expect(await failure(keyring.get('x'))).toEqual(expected);
    expect(await failure(keyring.set('x', text))).toEqual(expected);
    expect(await failure(keyring.delete('x'))).toEqual(expected);
    expect(children.filter((child) => child.isGroupAlive())).toEqual([]);
  });

  test('refuses what a bridge would cut or change', async () => {
    const { keyring, children } = bridge(kind);
    for (const bad of ['', 'two words', 'line\n', 'ü', 'x'.repeat(1001)]) {
      const thrown = await keyring?.set('x', bad).catch((error) => error);
      expect([bad, thrown instanceof RangeError]).toEqual([bad, true]);
    }
    expect(children).toEqual([]);
  });
});

test('secret-tool gets the variables it needs, and an item that is locked is not one that is gone', async () => {
  const { keyring, folder, trouble } = bridge();
  if (keyring === undefined) throw new Error('no keyring');
  await keyring.set('x', 'canary0123456789');
  const names = readFileSync(join(folder, 'env'), 'utf8').trim().split('\n');
  const own = names
    .map((line) => line.split('=')[0] ?? '')
    .filter((name) => !/^(PWD|_|SHLVL|OLDPWD)$/.test(name));
  expect(own.sort()).toEqual(['DBUS_SESSION_BUS_ADDRESS', 'HOME', 'PATH']);
  trouble('[ "$1" = lookup ] && exit 1');
  expect(await failure(keyring.get('x'))).toEqual({
    code: 'auth',
    message: 'the OS keyring does not work: secret-tool is locked',
    hint: unlock,
  });
});

describe('which keyring is used', () => {
  const { folder, env } = bridge();
  const runtime = newFolder();
  mkdirSync(join(runtime, 'bus'));
  const { DBUS_SESSION_BUS_ADDRESS: _, ...noBus } = env;
  test.each<[string, Env, KeyringName | undefined]>([
    ['linux', env, 'secret-tool'],
    ['linux', { ...noBus, XDG_RUNTIME_DIR: runtime }, 'secret-tool'],
    ['linux', noBus, undefined],
    ['linux', { ...noBus, XDG_RUNTIME_DIR: folder }, undefined],
    ['linux', { ...env, USHER_KEYRING: 'off' }, undefined],
    ['linux', { ...env, PATH: newFolder() }, undefined],
    ['darwin', {}, 'security'],
    ['darwin', { USHER_KEYRING: 'OFF' }, undefined],
    ['win32', env, undefined],
  ])('on %s with %j', (platform, given, expected) => {
    const spawn = () => {
      throw new InternalError('a process was started');
    };
    const securityProgram = join(folder, 'secret-tool');
    const found = findKeyring({ env: given, clock: systemClock, spawn, platform, securityProgram });
    expect([found?.name]).toEqual([expected]);
  });
});

describe.each(['secret-tool', 'security'] as const)('a store with %s', (kind) => {
  test('seals the file by a key that the keyring has, which a refresh does not ask again', async () => {
    const stateDir = newFolder();
    const it = bridge(kind);
    const store = storeWith(stateDir, it);
    await store.write(login);
    const before = it.calls().length;
    await store.write(renewed);
    expect(await store.read(KEY)).toEqual(renewed);
    expect(it.calls().length).toBe(before);
    const content = readFileSync(fileOf(stateDir), 'utf8');
    expect(JSON.parse(content)).toMatchObject({
      version: 1,
      kind: 'sealed',
      key: KEY,
      keyring: kind,
    });
    expect(content).not.toContain('canary');
    const [key = ''] = Object.values(it.items());
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(it.calls().filter((line) => line.includes(key))).toEqual([]);

    const other = storeWith(stateDir, it);
    expect([await other.list(), await other.read(KEY)]).toEqual([[KEY], renewed]);
    expect([await other.remove(KEY), await other.remove(KEY)]).toEqual([true, false]);
    expect([it.items(), existsSync(fileOf(stateDir))]).toEqual([{}, false]);
  });
});

describe('a store with a keyring', () => {
  test('starts no process while nothing is kept, nor for what is kept in a file', async () => {
    const stateDir = newFolder();
    const it = bridge();
    await storeWith(stateDir, { ...it, env: { USHER_KEYRING: 'off' } }).write(login);
    const store = storeWith(stateDir, it);
    expect([await store.read('login:none'), await store.remove('login:none')]).toEqual([
      undefined,
      false,
    ]);
    expect(await store.read(KEY)).toEqual(login);
    await store.write(renewed);
    expect(JSON.parse(readFileSync(fileOf(stateDir), 'utf8'))).toEqual({
      version: 1,
      kind: 'login',
      login: renewed,
    });
    expect(it.children).toEqual([]);
  });

  test('uses a file when the keyring does not answer a first question, or refuses to keep', async () => {
    for (const [script, told] of [
      ['exit 3', []],
      [
        '[ "$1" != store ] || { echo is locked >&2; exit 1; }',
        [
          `warn: the OS keyring does not work: secret-tool ended with 1; it said: is locked; the login for ${KEY} is kept in a private file instead`,
        ],
      ],
    ] as const) {
      const stateDir = newFolder();
      const it = bridge();
      it.trouble(script);
      const log: string[] = [];
      const store = storeWith(stateDir, it, log);
      await store.write(login);
      expect([await store.read(KEY), log]).toEqual([login, [...told]]);
      expect(JSON.parse(readFileSync(fileOf(stateDir), 'utf8')).kind).toBe('login');
    }
  });

  test('names a keyring that does not answer any more, and goes on by file once it is turned off', async () => {
    const stateDir = newFolder();
    const it = bridge();
    await storeWith(stateDir, it).write(login);
    it.trouble('echo no bus here >&2; exit 1');
    const refused = {
      code: 'auth' as const,
      message: 'the OS keyring does not work: secret-tool ended with 1; it said: no bus here',
      hint: unlock,
    };
    expect(await failure(storeWith(stateDir, it).read(KEY))).toEqual(refused);
    expect(await failure(storeWith(stateDir, { keyring: undefined, env: {} }).read(KEY))).toEqual({
      ...refused,
      message: `the login for ${KEY} is kept by the OS keyring (secret-tool), which is not there`,
    });
    const log: string[] = [];
    const off = storeWith(stateDir, { ...it, env: { USHER_KEYRING: 'off' } }, log);
    expect(await off.read(KEY)).toBeUndefined();
    expect(log).toEqual([
      `debug: the login for ${KEY} is kept by the OS keyring, which USHER_KEYRING turns off`,
    ]);
    await off.write(renewed);
    expect(await off.read(KEY)).toEqual(renewed);
    expect(await storeWith(stateDir, it).read(KEY)).toEqual(renewed);
  });

  test('does not lose a token when the keyring is locked between reading and writing', async () => {
    const stateDir = newFolder();
    const it = bridge();
    const store = storeWith(stateDir, it);
    await store.write(login);
    it.trouble('exit 9');
    await store.write(renewed);
    expect(await store.read(KEY)).toEqual(renewed);
    expect(JSON.parse(readFileSync(fileOf(stateDir), 'utf8')).kind).toBe('sealed');
    // A process that has not seen the key keeps what it was just given in a file.
    const log: string[] = [];
    const other = storeWith(stateDir, it, log);
    await other.write(login);
    expect([await other.read(KEY), log.length]).toEqual([login, 1]);
  });

  test('a login whose key is gone from the keyring, or is another one, is none', async () => {
    const stateDir = newFolder();
    const it = bridge();
    await storeWith(stateDir, it).write(login);
    const [name = ''] = Object.keys(it.items());
    writeFileSync(join(it.folder, name), '0'.repeat(64));
    expect(await storeWith(stateDir, it).read(KEY)).toBeUndefined();
    rmSync(join(it.folder, name));
    const store = storeWith(stateDir, it);
    expect(await store.read(KEY)).toBeUndefined();
    await store.write(renewed);
    expect(await storeWith(stateDir, it).read(KEY)).toEqual(renewed);
  });

  test('a sealed file that was changed is none, and the seal of one login opens no other', async () => {
    const stateDir = newFolder();
    const it = bridge();
    const store = storeWith(stateDir, it);
    await store.write(login);
    const entry = JSON.parse(readFileSync(fileOf(stateDir), 'utf8'));
    const other = { ...entry, key: 'login:other' };
    const otherFile = join(stateDir, 'logins', `${sha256Hex('login:other')}.json`);
    writeFileSync(otherFile, JSON.stringify(other), { mode: 0o600 });
    expect(await store.read('login:other')).toBeUndefined();
    writeFileSync(
      fileOf(stateDir),
      JSON.stringify({ ...entry, sealed: `AAAA${entry.sealed.slice(4)}` }),
    );
    expect(await store.read(KEY)).toBeUndefined();
  });

  test('a sign-out takes the file away, also when the keyring does not answer', async () => {
    const stateDir = newFolder();
    const it = bridge();
    const log: string[] = [];
    const store = storeWith(stateDir, it, log);
    await store.write(login);
    it.trouble('exit 9');
    expect([await store.remove(KEY), await store.read(KEY)]).toEqual([true, undefined]);
    expect(log).toEqual([
      'debug: the OS keyring does not work: secret-tool ended with 9; a key without use stays in it',
    ]);
  });
});
