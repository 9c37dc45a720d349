import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { openLoginStore } from '../../src/auth/store.ts';
import type { LoginStore, StoredLogin } from '../../src/auth/types.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { sha256Hex } from '../../src/base/hash.ts';
import { scrubSecrets } from '../../src/base/redact.ts';
import { spawnChild } from '../../src/base/spawn.ts';
import { newFolder } from '../helpers/places.ts';
import { fileStore } from './refresh-worker.ts';

const KEY = 'https://mcp.test/mcp';
const never = new AbortController().signal;

const login: StoredLogin = {
  key: KEY,
  resource: 'https://mcp.test/mcp',
  metadata: {
    issuer: 'https://as.test',
    token_endpoint: 'https://as.test/token',
    scopes_supported: ['a', 'b'],
  },
  client: {
    clientId: 'c1',
    clientSecret: 'canary-client',
    method: 'client_secret_post',
    kind: 'dcr',
  },
  tokens: {
    accessToken: 'canary-access',
    type: 'dpop',
    refreshToken: 'canary-refresh',
    scope: 'a',
    expiresAt: 1_700_000_000_000,
  },
  dpopKey: { kty: 'EC', crv: 'P-256', x: 'x1', y: 'y1', d: 'canary-private' },
  refusedScopes: ['b'],
  savedAt: 1_690_000_000_000,
};

interface Place {
  readonly store: LoginStore;
  readonly logins: string;
  readonly file: string;
  readonly log: string[];
}

function place(): Place {
  const stateDir = newFolder();
  const log: string[] = [];
  const logins = join(stateDir, 'logins');
  const file = join(logins, `${sha256Hex(KEY)}.json`);
  return { store: fileStore(stateDir, (line) => log.push(line)), logins, file, log };
}

/** The class, words and next step of what was thrown; paths as `FILE` and `LOGINS`. */
async function failure(work: Promise<unknown>, { file, logins }: Place) {
  const thrown = await work.then(
    () => undefined,
    (error) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error('no AppError', { cause: thrown });
  const short = (text = '') => text.replaceAll(file, 'FILE').replaceAll(logins, 'LOGINS');
  return { code: thrown.code, message: short(thrown.message), hint: short(thrown.hint) };
}

describe('logins in files', () => {
  test('what was written is read by another process, and removed once', async () => {
    const { store, logins, log } = place();
    await store.write(login);
    const other = fileStore(join(logins, '..'));
    expect(await other.read(KEY)).toEqual(login);
    expect(await other.list()).toEqual([KEY]);
    expect([await other.remove(KEY), await other.remove(KEY)]).toEqual([true, false]);
    expect([await store.read(KEY), await store.list(), log]).toEqual([undefined, [], []]);
  });

  test('the smallest login comes back as it is', async () => {
    const { store } = place();
    const small: StoredLogin = {
      key: 'login:work',
      metadata: { issuer: 'i', token_endpoint: 't' },
      client: { clientId: 'c', method: 'none', kind: 'cimd' },
      tokens: { accessToken: 'canary-small', type: 'bearer' },
      savedAt: 0,
    };
    await store.write(small);
    expect(await store.read('login:work')).toEqual(small);
  });

  test('a start with nothing kept makes nothing', async () => {
    const { store, logins } = place();
    expect([await store.read(KEY), await store.list(), await store.remove(KEY)]).toEqual([
      undefined,
      [],
      false,
    ]);
    expect(existsSync(logins)).toBe(false);
  });

  test('nobody else can look: folder 0700, file 0600, whatever they were', async () => {
    const { store, logins, file } = place();
    mkdirSync(logins, { mode: 0o755 });
    chmodSync(logins, 0o755);
    await store.write(login);
    expect([statSync(logins).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(logins)).toEqual([`${sha256Hex(KEY)}.json`]);
  });

  test('every secret of a login is scrubbed once it is written or read', async () => {
    const { store, logins } = place();
    await store.write(login);
    const script = `
      import { fileStore } from ${JSON.stringify(join(import.meta.dir, 'refresh-worker.ts'))};
      import { scrubSecrets } from ${JSON.stringify(join(import.meta.dir, '../../src/base/redact.ts'))};
      await fileStore(${JSON.stringify(join(logins, '..'))}).read(${JSON.stringify(KEY)});
      process.stdout.write(scrubSecrets('canary-access canary-refresh canary-client canary-private'));
    `;
    const reader = Bun.spawn([process.execPath, '-e', script], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const written = scrubSecrets('canary-access canary-refresh canary-client canary-private');
    expect([written, await new Response(reader.stdout).text()]).toEqual(
      Array(2).fill('*** *** *** ***'),
    );
  });

  test('a login that could not be read again is not written, and the old one stays', async () => {
    const here = place();
    await here.store.write(login);
    const large = { ...login, refusedScopes: Array(300).fill('x'.repeat(1000)) };
    expect(await failure(here.store.write(large), here)).toEqual({
      code: 'failed',
      message: `the login for ${KEY} has more than 256 KiB and is not kept`,
      hint: '',
    });
    expect(await here.store.read(KEY)).toEqual(login);
  });

  test('what a later usher adds is kept', async () => {
    const { store, file } = place();
    await store.write(login);
    const content = JSON.parse(readFileSync(file, 'utf8'));
    content.login.tokens.extra = 1;
    writeFileSync(file, JSON.stringify(content));
    const found = await store.read(KEY);
    expect(found).toEqual({ ...login, tokens: { ...login.tokens, ...{ extra: 1 } } });
  });

  test('without a state directory logins last as long as the process, which is said once', async () => {
    const log: string[] = [];
    const ports = { env: {}, clock: systemClock, spawn: spawnChild };
    const memory = openLoginStore({
      ...ports,
      stateDir: undefined,
      log: (level, message) => log.push(`${level}: ${message}`),
    });
    await memory.write(login);
    await memory.write({ ...login, key: 'login:a' });
    expect([await memory.read(KEY), await memory.list()]).toEqual([login, [KEY, 'login:a']]);
    expect([await memory.remove(KEY), await memory.remove(KEY)]).toEqual([true, false]);
    expect(await memory.alone(KEY, never, async () => 7)).toBe(7);
    expect(log).toEqual(['debug: no HOME: logins are kept until this process ends']);
  });
});

describe('a file that cannot be trusted', () => {
  const broken = {
    code: 'failed' as const,
    message: 'FILE is no login file of this usher; it is not used',
    hint: 'remove FILE and sign in again',
  };
  const whole = JSON.stringify({ version: 1, kind: 'login', login });
  const otherKey = JSON.stringify({
    version: 1,
    kind: 'login',
    login: { ...login, key: 'https://evil.test' },
  });
  const noToken = JSON.stringify({
    version: 1,
    kind: 'login',
    login: { ...login, tokens: { type: 'bearer' } },
  });
  const contents: readonly (readonly [string, string])[] = [
    ['an empty one', ''],
    ['one that is cut', whole.slice(0, whole.length / 2)],
    ['another format', '{"servers": {}}'],
    ['another version', whole.replace('"version":1', '"version":2')],
    ['a login for another server', otherKey],
    ['a login without a token', noToken],
  ];
  test.each(contents)('%s is named, not used and not changed', async (_name, content) => {
    const here = place();
    mkdirSync(here.logins);
    writeFileSync(here.file, content, { mode: 0o600 });
    expect(await failure(here.store.read(KEY), here)).toEqual(broken);
    expect(await failure(here.store.write(login), here)).toEqual(broken);
    expect(readFileSync(here.file, 'utf8')).toBe(content);
    expect(await here.store.list()).toEqual([]);
    expect(here.log.map((line) => line.replaceAll(here.file, 'FILE'))).toEqual([
      `warn: ${broken.message}; ${broken.hint}`,
    ]);
    // By name it may go.
    expect(await here.store.remove(KEY)).toBe(true);
    await here.store.write(login);
    expect(await here.store.read(KEY)).toEqual(login);
  });

  test('a symlink is neither read nor written through', async () => {
    const here = place();
    await here.store.write(login);
    const elsewhere = join(newFolder(), 'target.json');
    writeFileSync(elsewhere, whole, { mode: 0o600 });
    await here.store.remove(KEY);
    symlinkSync(elsewhere, here.file);
    const refused = {
      code: 'failed' as const,
      message: 'FILE is a symlink; it is not used',
      hint: 'remove FILE',
    };
    expect(await failure(here.store.read(KEY), here)).toEqual(refused);
    expect(await failure(here.store.write(login), here)).toEqual(refused);
    expect([readFileSync(elsewhere, 'utf8'), lstatSync(here.file).isSymbolicLink()]).toEqual([
      whole,
      true,
    ]);
  });

  test('a folder that is a symlink is neither read nor written to', async () => {
    const here = place();
    await here.store.write(login);
    const elsewhere = `${here.logins}-of-somebody-else`;
    renameSync(here.logins, elsewhere);
    symlinkSync(elsewhere, here.logins);
    const refused = {
      code: 'failed' as const,
      message: 'LOGINS is a symlink; no login is kept in it',
      hint: 'remove LOGINS',
    };
    const { store } = here;
    for (const work of [
      () => store.read(KEY),
      () => store.write(login),
      () => store.remove(KEY),
      () => store.list(),
      () => store.alone(KEY, never, async () => undefined),
    ]) {
      expect(await failure(work(), here)).toEqual(refused);
    }
    expect(readdirSync(elsewhere)).toEqual([basename(here.file)]);
  });

  test('a file in place of the folder is named', async () => {
    const here = place();
    writeFileSync(here.logins, '');
    expect(await failure(here.store.read(KEY), here)).toEqual({
      code: 'failed',
      message: 'LOGINS is no folder; no login is kept in it',
      hint: 'remove LOGINS',
    });
  });

  test('one that others may read is not used', async () => {
    const here = place();
    await here.store.write(login);
    chmodSync(here.file, 0o644);
    expect(await failure(here.store.read(KEY), here)).toEqual({
      code: 'failed',
      message: 'FILE has mode 644: others may use it; it is not used',
      hint: 'chmod 600 FILE',
    });
  });

  test('one that is too large, and a folder in its place', async () => {
    const here = place();
    mkdirSync(here.logins);
    writeFileSync(here.file, 'x'.repeat(256 * 1024 + 1), { mode: 0o600 });
    expect(await failure(here.store.read(KEY), here)).toEqual({
      code: 'failed',
      message: 'FILE is larger than 262144 bytes',
      hint: 'remove FILE and sign in again',
    });
    await here.store.remove(KEY);
    mkdirSync(here.file);
    expect((await failure(here.store.read(KEY), here)).message).toBe(
      'FILE is no plain file; it is not used',
    );
  });

  test('a list shows the others', async () => {
    const { store, logins, log } = place();
    await store.write({ ...login, key: 'login:b' });
    await store.write(login);
    writeFileSync(join(logins, `${'0'.repeat(64)}.json`), whole, { mode: 0o600 });
    expect(await store.list()).toEqual([KEY, 'login:b']);
    expect(log).toHaveLength(1);
  });
});

describe('alone', () => {
  /** Time passes a thousand times as fast. */
  const hurried: Clock = {
    ...systemClock,
    now: () => systemClock.now() * 1000,
    after: (ms, action) => systemClock.after(ms / 1000, action),
  };
  const open = (stateDir: string | undefined, clock: Clock) =>
    openLoginStore({
      stateDir,
      env: { USHER_KEYRING: 'off' },
      clock,
      spawn: spawnChild,
      log: () => undefined,
    });

  test('works on one key one after the other, in order, and on others meanwhile', async () => {
    const store = open(newFolder(), systemClock);
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = store.alone('a', never, async () => {
      order.push('a1');
      await gate.promise;
      order.push('a1 ends');
    });
    const second = store.alone('a', never, async () => {
      order.push('a2');
      throw new Error('a2 fails');
    });
    const third = store.alone('a', never, async () => void order.push('a3'));
    await store.alone('b', never, async () => void order.push('b'));
    gate.resolve();
    const ends = await Promise.allSettled([first, second, third]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual(['a1', 'b', 'a1 ends', 'a2', 'a3']);
  });

  test.each([
    ['files', newFolder()],
    ['memory', undefined],
  ])(
    'in %s: one that gives up waiting lets the next one in, but not before its turn',
    async (_name, stateDir) => {
      const store = open(stateDir, systemClock);
      const order: string[] = [];
      const gate = Promise.withResolvers<void>();
      const first = store.alone('a', never, () =>
        gate.promise.then(() => void order.push('first')),
      );
      const leaving = new AbortController();
      const second = store.alone('a', leaving.signal, async () => void order.push('second'));
      const third = store.alone('a', never, async () => void order.push('third'));
      const gone = new Error('gone');
      leaving.abort(gone);
      expect(await second.catch((error) => error)).toBe(gone);
      await Promise.resolve();
      expect(order).toEqual([]);
      gate.resolve();
      await Promise.all([first, third]);
      expect(order).toEqual(['first', 'third']);
    },
  );

  test('gives up after 25 s and names the process that holds it', async () => {
    const stateDir = newFolder();
    const holder = Bun.spawn(['sleep', '60']);
    const logins = join(stateDir, 'logins');
    mkdirSync(logins);
    const path = join(logins, `${sha256Hex(KEY)}.lock`);
    writeFileSync(path, JSON.stringify({ pid: holder.pid, token: 'x' }));
    const work = open(stateDir, hurried).alone(KEY, never, async () => 'done');
    const thrown = await work.catch((error) => error);
    expect({ message: thrown.message, code: thrown.code, details: thrown.details }).toEqual({
      message: `the login for ${KEY} has been held by process ${holder.pid} for 25 s`,
      code: 'limit',
      details: { limit: 'login wait', waitMs: 25_000, pid: holder.pid },
    });
    holder.kill('SIGKILL');
    await holder.exited;
    expect(await open(stateDir, systemClock).alone(KEY, never, async () => 'done')).toBe('done');
    expect(existsSync(path)).toBe(false);
  });

  test('a signal that is gone already lets no work begin', async () => {
    const gone = new Error('gone');
    const begun: string[] = [];
    const work = open(newFolder(), systemClock).alone(KEY, AbortSignal.abort(gone), async () =>
      begun.push('begun'),
    );
    expect([await work.catch((error) => error), begun]).toEqual([gone, []]);
  });

  test('a folder that cannot be written says so in plain words', async () => {
    const stateDir = join(newFolder(), 'file');
    writeFileSync(stateDir, '');
    const thrown = await open(stateDir, systemClock)
      .alone(KEY, never, async () => 1)
      .catch((error) => error);
    expect([thrown.code, thrown.message.startsWith(join(stateDir, 'logins'))]).toEqual([
      'failed',
      true,
    ]);
  });
});
