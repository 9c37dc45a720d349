/** One entry of a list of servers, judged by itself: is it well formed, what is it called. */
import { type Checked, checkBlock, showValue } from './issues.ts';
import { childOf, MAX_PROBLEMS, type PathItem, type Problem, type RuleBreak } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';
import { type ServerEntry, serverSchema } from './schema/server.ts';
import { serverRuleBreaks } from './server-rules.ts';
import type { ConfigSource } from './sources.ts';
import type { ConfigFile } from './yaml.ts';

/** An entry and where it stands. */
export interface Located {
  readonly raw: unknown;
  readonly path: readonly PathItem[];
  readonly file: ConfigFile;
  readonly source: ConfigSource;
  /** `undefined`: it has none that could be used. */
  readonly name: string | undefined;
  /** For people, when there is no name: `servers[2]`. */
  readonly label: string;
  /** What is wrong with its name beside the others of its file. */
  readonly twins: readonly Problem[];
}

/** Gives the entries of one file their names, and finds those that are one name in tool names. */
export function locateEntries(
  entries: readonly { readonly raw: unknown; readonly path: readonly PathItem[] }[],
  file: ConfigFile,
  source: ConfigSource,
): readonly Located[] {
  const names = entries.map(({ raw }) => entryName(raw));
  const twins = twinProblems(names, entries, file);
  return entries.map(({ raw, path }, index) => ({
    raw,
    path,
    file,
    source,
    name: names[index],
    label: names[index] ?? `servers[${index}]`,
    twins: twins.get(index) ?? [],
  }));
}

/** The entry as the schema returns it, or every problem of schema and rules. Nothing is expanded. */
export function checkEntry({ raw, path, file, twins }: Located): Checked<ServerEntry> {
  if (!isMapping(raw)) {
    const text = `expected a mapping with name and url, command or builtin, got ${showValue(raw, path)}`;
    return { value: undefined, problems: [{ offset: file.offsetOf(path), path, text }, ...twins] };
  }
  const { value, problems } = checkBlock(
    serverSchema,
    withoutEmptyBlocks(raw),
    path,
    'server',
    file,
  );
  const rules = serverRuleBreaks(raw)
    .slice(0, MAX_PROBLEMS)
    .map((rule) => asProblem(rule, path, file));
  const all = [...dropRepeated([...problems, ...rules]), ...twins];
  return { value: all.length === 0 ? value : undefined, problems: all };
}

/** A rule that an entry breaks, at its place in the file. */
export function asProblem(rule: RuleBreak, base: readonly PathItem[], file: ConfigFile): Problem {
  const path = [...base, ...rule.path];
  return { offset: file.offsetOf(path, rule.part), path, text: rule.text };
}

/** How a server's name is compared: `a-b`, `a_b` and `A_B` are one, as in tool names. */
export function cleanServerName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}

/** Why `name` cannot stand beside `others`. */
export function twinText(name: string, others: readonly string[]): string {
  const different = others.filter((other) => other !== name).slice(0, 3);
  if (different.length === 0)
    return `${others.length + 1} servers are called ${name}; every name may stand once`;
  return `${name} and ${different.join(', ')} are the same name in tool names; rename one`;
}

/** `required: true` of an entry that is not switched off. */
export function isRequired(raw: unknown): boolean {
  return flagOf(raw, 'required') === true && flagOf(raw, 'enabled') !== false;
}

/** A boolean of an entry as written; `undefined` when it is none. */
export function flagOf(raw: unknown, key: string): boolean | undefined {
  const value = childOf(raw, key);
  return value instanceof PlainScalar && typeof value.value === 'boolean' ? value.value : undefined;
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof PlainScalar)
  );
}

/** A block whose lines are all commented out is an absent one; `tools:` and `auth:` are not, they would widen power. */
function withoutEmptyBlocks(raw: object): object {
  const blocks = ['headers', 'env', 'envPass', 'args', 'timeout', 'toolPermissions'];
  return Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => value !== null || !blocks.includes(key)),
  );
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
function twinProblems(
  names: readonly (string | undefined)[],
  entries: readonly { readonly path: readonly PathItem[] }[],
  file: ConfigFile,
) {
  const byName = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    if (name === undefined) continue;
    const clean = cleanServerName(name);
    byName.set(clean, [...(byName.get(clean) ?? []), index]);
  }
  const problems = new Map<number, readonly Problem[]>();
  for (const indexes of byName.values()) {
    if (indexes.length < 2) continue;
    for (const index of indexes) {
      const path = [...(entries[index]?.path ?? []), 'name'];
      const others = indexes.filter((other) => other !== index);
      const text = twinText(
        names[index] ?? '',
        others.map((other) => names[other] ?? ''),
      );
      problems.set(index, [{ offset: file.offsetOf(path), path, text }]);
    }
  }
  return problems;
}

function entryName(raw: unknown): string | undefined {
  const name = childOf(raw, 'name');
  const text = name instanceof PlainScalar ? name.source : name;
  return typeof text === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(text) ? text : undefined;
}
