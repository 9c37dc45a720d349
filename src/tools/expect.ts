/** What a server's entry says has to be there, against what is there. Pure. */
import { matchesGlob } from '../base/glob.ts';
import { escapeForTerminal, nearestMatches, shorten } from '../base/text.ts';
import type { ServerExpectation } from '../config/types.ts';

export interface FoundServer {
  /** Original names of its tools. */
  readonly tools: readonly string[];
  /** As the server calls it; `undefined`: it does not say. */
  readonly version: string | undefined;
}

/** The differences, in words; empty when all is as expected. */
export function unmetExpectations(
  { tools = [], minTools, serverVersion }: ServerExpectation,
  found: FoundServer,
): readonly string[] {
  const missing = tools
    .filter((name) => !found.tools.includes(name))
    .map((name) => {
      const [nearest] = nearestMatches(name, found.tools, 1);
      const near = nearest === undefined ? '' : ` (there is ${shown(nearest)})`;
      return `tool ${name} is missing${near}`;
    });
  const count = found.tools.length;
  const few =
    minTools !== undefined && count < minTools
      ? [`${count} ${count === 1 ? 'tool' : 'tools'} instead of at least ${minTools}`]
      : [];
  const other =
    serverVersion !== undefined && !matchesGlob(serverVersion, found.version ?? '')
      ? [`version ${shown(found.version ?? '(none)')} instead of ${serverVersion}`]
      : [];
  return [...missing, ...few, ...other];
}

function shown(text: string): string {
  return shorten(escapeForTerminal(text).replace(/\s+/g, ' '), 100);
}
