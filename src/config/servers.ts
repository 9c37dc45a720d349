/** From merged entries to servers: every one stands for itself, a bad one is skipped with one warning. */
import { dirname } from 'node:path';
import { asProblem, checkEntry, isRequired } from './entry.ts';
import { type Finding, isOff, type Merged, type MergedServer } from './merge.ts';
import { MAX_PROBLEMS, type Problem, renderProblems } from './problem.ts';
import { type BuildContext, buildServer } from './server-build.ts';
import { contentOf } from './signature.ts';
import type { ConfigWarning, ServerConfig } from './types.ts';

export interface Servers {
  readonly servers: readonly ServerConfig[];
  readonly warnings: readonly ConfigWarning[];
  /** What the warnings about entries are made of. */
  readonly findings: readonly Finding[];
  readonly skipped: readonly string[];
}

/** Builds what was merged; relative files of `tls` and `auth` are against the folder of the entry's file. */
export function buildServers(merged: Merged, context: Omit<BuildContext, 'folder'>): Servers {
  const servers: ServerConfig[] = [];
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const used: MergedServer[] = [];
  const skip = (finding: Finding) => {
    if (finding.skipped !== undefined && !skipped.includes(finding.skipped)) {
      skipped.push(finding.skipped);
    }
    findings.push(finding);
  };
  const loose = [...merged.findings];
  for (const server of merged.servers) {
    const own = loose.filter(({ entry }) => entry.name === server.name);
    for (const finding of own) skip(take(loose, finding));
    if (own.some((finding) => finding.skipped === server.name)) continue;
    const { base, raw } = server;
    const { server: built, problems } = build(server, context);
    if (built !== undefined && problems.length === 0) {
      servers.push(built);
      used.push(server);
    } else skip({ entry: { ...base, raw }, problems, skipped: server.name });
  }
  for (const finding of loose) skip(finding);
  const warnings = [...findings.map(findingWarning), ...sameContent(used)];
  return { servers, warnings, findings, skipped };
}

function take(findings: Finding[], finding: Finding): Finding {
  findings.splice(findings.indexOf(finding), 1);
  return finding;
}

function build(server: MergedServer, context: Omit<BuildContext, 'folder'>) {
  const { base, raw } = server;
  const { value, problems } = checkEntry({ ...base, raw });
  if (value === undefined) return { server: undefined, problems };
  const folder = dirname(base.source.path);
  const { server: built, breaks } = buildServer(value, { ...context, folder });
  const broken = breaks
    .slice(0, MAX_PROBLEMS)
    .map((rule): Problem => asProblem(rule, base.path, base.file));
  return { server: built, problems: broken };
}

function findingWarning({ entry, problems, skipped }: Finding): ConfigWarning {
  return {
    message: renderProblems(problems, entry.file),
    hint:
      skipped === undefined
        ? `this entry of ${entry.label} does not count until it is mended`
        : `server ${skipped} is skipped until this is mended`,
    skipped,
    ...(skipped !== undefined && isRequired(entry.raw) ? { required: true } : {}),
  };
}

/** The same server under two names is started twice and offers every tool twice. */
function sameContent(servers: readonly MergedServer[]): readonly ConfigWarning[] {
  const first = new Map<string, MergedServer>();
  return servers.flatMap((server): readonly ConfigWarning[] => {
    const { raw } = server;
    if (typeof raw !== 'object' || raw === null || isOff(server)) return [];
    const content = contentOf(raw);
    const other = first.get(content);
    if (other === undefined) {
      first.set(content, server);
      return [];
    }
    const place = ({ base: { source, file, path } }: MergedServer) =>
      `${source.label}:${file.lineAt(file.offsetOf(path)).line}`;
    return [
      {
        message: `${place(server)}: ${server.name} is the same server as ${other.name} (${place(other)})`,
        hint: 'remove one of the two, or write enabled: false',
        skipped: undefined,
      },
    ];
  });
}
