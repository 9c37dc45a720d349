/** What would happen to a tool and why, before anybody calls it. Pure. */
import { namesTool } from '../base/call-rules.ts';
import { decide, type Facts, placedRule } from './engine.ts';
import type { PermissionPolicy } from './policy.ts';
import type { PermissionDecision, PermissionRequest } from './types.ts';

export interface Explanation extends PermissionDecision {
  readonly server: string;
  readonly tool: string;
  /** Rules of other effects that hold for some arguments only, strongest first. Empty where a rule denies all. */
  readonly sometimes: readonly PermissionDecision[];
}

/** What a model's call of the tool meets, arguments aside. Hooks are not run: they may say otherwise. */
export function explainTool(
  tool: Pick<PermissionRequest, 'server' | 'tool' | 'publicName' | 'annotations'>,
  policy: PermissionPolicy,
  granted?: Facts['granted'],
): Explanation {
  const asked = { ...tool, arguments: undefined, origin: 'model' as const };
  const { effect, why } = decide(asked, policy, granted === undefined ? {} : { granted });
  const rules = effect === 'deny' ? [] : (policy.rules ?? []);
  const sometimes = (['deny', 'ask', 'allow'] as const).flatMap((kind) =>
    rules
      .filter((rule) => rule.effect === kind && kind !== effect)
      .filter((rule) => rule.when.length > 0 && namesTool(rule, tool))
      .map((rule) => ({ effect: kind, why: placedRule(rule) })),
  );
  return { server: tool.server, tool: tool.tool, effect, why, sometimes };
}
