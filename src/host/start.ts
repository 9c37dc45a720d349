/** How a start is judged: what it cost, and whether a server that has to be there is missing. */
import { AuthError } from '../base/errors.ts';
import { EXIT } from '../base/exit.ts';
import type { ServerConfig } from '../config/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import type { StartReport } from './types.ts';

/** A server that is `required`, or that was named with `--server`, must be ready. */
export function judgeStart(
  servers: readonly ServerConfig[],
  named: readonly string[] | undefined,
  facts: Omit<StartReport, 'fatal' | 'servers'> & { readonly status: readonly ServerStatus[] },
): StartReport {
  const { status, warnings, readyMs } = facts;
  const needed = new Set(
    servers
      .filter(({ name, required }) => required || named?.includes(name))
      .map(({ name }) => name),
  );
  const missing = status.find(({ name, state }) => needed.has(name) && isOut(state));
  return { servers: status, readyMs, warnings, fatal: missing && fatalOf(missing) };
}

function isOut(state: ServerStatus['state']): boolean {
  return state === 'failed' || state === 'needs_auth' || state === 'closed';
}

function fatalOf(status: ServerStatus): StartReport['fatal'] {
  const needsAuth = status.state === 'needs_auth' || status.error instanceof AuthError;
  return {
    server: status.name,
    message: status.error?.message ?? `server ${status.name} is not there`,
    exit: needsAuth ? EXIT.auth : EXIT.connect,
  };
}
