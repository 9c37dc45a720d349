/** Puts logins into the store and takes them out, so that nothing that a person did is lost and no token is left behind. */
import { FailedError, LimitError } from '../base/errors.ts';
import type { LogSink } from '../transport/types.ts';
import type { LoginStore, StoredLogin } from './types.ts';

const NEVER = new AbortController().signal;

/** Before a person is asked: rejects with FailedError where nothing could be kept afterwards, as on a full disk. */
export async function checkKeeping(
  store: LoginStore,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await store.alone(key, signal, async () => undefined);
  } catch (error) {
    // Held for long: the folder can be written to.
    if (!(error instanceof LimitError)) throw error;
  }
}

/** After a refresh that runs elsewhere, whose tokens would replace `login`. */
export async function keepLogin(store: LoginStore, login: StoredLogin): Promise<void> {
  try {
    await store.alone(login.key, NEVER, () => store.write(login));
  } catch (error) {
    if (!(error instanceof LimitError)) throw error;
    // Whoever holds it hangs; what a person has just done is not thrown away for that.
    await store.write(login);
  }
}

/**
 * Removes the login of `key` after `revoke` of it; also one that cannot be used, of which `log` is told. False:
 * there was none. Rejects with LimitError when another process holds it for long, FailedError when it cannot be
 * removed, and as `revoke`.
 */
export async function dropLogin(
  store: LoginStore,
  key: string,
  revoke: (login: StoredLogin) => Promise<unknown>,
  log: LogSink,
  signal: AbortSignal,
): Promise<boolean> {
  let isBegun = false;
  const drop = async () => {
    isBegun = true;
    let problem: FailedError | undefined;
    const login = await store.read(key).catch((error: unknown) => {
      if (!(error instanceof FailedError)) throw error;
      problem = error;
    });
    if (login !== undefined) await revoke(login);
    const wasKept = await store.remove(key);
    if (problem !== undefined) log('warn', `${problem.message}; its tokens are not revoked`);
    return wasKept;
  };
  try {
    // A refresh that runs elsewhere would bring it back.
    return await store.alone(key, signal, drop);
  } catch (error) {
    // No space for a lock, which is no reason to keep it.
    if (isBegun || !(error instanceof FailedError)) throw error;
    return drop();
  }
}
