/** Asks servers for more of their log than they send by themselves. Source: MCP 2025-11-25, logging. */
import type { Connection } from '../mcp/types.ts';

/** `info` for details, `debug` for everything. */
export type ServerLogLevel = 'info' | 'debug';

export interface LevelPorts {
  /** `undefined`: what servers send by themselves is enough. */
  readonly level: ServerLogLevel | undefined;
  readonly onProblem: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * To be called at every change of a connection: each time it has become ready, a legacy server that can log
 * is sent logging/setLevel. A refusal is told and costs nothing else.
 */
export function createLevelSetter(ports: LevelPorts): (connection: Connection) => void {
  const ready = new Set<Connection>();
  return (connection) => {
    const { state, era, capabilities } = connection.status();
    if (state !== 'ready') {
      // A refresh or a lost link: what was set may be forgotten.
      if (state !== 'discovering') ready.delete(connection);
      return;
    }
    if (ready.has(connection)) return;
    ready.add(connection);
    const { level, signal } = ports;
    if (level === undefined || era !== 'legacy' || capabilities['logging'] === undefined) return;
    connection.request('logging/setLevel', { level }, { signal }).catch((error: unknown) => {
      ports.onProblem(error instanceof Error ? error.message : String(error));
    });
  };
}
