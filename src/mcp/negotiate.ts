/**
 * Finds out a server's generation and agrees on a version: one probe, then the legacy handshake where the
 * answer says so. Knows no transport. Source: MCP 2026-07-28, lifecycle, backward compatibility.
 */
import { anySignal, type Limit, raceAbort, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import {
  type AppError,
  assertNever,
  ConnectError,
  LimitError,
  ProtocolError,
  toAppError,
} from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ServerConfig } from '../config/types.ts';
import {
  isModernOnly,
  PROBE_LIMIT,
  supportedVersions,
  type Verdict,
  verdictOfFailure,
  verdictOfResult,
} from '../transport/era.ts';
import { MODERN_VERSIONS, SERVER_INFO_KEY } from '../transport/modern.ts';
import { durationText, ProbeLossError } from './errors.ts';
import { type Handshake, readInstructions, readServerInfo } from './handshake.ts';

export type Agreement = Handshake &
  (
    | { readonly era: 'legacy' /** Worth remembering. */; readonly isFirm: boolean }
    | { readonly era: 'modern'; readonly discovery: JsonObject }
  );

export interface Contact {
  /** One `server/discover` in the envelope of `version`. Rejects as `Peer.request` does. */
  readonly discover: (version: string, signal: AbortSignal) => Promise<JsonValue>;
  /** Rejects as `shakeHands` does. */
  readonly initialize: (signal: AbortSignal) => Promise<Handshake>;
  /** A process may answer late, and both generations over the same pipe. */
  readonly isProcess: boolean;
  /**
   * A process that may be downloaded first: settles at its first output. `undefined` where silence means
   * that the server says nothing.
   */
  readonly heard: Promise<void> | undefined;
}

export interface NegotiateOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly protocol: ServerConfig['protocol'];
  /**
   * `first`: before anything else. `after_refusal`: an earlier run knows the server as legacy, so only if it
   * refuses the handshake. `never`: unless it says that it speaks only later revisions.
   */
  readonly probes: 'first' | 'after_refusal' | 'never';
  /** `timeout.connect`; 0 is none. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/** A legacy server may take no notice of the probe. */
const PROBE_MS = { network: 3000, process: 2500 };
/** A download may be silent so long; the clock of the probe starts then, or at the first output. */
const SILENCE_MS = 30_000;

/**
 * Rejects as `initialize` and `discover` do; with ProbeLossError when a process ends on the probe; with
 * ProtocolError when the server does not speak the pinned protocol.
 */
export async function negotiate(contact: Contact, options: NegotiateOptions): Promise<Agreement> {
  const { name, protocol } = options;
  let refusal: unknown;
  if (protocol === 'legacy' || (protocol === 'auto' && options.probes !== 'first')) {
    try {
      return { ...(await contact.initialize(options.signal)), era: 'legacy', isFirm: true };
    } catch (error) {
      if (!isWorthProbing(error, options)) throw withPinHint(error, protocol);
      refusal = error;
    }
  }
  let verdict = await probe(contact, options, MODERN_VERSIONS[0] ?? '');
  if (verdict.kind === 'again') verdict = await probe(contact, options, verdict.version);
  switch (verdict.kind) {
    case 'modern':
      return agreeModern(verdict);
    case 'again':
      throw new ProtocolError(
        `server "${name}" refuses protocol version ${verdict.version} although it lists it`,
      );
    case 'failed':
      throw refusal ?? verdict.error;
    case 'legacy':
      if (protocol === '2026-07-28') throw notPinned(name);
      if (refusal !== undefined) throw refusal;
      return fallBack(contact, options, verdict);
    default:
      return assertNever(verdict);
  }
}

/** As negotiated, or as remembered from an earlier run. */
export function agreeModern({
  version,
  discovery,
}: {
  readonly version: string;
  readonly discovery: JsonObject;
}): Agreement {
  const { capabilities, instructions } = discovery;
  const meta = discovery['_meta'];
  const named = isJsonObject(meta) ? meta[SERVER_INFO_KEY] : undefined;
  return {
    era: 'modern',
    discovery,
    protocolVersion: version,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    serverInfo: readServerInfo(named ?? discovery['serverInfo']),
    instructions: readInstructions(instructions),
    notices: [],
  };
}

/** A server that refuses the handshake for its version is modern after all. */
async function fallBack(
  contact: Contact,
  options: NegotiateOptions,
  { isFirm, late }: Legacy,
): Promise<Agreement> {
  try {
    const handshake = await contact.initialize(options.signal);
    // Both were answered: it speaks both, and took the handshake for our choice. Next time it may be warm.
    return { ...handshake, era: 'legacy', isFirm: isFirm && late?.verdict?.kind !== 'modern' };
  } catch (error) {
    if (!isModernOnly(error)) throw error;
    const version = supportedVersions(error)?.find((listed) => MODERN_VERSIONS.includes(listed));
    const verdict = version === undefined ? undefined : await probe(contact, options, version);
    if (verdict?.kind !== 'modern') throw error;
    return agreeModern(verdict);
  }
}

/** `late`: where an answer to the probe is noted that comes after all. */
type Legacy = Extract<Verdict, { kind: 'legacy' }> & { readonly late?: Late | undefined };

interface Late {
  verdict: Verdict | undefined;
}

async function probe(
  contact: Contact,
  options: NegotiateOptions,
  version: string,
): Promise<Exclude<Verdict, { kind: 'legacy' }> | Legacy> {
  const { signal } = options;
  const limit = startProbeLimit(contact, options);
  const late: Late = { verdict: undefined };
  try {
    if (!contact.isProcess) {
      return verdictOfResult(await contact.discover(version, anySignal(signal, limit.signal)));
    }
    const answer = contact.discover(version, signal);
    void answer.then(
      (result) => {
        late.verdict = verdictOfResult(result);
      },
      // Told below, if anybody still waits for it.
      () => undefined,
    );
    return verdictOfResult(await raceAbort(answer, limit.signal));
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toAppError(thrown);
    if (contact.isProcess && error instanceof ConnectError) {
      throw new ProbeLossError(error.message, { cause: error, details: error.details });
    }
    const verdict = verdictOfFailure(error);
    return verdict.kind === 'legacy' ? { ...verdict, late } : verdict;
  } finally {
    limit.dispose();
  }
}

/** Held until a process that may be downloaded first shows itself. The caller disposes. */
function startProbeLimit(
  { heard, isProcess }: Contact,
  { clock, connectMs, name }: NegotiateOptions,
): Pick<Limit, 'signal' | 'dispose'> {
  const limitMs = withinThird(isProcess ? PROBE_MS.process : PROBE_MS.network, connectMs);
  const late = () =>
    new LimitError(
      `server "${name}" did not answer server/discover within ${durationText(limitMs)}`,
      { details: { limit: PROBE_LIMIT, limitMs } },
    );
  const limit = startLimit(clock, limitMs, late);
  if (heard === undefined) return limit;
  const silence = startLimit(clock, withinThird(SILENCE_MS, connectMs), late);
  limit.pause();
  const start = () => {
    silence.dispose();
    limit.resume();
  };
  silence.signal.addEventListener('abort', start, { once: true });
  void heard.then(start);
  return {
    signal: limit.signal,
    dispose() {
      silence.dispose();
      limit.dispose();
    },
  };
}

/** Leaves the larger part of the connect limit to the handshake. */
function withinThird(ms: number, connectMs: number): number {
  return connectMs === 0 ? ms : Math.min(ms, connectMs / 3);
}

/** Whether a refused handshake may come from a server that has become modern. */
function isWorthProbing(error: unknown, { probes, protocol, signal }: NegotiateOptions): boolean {
  if (protocol === 'legacy' || signal.aborted) return false;
  if (isModernOnly(error)) return true;
  return probes === 'after_refusal' && verdictOfFailure(toAppError(error)).kind === 'legacy';
}

function notPinned(name: string): ProtocolError {
  return new ProtocolError(`server "${name}" does not speak protocol version 2026-07-28`, {
    hint: 'remove protocol: 2026-07-28 from its entry',
  });
}

function withPinHint(thrown: unknown, protocol: ServerConfig['protocol']): unknown {
  if (protocol !== 'legacy' || !isModernOnly(thrown)) return thrown;
  const error: AppError = toAppError(thrown);
  return new ProtocolError(error.message, {
    cause: error,
    details: error.details,
    hint: 'remove protocol: legacy from its entry',
  });
}
