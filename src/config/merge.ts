/**
 * Entries of all files, lowest first, to one per name: a higher one replaces a lower one, an entry without an
 * endpoint changes it, and an entry of a project file counts once it is approved. Pure.
 */
import { checkEntry, cleanServerName, flagOf, isMapping, type Located, twinText } from './entry.ts';
import { applyPatch, isPatch, type Patched } from './patch.ts';
import { childOf, type Problem } from './problem.ts';
import type { TrustState } from './trust.ts';

/** `trusted`: a person's own file says it. `granted`: for this run only. */
export type Approval = 'trusted' | 'granted' | TrustState;

export interface Change extends Pick<Patched, 'keys'> {
  readonly entry: Located;
}

export interface MergedServer {
  readonly name: string;
  readonly base: Located;
  /** The base entry with all changes in it. */
  readonly raw: unknown;
  readonly changes: readonly Change[];
  readonly approval: Approval;
  /** Lower entries of the same name that it replaces, lowest first. */
  readonly replaced: readonly Located[];
}

export interface Finding {
  readonly entry: Located;
  readonly problems: readonly Problem[];
  /** The server that is left out for it; `undefined`: only this entry is. */
  readonly skipped: string | undefined;
}

export interface Merged {
  /** What may be built, in order of first appearance. */
  readonly servers: readonly MergedServer[];
  /** Waiting for a decision or rejected. */
  readonly pending: readonly MergedServer[];
  readonly findings: readonly Finding[];
}

export interface MergeRules {
  /** Decides on a well-formed entry of a project file. */
  readonly approvalOf: (entry: Located) => Approval;
  /** Exposure where an entry names none. */
  readonly exposure: string;
}

export function mergeEntries(entries: readonly Located[], rules: MergeRules): Merged {
  const chains = new Map<string, Located[]>();
  const findings: Finding[] = [];
  for (const entry of entries) {
    if (entry.name === undefined) {
      const { problems } = checkEntry(entry);
      findings.push({ entry, problems, skipped: entry.label });
      continue;
    }
    chains.set(entry.name, [...(chains.get(entry.name) ?? []), entry]);
  }
  const servers: MergedServer[] = [];
  const pending: MergedServer[] = [];
  for (const [name, chain] of chains) {
    const found = mergeChain(name, chain, rules, findings);
    if (found.server !== undefined) servers.push(found.server);
    if (found.pending !== undefined) pending.push(found.pending);
  }
  const apart = dropTwins(servers, findings);
  return { servers: apart, pending: pending.filter((one) => !isTaken(one, apart)), findings };
}

/** True for a server that is switched off as it stands. */
export function isOff({ raw }: Pick<MergedServer, 'raw'>): boolean {
  return flagOf(raw, 'enabled') === false;
}

interface Chain {
  server: MergedServer | undefined;
  pending: MergedServer | undefined;
}

function mergeChain(
  name: string,
  chain: readonly Located[],
  rules: MergeRules,
  findings: Finding[],
): Chain {
  const state: Chain = { server: undefined, pending: undefined };
  const problems: Finding[] = [];
  for (const entry of chain) {
    const isProject = entry.source.scope === 'project';
    if (entry.twins.length > 0) {
      // Entries that share a name in one file are each other's problem; none of them counts.
      const found = checkEntry(entry).problems;
      problems.push({ entry, problems: found, skipped: isProject ? undefined : name });
      continue;
    }
    if (isPatch(entry.raw) && (state.server !== undefined || state.pending !== undefined)) {
      change(state, entry, rules, problems);
      continue;
    }
    const broken = isProject ? checkProjectEntry(entry) : [];
    if (broken.length > 0) {
      problems.push({ entry, problems: broken, skipped: undefined });
      continue;
    }
    const approval = isProject ? rules.approvalOf(entry) : 'trusted';
    const replaced =
      state.server === undefined ? [] : [...state.server.replaced, state.server.base];
    const next = { name, base: entry, raw: entry.raw, changes: [], approval, replaced };
    if (approval === 'trusted' || approval === 'approved' || approval === 'granted') {
      state.server = next;
      state.pending = undefined;
    } else state.pending = next;
  }
  const isLost = state.server === undefined && state.pending === undefined;
  findings.push(...problems.map((finding) => (isLost ? { ...finding, skipped: name } : finding)));
  return state;
}

/** A bad patch of a person's own file may be a safety rule that would be lost: the server is left out. */
function change(chain: Chain, entry: Located, rules: MergeRules, findings: Finding[]): void {
  const told: Finding[] = [];
  const patched = (server: MergedServer | undefined): MergedServer | undefined => {
    if (server === undefined || !isMapping(server.raw)) return server;
    const { raw, keys, problems, refused } = applyPatch(server.raw, entry, rules.exposure);
    const isFatal = problems.length > 0 && entry.source.scope !== 'project';
    told.length = 0;
    if (problems.length > 0) {
      told.push({ entry, problems, skipped: isFatal ? server.name : undefined });
    }
    if (refused.length > 0) told.push({ entry, problems: refused, skipped: undefined });
    if (isFatal) return undefined;
    return keys.length === 0
      ? server
      : { ...server, raw, changes: [...server.changes, { entry, keys }] };
  };
  chain.pending = patched(chain.pending);
  chain.server = patched(chain.server);
  findings.push(...told);
}

/** A project file may not say how a credential is made here. */
function checkProjectEntry(entry: Located): readonly Problem[] {
  const type = childOf(childOf(entry.raw, 'auth'), 'type');
  if (type !== 'provider' && type !== 'command') return checkEntry(entry).problems;
  const path = [...entry.path, 'auth', 'type'];
  const text = `auth of type ${type} does not go into a project file`;
  return [{ offset: entry.file.offsetOf(path), path, text }];
}

/** Of names that are one in tool names the person's own wins, then the higher one. */
function dropTwins(servers: readonly MergedServer[], findings: Finding[]): readonly MergedServer[] {
  const best = new Map<string, MergedServer>();
  const rank = (server: MergedServer) => (server.approval === 'trusted' ? 1 : 0);
  for (const server of servers) {
    const clean = cleanServerName(server.name);
    const other = best.get(clean);
    if (other === undefined || rank(server) >= rank(other)) best.set(clean, server);
  }
  return servers.filter((server) => {
    const winner = best.get(cleanServerName(server.name));
    if (winner === undefined || winner === server) return true;
    const { base, name } = server;
    const path = [...base.path, 'name'];
    const text = twinText(name, [winner.name]);
    const problem = { offset: base.file.offsetOf(path), path, text };
    findings.push({ entry: base, problems: [problem], skipped: name });
    return false;
  });
}

/** A name that another server has in tool names is not even asked about. */
function isTaken(pending: MergedServer, servers: readonly MergedServer[]): boolean {
  const clean = cleanServerName(pending.name);
  return servers.some(({ name }) => name !== pending.name && cleanServerName(name) === clean);
}
