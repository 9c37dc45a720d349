/**
 * Where logins are kept between runs: private files below the state directory, sealed by a key of the OS keyring
 * where there is one. Registers every secret it reads or writes. Knows nothing of tokens' meaning.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { AppError, AuthError, FailedError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import type { Spawn } from '../base/spawn.ts';
import type { LogSink } from '../transport/types.ts';
import { findKeyring, isKeyringOff, type Keyring } from './keyring.ts';
import { createRunAlone } from './login-lock.ts';
import {
  entryPath,
  listKeys,
  parseLogin,
  readEntry,
  removeEntry,
  writeEntry,
} from './store-file.ts';
import type { LoginStore, StoredLogin } from './types.ts';
import { createVault } from './vault.ts';

export interface LoginStoreOptions {
  /** `undefined`: nothing outlives this process. */
  readonly stateDir: string | undefined;
  readonly env: Env;
  readonly clock: Clock;
  readonly spawn: Spawn;
  readonly log: LogSink;
  /** In place of this system's. */
  readonly keyring?: Keyring;
}

/**
 * Files in `<stateDir>/logins`. A login that is first kept while the keyring works stays sealed, others stay plain
 * files; `USHER_KEYRING=off` reads plain files alone and writes plain ones. `read` throws AuthError where only the
 * keyring is at fault. Opens nothing until it is asked.
 */
export function openLoginStore(options: LoginStoreOptions): LoginStore {
  const { stateDir, env, clock, log } = options;
  if (stateDir === undefined) return openMemory(clock, log);
  const folder = join(stateDir, 'logins');
  const isOff = isKeyringOff(env);
  const vault = createVault(() => options.keyring ?? findKeyring(options));

  const seal = async (login: StoredLogin) => {
    const entry = readEntry(folder, login.key);
    if (isOff || entry?.kind === 'login') return undefined;
    try {
      return await vault.seal(login.key, JSON.stringify(login), entry);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      // A token that was just given must not be lost: the old one may not be worth anything any more.
      log('warn', `${error.message}; the login for ${login.key} is kept in a private file instead`);
      return undefined;
    }
  };

  return {
    async read(key) {
      const entry = readEntry(folder, key);
      if (entry === undefined) return undefined;
      if (entry.kind === 'login') return registered(entry.login);
      if (isOff) {
        log(
          'debug',
          `the login for ${key} is kept by the OS keyring, which USHER_KEYRING turns off`,
        );
        return undefined;
      }
      const text = await vault.open(entry);
      if (text === undefined) {
        log('debug', `the OS keyring does not have the key of the login for ${key} any more`);
        return undefined;
      }
      const login = parseLogin(text);
      if (login?.key !== key) throw unreadable(entryPath(folder, key));
      return registered(login);
    },
    async write(login) {
      registered(login);
      writeEntry(folder, (await seal(login)) ?? { kind: 'login', login });
    },
    async remove(key) {
      const entry = usableOrNone(() => readEntry(folder, key));
      const isRemoved = removeEntry(folder, key);
      if (entry?.kind !== 'sealed' || isOff) return isRemoved;
      try {
        await vault.forget(entry);
      } catch (error) {
        if (!(error instanceof AuthError)) throw error;
        // What it sealed is gone, so that the key opens nothing.
        log('debug', `${error.message}; a key without use stays in it`);
      }
      return isRemoved;
    },
    list: async () =>
      listKeys(folder, ({ message, hint }) =>
        log('warn', hint === undefined ? message : `${message}; ${hint}`),
      ),
    alone: createRunAlone(folder, clock),
  };
}

function openMemory(clock: Clock, log: LogSink): LoginStore {
  const logins = new Map<string, StoredLogin>();
  let isTold = false;
  return {
    read: async (key) => logins.get(key),
    async write(login) {
      if (!isTold) log('debug', 'no HOME: logins are kept until this process ends');
      isTold = true;
      logins.set(login.key, registered(login));
    },
    remove: async (key) => logins.delete(key),
    list: async () => [...logins.keys()].sort(),
    alone: createRunAlone(undefined, clock),
  };
}

function registered(login: StoredLogin): StoredLogin {
  const { client, dpopKey, tokens } = login;
  const privateKey = dpopKey?.['d'];
  for (const secret of [tokens.accessToken, tokens.refreshToken, client.clientSecret, privateKey]) {
    if (typeof secret === 'string') registerSecret(secret);
  }
  return login;
}

/** A broken file may be taken away by name. */
function usableOrNone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function unreadable(path: string): FailedError {
  return new FailedError(`${path} holds no login for this name; it is not used`, {
    hint: `remove ${path} and sign in again`,
  });
}
