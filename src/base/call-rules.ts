/**
 * Rules on calls: which of them hold for one call. Known to the configuration, which checks the examples in
 * it, and to permission, which decides. Pure.
 */
import { type ArgumentTest, fitsArgument } from './argument-match.ts';
import { matchesGlob } from './glob.ts';
import type { JsonObject } from './json.ts';

export type RuleEffect = 'allow' | 'ask' | 'deny';

export interface CallRule {
  readonly effect: RuleEffect;
  /** Globs on `server/tool`, original names; one of them has to fit. */
  readonly tools: readonly string[];
  /** All of them have to fit; empty: any arguments. */
  readonly when: readonly ArgumentTest[];
  /** `config.yaml:12`. */
  readonly place: string;
}

export interface RuledCall {
  readonly server: string;
  /** Original name. */
  readonly tool: string;
  /** `undefined`: not known yet; rules that look at arguments do not hold then. */
  readonly arguments: JsonObject | undefined;
}

/** The rules of one effect that hold, in the order of the file. */
export function rulesThatHold(
  rules: readonly CallRule[],
  effect: RuleEffect,
  call: RuledCall,
): readonly CallRule[] {
  return rules.filter((rule) => rule.effect === effect && holds(rule, call));
}

/** What the rules say together: deny before ask before allow, whatever their order. `undefined`: none holds. */
export function strongestRule(rules: readonly CallRule[], call: RuledCall): CallRule | undefined {
  for (const effect of ['deny', 'ask', 'allow'] as const) {
    const [rule] = rulesThatHold(rules, effect, call);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** True when the rule names the tool, whatever the arguments. */
export function namesTool(rule: CallRule, { server, tool }: Omit<RuledCall, 'arguments'>): boolean {
  return rule.tools.some((pattern) => matchesGlob(pattern, `${server}/${tool}`));
}

/** The rule on one line: `deny "github/delete_*" when repo: "acme/*"`. */
export function showRule({ effect, tools, when }: CallRule): string {
  const names = tools.map((pattern) => JSON.stringify(pattern)).join(', ');
  const tests = when.length === 0 ? '' : ` when ${when.map(({ text }) => text).join(', ')}`;
  return `${effect} ${names}${tests}`;
}

function holds(rule: CallRule, call: RuledCall): boolean {
  if (!namesTool(rule, call)) return false;
  const { arguments: given } = call;
  if (given === undefined) return rule.when.length === 0;
  const reading = rule.effect === 'allow' ? 'exact' : 'wide';
  return rule.when.every((test) => fitsArgument(test, given, reading));
}
