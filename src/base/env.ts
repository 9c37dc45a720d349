/** The only reader of the process environment. Everything else gets an `Env`. */

export type Env = Readonly<Record<string, string | undefined>>;

let own: Env | undefined;

/**
 * The environment this process was started with. The runtime does not see NO_PROXY any more: its fetch
 * would put it above a proxy of ours (Bun 1.4.5); `base/proxy.ts` heeds it.
 */
export function processEnv(): Env {
  if (own === undefined) {
    own = { ...process.env };
    for (const name of ['NO_PROXY', 'no_proxy']) delete process.env[name];
  }
  return own;
}

/** A variable's value; empty and unset are both `undefined`. */
export function envValue(env: Env, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value === '' ? undefined : value;
}
