/**
 * Which tools of one server are offered: the allowlist on original names, then the binary filter.
 * Pure; knows nothing of public names.
 */
import { isDeeperThan, MAX_JSON_DEPTH } from '../base/depth.ts';
import { isGlob, matchesGlob } from '../base/glob.ts';
import { nearestMatches } from '../base/text.ts';
import { findBinary } from './binary-schema.ts';
import { configuredExposure, type ExposureChoice } from './exposure.ts';
import { type LockedServer, lockChange } from './lock.ts';
import type { HiddenReason, ToolDefinition } from './types.ts';

export interface ExposureRules extends ExposureChoice {
  /** Allowlist patterns; `undefined` = all, `[]` = none, only `!exclusions` = all but those. */
  readonly tools: readonly string[] | undefined;
  readonly binary: 'drop' | 'keep';
  /** The tools that were accepted; others, and those that changed, are withheld. Default: all are offered. */
  readonly locked?: LockedServer | undefined;
  /** Most tokens that the declarations of the server's tools may cost. Default: no limit. */
  readonly maxToolTokens?: number | undefined;
  /** The tools are left out while there is nothing that is deferred. Default false. */
  readonly onlyWithDeferred?: boolean;
}

export interface FilterWarning {
  readonly message: string;
  readonly hint: string | undefined;
}

/** Why a tool is hidden by its server's rules; `undefined`: it is exposed. */
export function hiddenReason(
  definition: ToolDefinition,
  rules: ExposureRules,
): HiddenReason | undefined {
  if (isDeeperThan(definition.raw) || isDeeperThan(definition.inputSchema)) {
    return { kind: 'malformed', problem: `nested deeper than ${MAX_JSON_DEPTH} levels` };
  }
  const listed = listReason(definition.name, rules.tools);
  if (listed !== undefined) return listed;
  const change = rules.locked && lockChange(definition, rules.locked);
  if (change !== undefined) return { kind: 'locked', change };
  if (rules.binary === 'drop') {
    const schemaPath =
      findBinary(definition.inputSchema, 'inputSchema') ??
      findBinary(definition.outputSchema, 'outputSchema');
    if (schemaPath !== undefined) return { kind: 'binary', schemaPath };
  }
  return configuredExposure(definition.name, rules) === 'hidden' ? { kind: 'exposure' } : undefined;
}

/** One warning for each pattern of the allowlist that fits no tool of the server, with the nearest name. */
export function unmatchedPatterns(
  server: string,
  names: readonly string[],
  patterns: readonly string[] | undefined,
): readonly FilterWarning[] {
  return (patterns ?? []).flatMap((pattern) => {
    const wanted = pattern.startsWith('!') ? pattern.slice(1) : pattern;
    if (names.some((name) => matchesGlob(wanted, name))) return [];
    const what = isGlob(wanted) ? 'no tool that fits' : 'no tool';
    const [nearest] = nearestMatches(wanted, names, 1);
    return [
      {
        message: `${server}: the server has ${what} "${wanted}" (listed in tools:)`,
        hint:
          nearest === undefined
            ? `usher tools ${server} --all lists what it has`
            : `did you mean "${nearest}"?`,
      },
    ];
  });
}

function listReason(
  name: string,
  patterns: readonly string[] | undefined,
): HiddenReason | undefined {
  if (patterns === undefined) return undefined;
  const exclusions = patterns.filter((pattern) => pattern.startsWith('!'));
  const pattern = exclusions.find((exclusion) => matchesGlob(exclusion.slice(1), name));
  if (pattern !== undefined) return { kind: 'excluded', pattern };
  const wanted = patterns.filter((entry) => !entry.startsWith('!'));
  const onlyExclusions = wanted.length === 0 && exclusions.length > 0;
  if (onlyExclusions || wanted.some((entry) => matchesGlob(entry, name))) return undefined;
  return { kind: 'not_listed' };
}
