/**
 * The first exchange with a server: what is remembered of it, what it says of itself, its tools. Knows no
 * state; whoever opens links hears of each step.
 */

import { ConnectError } from '../base/errors.ts';
import type { ServerConfig } from '../config/types.ts';
import { EraContradictedError, isConnectTimeout, ProbeLossError } from './errors.ts';
import type { Link } from './link.ts';
import type { Agreement } from './negotiate.ts';
import type { ConnectionPorts } from './ports.ts';
import { isRetryable, retryConnecting } from './retry.ts';
import type { ServerMemory } from './server-memory.ts';
import type { ToolList } from './tool-list.ts';

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
  readonly tools: ToolList;
}

/** The link, ready for use. Rejects as `negotiate` and the first page of the list do. */
export async function meet(meeting: Meeting): Promise<Link> {
  const { memory, onAgreed, signal, tools } = meeting;
  const link = meeting.openLink();
  const known = memory.modern();
  if (known !== undefined && (await goOn(link, known, meeting))) return link;
  const over = known === undefined ? link : meeting.openLink();
  const agreed = await agree(over, meeting);
  memory.agreed(agreed.agreement);
  onAgreed(agreed.link, agreed.agreement);
  await tools.read(agreed.link, signal);
  return agreed.link;
}

/** From where an earlier run left off. False: the server is not what it was, and the link is gone. */
async function goOn(link: Link, known: Agreement, meeting: Meeting): Promise<boolean> {
  const { dropLink, mayUseKept, memory, onAgreed, signal, tools } = meeting;
  link.adopt(known, false);
  memory.agreed(known);
  onAgreed(link, known);
  const kept = mayUseKept ? memory.tools() : undefined;
  try {
    if (kept === undefined) await tools.read(link, signal);
    else await tools.showKept(link, kept, signal);
    return true;
  } catch (error) {
    // A process may end on a request that it does not expect; any server may just ignore it.
    const isLoss = link.transport.kind === 'stdio' && error instanceof ConnectError;
    const isDoubtful = error instanceof EraContradictedError || isLoss || isConnectTimeout(error);
    if (!isDoubtful || link.isConfirmed) throw error;
    memory.forget();
    if (signal.aborted) throw error;
    await dropLink();
    return false;
  }
}

/** Over `link`, or over a new one where the process did not survive the question. */
async function agree(
  link: Link,
  { config, dropLink, memory, openLink, ports, signal }: Meeting,
): Promise<{ readonly link: Link; readonly agreement: Agreement }> {
  const { name, protocol } = config;
  const agreeOver = (over: Link, probes: 'first' | 'after_refusal' | 'never') =>
    retryConnecting({ name, ports, signal, isWorthIt: isRetryable }, () =>
      over.agree(protocol, probes, signal),
    );
  try {
    const probes = memory.isKnownLegacy() ? 'after_refusal' : 'first';
    return { link, agreement: await agreeOver(link, probes) };
  } catch (error) {
    if (!(error instanceof ProbeLossError) || protocol !== 'auto') throw error;
    await dropLink();
    signal.throwIfAborted();
    const other = openLink();
    return { link: other, agreement: await agreeOver(other, 'never') };
  }
}
