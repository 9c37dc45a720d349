/**
 * Entries without url, command or builtin: they only change an entry of a lower file. A project file may
 * narrow what others say, never widen it.
 */
import * as v from 'valibot';
import { asProblem, flagOf, isMapping, type Located } from './entry.ts';
import { checkBlock } from './issues.ts';
import { childOf, type Problem } from './problem.ts';
import { PlainScalar } from './schema/atoms.ts';
import { serverSchema } from './schema/server.ts';
import type { AnySchema } from './schema-walk.ts';
import { isNarrower, toolsOf } from './signature.ts';

export interface Patched {
  /** The lower entry with the change in it. */
  readonly raw: object;
  /** The keys that were changed. */
  readonly keys: readonly string[];
  /** What is wrong with the patch; then nothing is changed. */
  readonly problems: readonly Problem[];
  /** Keys that a project file may not set so; the others count. */
  readonly refused: readonly Problem[];
}

/** True for an entry that has none of the three keys that say what a server is. */
export function isPatch(raw: unknown): boolean {
  return isMapping(raw) && ENDPOINTS.every((key) => childOf(raw, key) === undefined);
}

/** Lays `patch` over `raw`. `exposure` is what holds where an entry names none. */
export function applyPatch(raw: object, patch: Located, exposure: string): Patched {
  const problems = patchProblems(patch);
  if (problems.length > 0 || !isMapping(patch.raw)) return { raw, keys: [], problems, refused: [] };
  const isProject = patch.source.scope === 'project';
  const keys: string[] = [];
  const refused: Problem[] = [];
  const changed: Record<string, unknown> = { ...raw };
  for (const key of PATCH_KEYS) {
    const value = childOf(patch.raw, key);
    if (value === undefined) continue;
    const reason = isProject ? wideningReason(key, raw, patch.raw, exposure) : undefined;
    if (reason !== undefined) {
      const text = `a project file may only narrow a server of another file: ${reason}`;
      refused.push(asProblem({ path: [key], text, part: 'key' }, patch.path, patch.file));
      continue;
    }
    changed[key] = value;
    keys.push(key);
  }
  return { raw: changed, keys, problems, refused };
}

const ENDPOINTS = ['url', 'command', 'builtin'];
const PATCH_KEYS = ['enabled', 'exposure', 'toolExposure', 'permissions', 'tools'];
/** Most reachable first. */
const REACH = ['direct', 'auto', 'deferred', 'codemode', 'hidden'];

/** The part of the server schema that a patch may have. */
function patchSchema(): AnySchema {
  const entries: Readonly<Record<string, AnySchema>> = serverSchema.entries;
  return v.strictObject(
    Object.fromEntries(
      Object.entries(entries).filter(([key]) => key === 'name' || PATCH_KEYS.includes(key)),
    ),
  );
}

function patchProblems({ raw, path, file, twins }: Located): readonly Problem[] {
  const keys = isMapping(raw) ? Object.keys(raw) : [];
  const known = [...PATCH_KEYS, 'name'];
  const foreign = keys
    .filter((key) => !known.includes(key))
    .map((key) =>
      asProblem(
        {
          path: [key],
          text: 'an entry without url, command and builtin changes enabled, exposure, permissions and tools of a server in another file, nothing else',
          part: 'key',
        },
        path,
        file,
      ),
    );
  const own = isMapping(raw)
    ? Object.fromEntries(Object.entries(raw).filter(([key]) => known.includes(key)))
    : raw;
  return [...foreign, ...checkBlock(patchSchema(), own, path, 'server', file).problems, ...twins];
}

/** Why the key would give more power than the entry has; `undefined` when it does not. */
function wideningReason(
  key: string,
  before: object,
  patch: object,
  exposure: string,
): string | undefined {
  const next = childOf(patch, key);
  switch (key) {
    case 'enabled':
      return flagOf(patch, key) === false || flagOf(before, key) !== false
        ? undefined
        : 'it is switched off there';
    case 'permissions':
      return next === 'ask' || next === childOf(before, key) ? undefined : 'auto would widen it';
    case 'tools':
      return isNarrower(toolsOf(patch), toolsOf(before))
        ? undefined
        : 'this list offers more tools, or patterns that cannot be compared';
    case 'exposure': {
      const old = REACH.indexOf(textOf(childOf(before, key)) ?? exposure);
      return REACH.indexOf(textOf(next) ?? '') >= old ? undefined : 'this would show more';
    }
    default:
      return keepsHidden(next, childOf(before, key))
        ? undefined
        : 'only hidden may be added, and what stands there stays';
  }
}

/** A map of single tools replaces the lower one whole, so it has to say all that one says. */
function keepsHidden(next: unknown, before: unknown): boolean {
  if (!isMapping(next)) return false;
  const old = isMapping(before) ? before : {};
  return (
    Object.keys(old).every((name) => childOf(next, name) !== undefined) &&
    Object.entries(next).every(
      ([name, value]) => value === 'hidden' || value === childOf(old, name),
    )
  );
}

function textOf(value: unknown): string | undefined {
  return value instanceof PlainScalar
    ? value.source
    : typeof value === 'string'
      ? value
      : undefined;
}
