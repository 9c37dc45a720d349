/** The only reader of the process environment. Everything else gets an `Env`. */

export type Env = Readonly<Record<string, string | undefined>>;

/** The environment this process was started with. */
export function processEnv(): Env {
  return process.env;
}

/** A variable's value; empty and unset are both `undefined`. */
export function envValue(env: Env, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value === '' ? undefined : value;
}
