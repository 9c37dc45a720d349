/** The list of servers: every entry stands for itself, a bad one is skipped with one warning. */
import { type Checked, checkBlock, showValue } from './issues.ts';
import { childOf, MAX_PROBLEMS, type PathItem, type Problem, renderProblems } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';
import { type ServerEntry, serverSchema } from './schema/server.ts';
import { type BuildContext, buildServer } from './server-build.ts';
import { type RuleBreak, serverRuleBreaks } from './server-rules.ts';
import type { ConfigWarning, ServerConfig } from './types.ts';
import type { ConfigFile } from './yaml.ts';

export interface Servers {
  readonly servers: readonly ServerConfig[];
  readonly warnings: readonly ConfigWarning[];
  readonly skipped: readonly string[];
}

/** Builds the servers of the list at `path` of the file (already known to be a list). */
export function buildServers(
  list: readonly unknown[],
  path: readonly PathItem[],
  file: ConfigFile,
  context: BuildContext,
): Servers {
  const twins = twinProblems(list, path, file);
  const servers: ServerConfig[] = [];
  const warnings: ConfigWarning[] = [];
  const skipped: string[] = [];
  for (const [index, raw] of list.entries()) {
    const place = [...path, index];
    const { server, problems } = buildEntry(raw, place, file, context);
    const all = [...problems, ...(twins.get(index) ?? [])];
    if (server !== undefined && all.length === 0) {
      servers.push(server);
      continue;
    }
    const label = entryLabel(raw, index);
    skipped.push(label);
    warnings.push({
      message: renderProblems(all, file),
      hint: `server ${label} is skipped until this is mended`,
      skipped: label,
      ...(isRequired(raw) ? { required: true } : {}),
    });
  }
  return { servers, warnings, skipped };
}

/** How a server's name is compared: `a-b`, `a_b` and `A_B` are one, as in tool names. */
export function cleanServerName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}

function buildEntry(
  raw: unknown,
  path: readonly PathItem[],
  file: ConfigFile,
  context: BuildContext,
) {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw) || raw instanceof PlainScalar) {
    const text = `expected a mapping with name and url, command or builtin, got ${showValue(raw, path)}`;
    return { server: undefined, problems: [{ offset: file.offsetOf(path), path, text }] };
  }
  const { value, problems }: Checked<ServerEntry> = checkBlock(
    serverSchema,
    withoutEmptyBlocks(raw),
    path,
    'server',
    file,
  );
  const rules = serverRuleBreaks(raw)
    .slice(0, MAX_PROBLEMS)
    .map((rule) => asProblem(rule, path, file));
  const before = dropRepeated([...problems, ...rules]);
  if (value === undefined || before.length > 0) return { server: undefined, problems: before };
  const { server, breaks } = buildServer(value, context);
  return {
    server,
    problems: breaks.slice(0, MAX_PROBLEMS).map((rule) => asProblem(rule, path, file)),
  };
}

/** A block whose lines are all commented out is an absent one; `tools:` and `auth:` are not, they would widen power. */
function withoutEmptyBlocks(raw: object): object {
  const blocks = ['headers', 'env', 'envPass', 'args', 'timeout', 'toolPermissions'];
  return Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => value !== null || !blocks.includes(key)),
  );
}

function asProblem(rule: RuleBreak, base: readonly PathItem[], file: ConfigFile): Problem {
  const path = [...base, ...rule.path];
  return { offset: file.offsetOf(path, rule.part), path, text: rule.text };
}

/** One problem per path: the schema and the rules may both have seen it. */
function dropRepeated(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = JSON.stringify([problem.path, problem.text]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Entries whose names are the same in tool names: all of them are left out, as none has the better claim. */
function twinProblems(list: readonly unknown[], base: readonly PathItem[], file: ConfigFile) {
  const byName = new Map<string, number[]>();
  for (const [index, raw] of list.entries()) {
    const name = entryName(raw);
    if (name === undefined) continue;
    const clean = cleanServerName(name);
    byName.set(clean, [...(byName.get(clean) ?? []), index]);
  }
  const problems = new Map<number, readonly Problem[]>();
  for (const indexes of byName.values()) {
    if (indexes.length < 2) continue;
    for (const index of indexes) {
      const path = [...base, index, 'name'];
      const others = indexes.filter((other) => other !== index);
      const text = twinText(
        entryName(list[index]) ?? '',
        others.map((other) => entryName(list[other]) ?? ''),
      );
      problems.set(index, [{ offset: file.offsetOf(path), path, text }]);
    }
  }
  return problems;
}

function twinText(name: string, others: readonly string[]): string {
  const different = others.filter((other) => other !== name).slice(0, 3);
  if (different.length === 0)
    return `${others.length + 1} servers are called ${name}; every name may stand once`;
  return `${name} and ${different.join(', ')} are the same name in tool names; rename one`;
}

function entryName(raw: unknown): string | undefined {
  const name = childOf(raw, 'name');
  const text = name instanceof PlainScalar ? name.source : name;
  return typeof text === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(text) ? text : undefined;
}

function entryLabel(raw: unknown, index: number): string {
  return entryName(raw) ?? `servers[${index}]`;
}

/** `required: true` of an entry that is not switched off. */
function isRequired(raw: unknown): boolean {
  const has = (key: string, wanted: boolean) => {
    const value = childOf(raw, key);
    return value instanceof PlainScalar && value.value === wanted;
  };
  return has('required', true) && !has('enabled', false);
}
