/**
 * The heavy parts, loaded when a command needs them: the only place of the command line that reaches
 * into config, host and the other surfaces.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import type { Log } from '../base/log.ts';
import { createOpenUrl } from '../base/open-url.ts';
import { stateDirectory } from '../base/paths.ts';
import { VERSION } from '../base/version.ts';
import type { Config, ServerConfig } from '../config/types.ts';
import type { Examination, ExaminedPlace } from '../host/doctor.ts';
import type { SignIns } from '../host/sign-ins.ts';
import type { Host, HostOptions } from '../host/types.ts';
import type { Repl } from '../repl/repl.ts';

export interface ConfigQuery {
  readonly configFlag: string | undefined;
  readonly env: Env;
  readonly cwd: string;
  readonly approve?: readonly string[];
}

export interface HostPorts {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Log;
}

/** See `host/locks.ts`. */
export type LockTools = Pick<typeof import('../host/locks.ts'), 'compareLocks' | 'writeLocks'>;

export interface Parts {
  loadConfig(query: ConfigQuery): Promise<Config>;
  createHost(options: HostOptions, ports: HostPorts): Promise<Host>;
  /** Connects to one server and tells every step. Rejects only with the signal's reason. */
  examineServer(
    server: ServerConfig,
    place: ExaminedPlace,
    ports: HostPorts,
    signal: AbortSignal,
  ): Promise<Examination>;
  /** Signs in and out; starts nothing by itself. */
  createSignIns(
    config: Config,
    options: { readonly cwd: string },
    ports: HostPorts,
  ): Promise<SignIns>;
  /** Reads and writes `usher.lock`. */
  locks(): Promise<LockTools>;
  /** JSON Schema of the config file, as text. */
  configSchema(): Promise<string>;
  /** The commented example config. */
  configExample(): Promise<string>;
  /** The interactive session; loaded before the host, because it listens to it. `keepsHistory`: of lines typed. */
  createRepl(env: Env, keepsHistory: boolean): Promise<Repl>;
}

export const realParts: Parts = {
  async loadConfig(query) {
    const { loadConfig } = await import('../config/load.ts');
    return loadConfig(query);
  },
  async createHost(options, ports) {
    const { createHost } = await import('../host/create.ts');
    return createHost(options, ports);
  },
  async examineServer(server, place, ports, signal) {
    const { examineServer } = await import('../host/doctor.ts');
    return examineServer(server, place, ports, signal);
  },
  async createSignIns(config, options, ports) {
    const { createSignIns } = await import('../host/sign-ins.ts');
    return createSignIns(config, options, ports);
  },
  locks: () => import('../host/locks.ts'),
  async configSchema() {
    const { configJsonSchema } = await import('../config/json-schema.ts');
    return `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`;
  },
  async configExample() {
    const { exampleConfig } = await import('../config/example.ts');
    return exampleConfig();
  },
  async createRepl(env, keepsHistory) {
    const [{ createRepl }, { openTerminal }] = await Promise.all([
      import('../repl/repl.ts'),
      import('../repl/terminal.ts'),
    ]);
    const stateDir = keepsHistory ? stateDirectory(env) : undefined;
    const openUrl = createOpenUrl(env, systemClock);
    return createRepl({ terminal: openTerminal(env), stateDir, version: VERSION, openUrl });
  },
};
