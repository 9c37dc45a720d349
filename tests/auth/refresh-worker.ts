/**
 * Refreshes logins at a token endpoint that rotates. As a program: STATE_DIR KEY TOKEN_URL REFUSED_TOKEN; prints the
 * access token it finds and `;`, then the one it may send, or `none`.
 */
import { freshTokens } from '../../src/auth/refresh.ts';
import { openLoginStore } from '../../src/auth/store.ts';
import type { LoginStore, StoredLogin } from '../../src/auth/types.ts';
import { systemClock } from '../../src/base/clock.ts';
import { AuthError } from '../../src/base/errors.ts';
import { isJsonObject } from '../../src/base/json.ts';
import { spawnChild } from '../../src/base/spawn.ts';

/** Files only. */
export function fileStore(
  stateDir: string,
  log: (line: string) => void = () => undefined,
): LoginStore {
  return openLoginStore({
    stateDir,
    env: { USHER_KEYRING: 'off' },
    clock: systemClock,
    spawn: spawnChild,
    log: (level, message) => log(`${level}: ${message}`),
  });
}

/** Asks for the next token of the line; a refused one is `invalid_grant`. */
export function refreshAt(url: string): (login: StoredLogin) => Promise<StoredLogin> {
  return async (login) => {
    const response = await fetch(url, { method: 'POST', body: login.tokens.refreshToken ?? '' });
    const answer: unknown = await response.json();
    if (!isJsonObject(answer) || typeof answer['access'] !== 'string') {
      throw new AuthError('refused', { details: { error: 'invalid_grant' } });
    }
    const refreshToken = String(answer['refresh']);
    return { ...login, tokens: { ...login.tokens, accessToken: answer['access'], refreshToken } };
  };
}

if (import.meta.main) {
  const [stateDir = '', key = '', url = '', used = ''] = process.argv.slice(2);
  const store = fileStore(stateDir);
  const login = await store.read(key);
  process.stdout.write(`${login?.tokens.accessToken};`);
  const signal = new AbortController().signal;
  const request = { store, used, refresh: refreshAt(url), clock: systemClock, signal };
  const fresh = login === undefined ? undefined : await freshTokens({ ...request, login });
  process.stdout.write(fresh?.tokens.accessToken ?? 'none');
}
