/**
 * How each tool of a list is exposed, and what declaring it costs. Pure. Exposure decides what a model is
 * shown, never what it may call: permission is asked all the same.
 */
import { matchesGlob } from '../base/glob.ts';
import { totalTokens } from '../base/offered.ts';
import type { Exposure, ToolDefinition } from './types.ts';

/** As configured; `auto` is settled for each snapshot, when all tools are known. */
export type ConfiguredExposure = Exposure | 'auto';

export interface ExposureChoice {
  readonly exposure: ConfiguredExposure;
  /** By original name or glob, in file order. Default: none. */
  readonly toolExposure?: Readonly<Record<string, ConfiguredExposure>>;
}

/** Share of the model's context that declarations may take before `auto` defers them. */
const AUTO_SHARE = 0.05;
/** Budget of `auto` where the size of the context is not known, tokens. */
const DEFAULT_AUTO_TOKENS = 10_000;

/** An exact name in `toolExposure` wins, then the first pattern in file order, then the server's. */
export function configuredExposure(name: string, rules: ExposureChoice): ConfiguredExposure {
  const { toolExposure = {} } = rules;
  const exact = Object.hasOwn(toolExposure, name) ? toolExposure[name] : undefined;
  if (exact !== undefined) return exact;
  const fitting = Object.entries(toolExposure).find(([pattern]) => matchesGlob(pattern, name));
  return fitting?.[1] ?? rules.exposure;
}

/** Tokens that declarations may cost before `auto` defers. `contextTokens` as configured for the model. */
export function autoBudget(contextTokens: number | undefined): number {
  return contextTokens === undefined ? DEFAULT_AUTO_TOKENS : Math.floor(contextTokens * AUTO_SHARE);
}

/**
 * What `auto` means for a set of tools: `direct` while all direct and `auto` declarations together stay
 * within the budget, else `deferred`. The same set gives the same answer, in any order.
 */
export function settleAuto(
  tools: readonly {
    readonly definition: ToolDefinition;
    readonly publicName: string;
    readonly exposure: ConfiguredExposure;
  }[],
  budgetTokens: number,
): 'direct' | 'deferred' {
  if (!tools.some(({ exposure }) => exposure === 'auto')) return 'direct';
  const sent = tools.filter(({ exposure }) => exposure === 'direct' || exposure === 'auto');
  return totalTokens(sent) <= budgetTokens ? 'direct' : 'deferred';
}
