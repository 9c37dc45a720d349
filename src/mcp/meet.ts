/**
 * The first exchange with a server: what is remembered of it, what it says of itself, its tools. Knows no
 * state; whoever opens links hears of each step.
 */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import type { ToolListing } from './discover.ts';
import { EraContradictedError, ProbeLossError } from './errors.ts';
import type { Link } from './link.ts';
import { pageReader } from './list-pages.ts';
import type { Agreement } from './negotiate.ts';
import type { ConnectionPorts } from './ports.ts';
import { isRetryable, retryConnecting } from './retry.ts';
import type { ServerMemory } from './server-memory.ts';

export interface Meeting {
  readonly config: ServerConfig;
  readonly ports: ConnectionPorts;
  readonly memory: ServerMemory;
  readonly signal: AbortSignal;
  /** A kept tool list will do, where there is one. */
  readonly mayUseKept: boolean;
  readonly openLink: () => Link;
  /** Ends the link and waits for its end. */
  readonly dropLink: () => Promise<unknown>;
  readonly onAgreed: (link: Link, agreement: Agreement) => void;
  /** Reads all pages, and shows the tools. */
  readonly readTools: (link: Link, readPage: ReadPage) => Promise<ToolListing>;
}

type ReadPage = (params: JsonObject) => Promise<JsonValue>;

/** The link, ready for use. Rejects as `negotiate` and the first page of the list do. */
export async function meet(meeting: Meeting): Promise<Link> {
  const { config, memory, mayUseKept, onAgreed, ports, readTools, signal } = meeting;
  const list = (link: Link) => readTools(link, pageReader(config.name, ports, link, signal));
  const known = memory.modern();
  let link = meeting.openLink();
  if (known !== undefined) {
    link.adopt(known, false);
    onAgreed(link, known);
    const kept = mayUseKept ? memory.tools() : undefined;
    try {
      if (kept === undefined) memory.note(known, await list(link));
      else await readTools(link, async () => ({ tools: kept }));
      return link;
    } catch (error) {
      if (!(error instanceof EraContradictedError)) throw error;
      memory.forget();
      await meeting.dropLink();
      link = meeting.openLink();
    }
  }
  const agreed = await agree(link, meeting);
  onAgreed(agreed.link, agreed.agreement);
  memory.note(agreed.agreement, await list(agreed.link));
  return agreed.link;
}

/** Over `link`, or over a new one where the process did not survive the question. */
async function agree(
  link: Link,
  { config, dropLink, memory, openLink, ports, signal }: Meeting,
): Promise<{ readonly link: Link; readonly agreement: Agreement }> {
  const { name, protocol } = config;
  const agreeOver = (over: Link, isKnownLegacy: boolean) =>
    retryConnecting({ name, ports, signal, isWorthIt: isRetryable }, () =>
      over.agree(protocol, isKnownLegacy, signal),
    );
  try {
    return { link, agreement: await agreeOver(link, memory.isKnownLegacy()) };
  } catch (error) {
    if (!(error instanceof ProbeLossError) || protocol !== 'auto') throw error;
    await dropLink();
    signal.throwIfAborted();
    const other = openLink();
    return { link: other, agreement: await agreeOver(other, true) };
  }
}
