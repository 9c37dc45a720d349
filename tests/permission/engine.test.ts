import { describe, expect, test } from 'bun:test';
import { UsageError } from '../../src/base/errors.ts';
import { decide as decideFully, type Facts, remedyFor } from '../../src/permission/engine.ts';
import {
  createPolicy,
  type PermissionPolicy,
  type ServerPolicy,
} from '../../src/permission/policy.ts';
import type { PermissionRequest } from '../../src/permission/types.ts';

const request = (more: Partial<PermissionRequest> = {}): PermissionRequest => ({
  server: 'gh',
  tool: 'get-issue',
  publicName: 'gh_get_issue',
  arguments: {},
  annotations: {},
  origin: 'model',
  ...more,
});

const policy = (
  server: Partial<ServerPolicy> = {},
  more: Partial<Omit<PermissionPolicy, 'servers'>> = {},
): PermissionPolicy => ({
  servers: new Map([
    ['gh', { mode: undefined, tools: {}, trustsAnnotations: false, isBuiltin: false, ...server }],
  ]),
  mode: 'ask',
  flag: undefined,
  yes: [],
  ...more,
});

/** Effect and reason; `true`: the tool was allowed for the session. */
const decide = (asked: PermissionRequest, rules: PermissionPolicy, facts: Facts | boolean = {}) => {
  const given: Facts = typeof facts === 'boolean' ? { granted: () => 'session' } : facts;
  const { effect, why } = decideFully(asked, rules, given);
  return { effect, why };
};

const effects = (policies: readonly PermissionPolicy[], asked = request()) =>
  policies.map((each) => decide(asked, each).effect);

describe('permission', () => {
  test('MM-21: ask and auto come from the server, else from mcp.permissions', () => {
    expect([
      decide(request(), policy()),
      decide(request(), policy({}, { mode: 'auto' })),
      decide(request(), policy({ mode: 'ask' }, { mode: 'auto' })),
      decide(request(), policy({ mode: 'auto' })),
      decide(request({ server: 'other' }), policy({ mode: 'auto' })),
    ]).toEqual([
      { effect: 'ask', why: 'mcp.permissions: ask' },
      { effect: 'allow', why: 'mcp.permissions: auto' },
      { effect: 'ask', why: 'permissions: ask of server gh' },
      { effect: 'allow', why: 'permissions: auto of server gh' },
      { effect: 'ask', why: 'mcp.permissions: ask' },
    ]);
  });

  test('a built-in defaults to auto, its own mode and the flag go first', () => {
    expect(
      effects([
        policy({ isBuiltin: true }),
        policy({ isBuiltin: true, mode: 'ask' }),
        policy({ isBuiltin: true }, { flag: 'ask' }),
      ]),
    ).toEqual(['allow', 'ask', 'ask']);
  });

  test('deny beats everything: grants, --yes, --permissions auto, an exact auto, the user', () => {
    const denied = policy(
      { mode: 'auto', tools: { 'get-issue': 'auto', 'get-*': 'deny' } },
      { flag: 'auto', yes: ['gh/get-issue'] },
    );
    const why = 'toolPermissions: {"get-*": deny} of server gh';
    expect([decide(request(), denied, true), decide(request({ origin: 'user' }), denied)]).toEqual([
      { effect: 'deny', why },
      { effect: 'deny', why },
    ]);
  });

  test('toolPermissions: the exact name, then the first matching pattern, before any mode', () => {
    expect(
      effects([
        policy({ tools: { 'get-*': 'ask', 'get-issue': 'auto' } }),
        policy({ tools: { 'get-*': 'auto', '*': 'ask' } }),
        policy({ tools: { '*': 'ask', 'get-*': 'auto' } }, { flag: 'auto' }),
        policy({ tools: { other: 'auto' } }),
      ]),
    ).toEqual(['allow', 'allow', 'ask', 'ask']);
  });

  test('--yes takes every spelling and patterns; a pattern does not lift an ask rule, an exact name does', () => {
    const yes = (...patterns: string[]) => policy({}, { yes: patterns });
    expect(
      effects([
        yes('gh/get-issue'),
        yes('gh_get_issue'),
        yes('get-issue'),
        yes('gh.get-issue'),
        yes('gh/*'),
        yes('gh/get_issue'),
        yes('other/*'),
        policy({ tools: { 'get-issue': 'ask' } }, { yes: ['gh/*'] }),
        policy({ tools: { 'get-issue': 'ask' } }, { yes: ['gh/get-issue'] }),
      ]),
    ).toEqual(['allow', 'allow', 'allow', 'allow', 'allow', 'ask', 'ask', 'ask', 'allow']);
    expect(decide(request(), yes('gh/*')).why).toBe('--yes gh/*');
  });

  test('a bare wildcard is no consent', () => {
    expect(effects([policy({}, { yes: ['*', '**', '*/*', '?*'] })])).toEqual(['ask']);
    for (const pattern of ['*', '*/*', '']) {
      expect(() =>
        createPolicy([], { permissions: 'ask' }, { permissions: undefined, yes: [pattern] }),
      ).toThrow(UsageError);
    }
  });

  test('--permissions replaces every mode', () => {
    expect([
      decide(request(), policy({ mode: 'ask' }, { flag: 'auto' })),
      decide(request(), policy({ mode: 'auto' }, { flag: 'ask' })),
    ]).toEqual([
      { effect: 'allow', why: '--permissions auto' },
      { effect: 'ask', why: '--permissions ask' },
    ]);
  });

  test("the user's own call and a session grant are consent", () => {
    const strict = policy({ mode: 'ask', tools: { 'get-issue': 'ask' } });
    expect([
      decide(request({ origin: 'user' }), strict),
      decide(request(), strict, true),
      decide(request({ origin: 'router' }), strict),
    ]).toEqual([
      { effect: 'allow', why: 'typed by the user' },
      { effect: 'allow', why: 'allowed for this session' },
      { effect: 'ask', why: 'toolPermissions: {"get-issue": ask} of server gh' },
    ]);
  });

  test('PERM-03: annotations widen nothing unless they are trusted, and then only a read-only claim', () => {
    const reads = { readOnlyHint: true };
    const trusting = policy({ trustsAnnotations: true });
    expect([
      decide(request({ annotations: reads }), policy()).effect,
      decide(request({ annotations: reads }), trusting),
      decide(request({ annotations: { readOnlyHint: true, destructiveHint: true } }), trusting)
        .effect,
      decide(request({ annotations: { destructiveHint: false } }), trusting).effect,
      decide(request(), trusting).effect,
      decide(
        request({ annotations: reads }),
        policy({ trustsAnnotations: true, tools: { '*': 'ask' } }),
      ).effect,
    ]).toEqual([
      'ask',
      { effect: 'allow', why: 'trustAnnotations of gh: readOnlyHint' },
      'ask',
      'ask',
      'ask',
      'ask',
    ]);
  });

  test('the remedy is the flag or line that would allow it', () => {
    const remedy = (asked: PermissionRequest, rules: PermissionPolicy) =>
      remedyFor(asked, decide(asked, rules));
    const asked = request();
    expect([
      remedy(asked, policy()),
      remedy(request({ tool: "it's" }), policy()),
      remedy(asked, policy({ tools: { '*': 'deny' } })),
      remedy(asked, policy({ mode: 'auto' })),
    ]).toEqual([
      '--yes gh/get-issue',
      "--yes 'gh/it'\\''s'",
      'take the rule out of the config: toolPermissions: {"*": deny} of server gh',
      undefined,
    ]);
    // What the remedy names does allow the call, also against an ask rule.
    expect(effects([policy({ tools: { '*': 'ask' } }, { yes: ['gh/get-issue'] })])).toEqual([
      'allow',
    ]);
  });

  test('every decision of the configuration names its line where it is known', () => {
    const places = new Map([
      ['gh.permissions', 'c.yaml:4'],
      ['gh.trustAnnotations', 'c.yaml:5'],
      ['gh.toolPermissions.get-*', 'c.yaml:7'],
    ]);
    const reads = request({ annotations: { readOnlyHint: true } });
    expect([
      decide(request(), policy({ mode: 'auto' }, { places })).why,
      decide(reads, policy({ mode: 'ask', trustsAnnotations: true }, { places })).why,
      decide(request(), policy({ tools: { 'get-*': 'deny' } }, { places })).why,
    ]).toEqual([
      'c.yaml:4 permissions: auto of server gh',
      'c.yaml:5 trustAnnotations of gh: readOnlyHint',
      'c.yaml:7 toolPermissions: {"get-*": deny} of server gh',
    ]);
  });
});
