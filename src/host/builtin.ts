/** A built-in tool source as one more server of the host: always ready, nothing to close. */
import { UsageError } from '../base/errors.ts';
import { createWorkspace } from '../builtin/workspace.ts';
import type { ServerConfig } from '../config/types.ts';
import type { Connection, ServerStatus } from '../mcp/types.ts';

/** The built-in of `config`, rooted in `cwd`. Opens nothing. */
export function createBuiltin(config: ServerConfig, cwd: string): Connection {
  const { source, definitions } = createWorkspace(config.name, cwd);
  const status: ServerStatus = {
    name: config.name,
    kind: 'builtin',
    state: 'ready',
    era: undefined,
    protocolVersion: undefined,
    serverInfo: undefined,
    instructions: undefined,
    capabilities: {},
    tools: definitions,
    dropped: [],
    notices: [],
    error: undefined,
    readyMs: 0,
  };
  return {
    ...source,
    config,
    status: () => status,
    connect: () => Promise.resolve(),
    tryAgain: () => Promise.resolve(),
    onChange: () => () => undefined,
    refresh: () => Promise.resolve(),
    request: (method) =>
      Promise.reject(new UsageError(`the built-in "${config.name}" does not answer ${method}`)),
    close: () => Promise.resolve(),
  };
}
