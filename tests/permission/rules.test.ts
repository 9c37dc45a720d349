import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseArgumentPath } from '../../src/base/argument-match.ts';
import type { CallRule, RuleEffect } from '../../src/base/call-rules.ts';
import { type Asked, decide, type Facts, remedyFor } from '../../src/permission/engine.ts';
import { explainTool } from '../../src/permission/explain.ts';
import type { PermissionPolicy } from '../../src/permission/policy.ts';
import type { HookVerdict } from '../../src/permission/types.ts';
import { TEST_SEED as seed } from '../helpers/seed.ts';

const rule = (effect: RuleEffect, tools: string, when: Record<string, string | boolean> = {}) =>
  ({
    effect,
    tools: [tools],
    when: Object.entries(when).map(([path, value]) => ({
      path: parseArgumentPath(path) ?? [],
      values: [value],
      text: `${path}: ${JSON.stringify(value)}`,
    })),
    place: 'c.yaml:1',
  }) satisfies CallRule;

const asked = (more: Partial<Asked> = {}): Asked => ({
  server: 'gh',
  tool: 'push',
  publicName: 'gh_push',
  arguments: { repo: 'acme/x', force: false },
  annotations: {},
  origin: 'model',
  ...more,
});

const policy = (
  rules: readonly CallRule[],
  more: Partial<Omit<PermissionPolicy, 'rules'>> = {},
): PermissionPolicy => ({
  servers: new Map([
    ['gh', { mode: undefined, tools: {}, trustsAnnotations: false, isBuiltin: false }],
  ]),
  mode: 'ask',
  flag: undefined,
  yes: [],
  rules,
  ...more,
});

const DENY = rule('deny', 'gh/*');
const ASK = rule('ask', 'gh/*');
const ALLOW = rule('allow', 'gh/push', { repo: 'acme/*', force: false });
const hook = (effect: HookVerdict['effect']): HookVerdict => ({
  effect,
  why: `hook c.yaml:9 gate: ${effect}`,
  reason: undefined,
});
const effect = (rules: readonly CallRule[], more = {}, facts: Facts = {}, about = asked()) =>
  decide(about, policy(rules, more), facts).effect;

describe('rules', () => {
  test('deny before ask before allow, each with its place', () => {
    const told = [[ALLOW], [ALLOW, ASK], [ALLOW, DENY, ASK]].map((rules) => {
      const { effect: result, why } = decide(asked(), policy(rules));
      return [result, why];
    });
    expect(told).toEqual([
      ['allow', 'c.yaml:1 allow "gh/push" when repo: "acme/*", force: false'],
      ['ask', 'c.yaml:1 ask "gh/*"'],
      ['deny', 'c.yaml:1 deny "gh/*"'],
    ]);
  });

  test('a deny rule beats auto, --permissions auto, --yes, a grant, a hook and a typed call', () => {
    const auto = { mode: 'auto', flag: 'auto', yes: ['gh/push'] } as const;
    const facts: Facts = { granted: () => 'always', hooks: [hook('allow')] };
    expect(effect([DENY], auto, facts)).toBe('deny');
    expect(effect([DENY], auto, facts, asked({ origin: 'user' }))).toBe('deny');
  });

  test('an allow rule goes before toolPermissions and modes, an ask rule before auto', () => {
    const servers = new Map([
      ['gh', { mode: 'ask', tools: { push: 'ask' }, trustsAnnotations: false, isBuiltin: false }],
    ] as const);
    expect(effect([ALLOW], { servers })).toBe('allow');
    expect(effect([ASK], { mode: 'auto', flag: 'auto' })).toBe('ask');
  });

  test('an ask rule gives way to an exact --yes and to a typed call, not to a pattern', () => {
    expect(effect([ASK], { yes: ['gh/push'] })).toBe('allow');
    expect(effect([ASK], { yes: ['gh/*'] })).toBe('ask');
    expect(effect([ASK], {}, {}, asked({ origin: 'user' }))).toBe('allow');
    expect(remedyFor(asked(), decide(asked(), policy([ASK])))).toBe('--yes gh/push');
  });

  test('a grant for the tool does not answer an ask rule; one given at its question does', () => {
    const narrow = rule('ask', 'gh/push', { force: true });
    const forced = asked({ arguments: { force: true } });
    const granted = (scope: string): Facts => ({
      granted: (one) => (one === scope ? 'always' : undefined),
    });
    const { scope } = decide(forced, policy([narrow]));
    expect(scope).toBe('ask "gh/push" when force: true');
    expect(effect([narrow], {}, granted(''), forced)).toBe('ask');
    expect(effect([narrow], {}, granted(scope), forced)).toBe('allow');
    expect(effect([narrow], {}, granted(''), asked())).toBe('allow');
  });

  test('a hook denies before all, asks before allow rules, and lifts a mode only', () => {
    const hooks = (...effects: HookVerdict['effect'][]): Facts => ({ hooks: effects.map(hook) });
    expect(effect([ALLOW], { flag: 'auto' }, hooks('allow', 'deny'))).toBe('deny');
    expect(effect([ALLOW], {}, hooks('allow', 'ask'))).toBe('ask');
    expect(effect([], { yes: ['gh/push'] }, hooks('ask'))).toBe('ask');
    expect(effect([], {}, hooks('allow'))).toBe('allow');
    expect(effect([ASK], {}, hooks('allow'))).toBe('ask');
    expect(effect([], {}, hooks('deny'), asked({ origin: 'user' }))).toBe('deny');
    expect(decide(asked(), policy([]), hooks('ask')).isHook).toBe(true);
  });
});

describe('an explanation', () => {
  test('tells what a call meets, and what holds for some arguments', () => {
    const { arguments: _, origin: __, ...tool } = asked();
    const deep = rule('deny', 'gh/push', { force: true });
    expect(explainTool(tool, policy([ALLOW, deep]))).toEqual({
      server: 'gh',
      tool: 'push',
      effect: 'ask',
      why: 'mcp.permissions: ask',
      sometimes: [
        { effect: 'deny', why: 'c.yaml:1 deny "gh/push" when force: true' },
        { effect: 'allow', why: 'c.yaml:1 allow "gh/push" when repo: "acme/*", force: false' },
      ],
    });
    expect(explainTool(tool, policy([ALLOW, deep, DENY])).sometimes).toEqual([]);
  });
});

describe('whatever the rules', () => {
  const anyEffect = fc.constantFrom('allow', 'ask', 'deny' as const);
  const anyWhen = fc.constantFrom(
    {},
    { repo: 'acme/*' },
    { repo: '*' },
    { force: true },
    { force: false },
    { 'files[*].path': 'src/*' },
  );
  const anyRule = fc
    .tuple(anyEffect, fc.constantFrom('gh/*', 'gh/push', 'gh/p?sh', '*/*', 'other/*'), anyWhen)
    .map(([kind, tools, when]) => rule(kind as RuleEffect, tools, when));
  const anyArguments = fc.record(
    {
      repo: fc.constantFrom('acme/x', 'ACME/x', 'acme/../x', 'b/y', 7),
      force: fc.constantFrom(true, false, 'true', null),
      files: fc.constantFrom([], [{ path: 'src/a' }], [{ path: 'src/a' }, { path: 'b' }]),
    },
    { requiredKeys: [] },
  );
  const anyFacts = fc.record({
    mode: fc.constantFrom('ask', 'auto' as const),
    flag: fc.constantFrom(undefined, 'ask' as const, 'auto' as const),
    yes: fc.constantFrom([], ['gh/push'], ['gh/*']),
    granted: fc.constantFrom(undefined, 'session' as const),
    origin: fc.constantFrom('model', 'user', 'router' as const),
    hooks: fc.array(
      anyEffect.map((kind) => hook(kind as RuleEffect)),
      { maxLength: 2 },
    ),
  });
  const decideWith = (
    rules: readonly CallRule[],
    args: Asked['arguments'],
    {
      granted,
      origin,
      hooks,
      ...more
    }: {
      mode: 'ask' | 'auto';
      flag: 'ask' | 'auto' | undefined;
      yes: string[];
      granted: 'session' | undefined;
      origin: Asked['origin'];
      hooks: HookVerdict[];
    },
  ) =>
    decide(asked({ arguments: args, origin }), policy(rules, more), {
      granted: () => granted,
      hooks,
    });

  test('their order does not count', () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 6 }),
        anyArguments,
        anyFacts,
        (rules, args, facts) => {
          const forward = decideWith(rules, args, facts as never);
          const backward = decideWith([...rules].reverse(), args, facts as never);
          expect([backward.effect, backward.scope]).toEqual([forward.effect, forward.scope]);
        },
      ),
      { seed },
    );
  });

  test('one more deny rule never lets more through, and one that holds denies', () => {
    const rank = { allow: 0, ask: 1, deny: 2 };
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 5 }),
        anyRule,
        anyArguments,
        anyFacts,
        (rules, extra, args, facts) => {
          const deny: CallRule = { ...extra, effect: 'deny' };
          const before = decideWith(rules, args, facts as never).effect;
          const after = decideWith([...rules, deny], args, facts as never).effect;
          expect(rank[after]).toBeGreaterThanOrEqual(rank[before]);
          if (before !== after) expect(after).toBe('deny');
          const always = decideWith([...rules, rule('deny', '*/*')], args, facts as never).effect;
          expect(always).toBe('deny');
        },
      ),
      { seed },
    );
  });

  test('where a rule allows, the same words would have denied', () => {
    fc.assert(
      fc.property(anyRule, anyArguments, (one, args) => {
        const allows = decide(asked({ arguments: args }), policy([{ ...one, effect: 'allow' }]));
        const denies = decide(asked({ arguments: args }), policy([{ ...one, effect: 'deny' }]));
        if (allows.effect === 'allow') expect(denies.effect).toBe('deny');
      }),
      { seed },
    );
  });
});
