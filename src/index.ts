/** For programs that embed usher: the host and its types. */

export type { RunResult } from './agent/types.ts';
export { loadConfig } from './config/load.ts';
export type { Config, ServerConfig } from './config/types.ts';
export { createHost, type HostDeps } from './host/create.ts';
export type { Host, HostEvent, HostOptions, StartReport } from './host/types.ts';
