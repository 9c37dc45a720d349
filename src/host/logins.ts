/** The sign-ins that are kept below the state directory, opened once for a host. */
import { openLoginStore } from '../auth/store.ts';
import type { LoginStore } from '../auth/types.ts';
import { stateDirectory } from '../base/paths.ts';
import { spawnChild } from '../base/spawn.ts';
import type { LogSink } from '../transport/types.ts';
import type { HostDeps } from './create.ts';

/** Nothing is read before it is asked for. */
export function openLogins(deps: HostDeps): LoginStore {
  const { env, clock } = deps;
  const log: LogSink = (level, message) => deps.log[level](message);
  return openLoginStore({ stateDir: stateDirectory(env), env, clock, spawn: spawnChild, log });
}
