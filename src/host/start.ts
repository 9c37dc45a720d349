/** How a start is judged: what it cost, and whether a server that has to be there is missing. */
import { AuthError } from '../base/errors.ts';
import { EXIT } from '../base/exit.ts';
import type { ConfigWarning, ServerConfig } from '../config/types.ts';
import type { ServerStatus } from '../mcp/types.ts';
import { unmetExpectations } from '../tools/expect.ts';
import type { StartReport } from './types.ts';

interface StartFacts extends Omit<StartReport, 'fatal' | 'servers'> {
  readonly status: readonly ServerStatus[];
  /** Of the configuration: the entries that could not be used. */
  readonly problems: readonly ConfigWarning[];
}

/**
 * A server that has `expect:` must be what it says; one that is `required`, or that was named with `--server`, must be ready. An entry that says
 * `required: true` and cannot be used is as good as down, unless `named` leaves it out.
 */
export function judgeStart(
  servers: readonly ServerConfig[],
  named: readonly string[] | undefined,
  facts: StartFacts,
): StartReport {
  const { status, warnings, readyMs } = facts;
  const needed = new Set(
    servers
      .filter(({ name, required }) => required || named?.includes(name))
      .map(({ name }) => name),
  );
  const missing = status.find(({ name, state }) => needed.has(name) && isOut(state));
  const fatal =
    missing === undefined
      ? (unusable(facts.problems, named) ?? unexpected(servers, status))
      : fatalOf(missing);
  return { servers: status, readyMs, warnings, fatal };
}

/** How a server that is ready differs from its `expect:`; `undefined`: it does not. */
export function unexpectedText(config: ServerConfig, status: ServerStatus): string | undefined {
  if (config.expect === undefined || status.state !== 'ready') return undefined;
  const tools = status.tools.map(({ name }) => name);
  const found = { tools, version: status.serverInfo?.version };
  const differences = unmetExpectations(config.expect, found);
  return differences.length === 0
    ? undefined
    : `server "${config.name}" is not as expected: ${differences.join('; ')}`;
}

export const UNEXPECTED_HINT = 'expect: in its entry says what has to be there';

function unexpected(
  servers: readonly ServerConfig[],
  status: readonly ServerStatus[],
): StartReport['fatal'] {
  for (const config of servers) {
    const own = status.find(({ name }) => name === config.name);
    const message = own && unexpectedText(config, own);
    if (message === undefined) continue;
    return { server: config.name, message, hint: UNEXPECTED_HINT, exit: EXIT.connect };
  }
  return undefined;
}

function unusable(
  problems: readonly ConfigWarning[],
  named: readonly string[] | undefined,
): StartReport['fatal'] {
  for (const { required, skipped, message, hint } of problems) {
    if (required !== true || skipped === undefined) continue;
    if (named !== undefined && !named.includes(skipped)) continue;
    return { server: skipped, message, hint, exit: EXIT.connect };
  }
  return undefined;
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
