/**
 * Decides on one call: allow, ask or deny. Pure. Whatever denies goes first: a rule, `toolPermissions`, a
 * hook. Then: the person's own call; ask rules and hooks; what a person granted for exactly this tool; an
 * exact `--yes`; allow rules and hooks; `toolPermissions`; `--yes` patterns; `--permissions`; the server's
 * mode; built-in default; `mcp.permissions`. An ask rule gives way to an exact `--yes` and to a grant that
 * was given at its own question.
 */
import { type CallRule, rulesThatHold, showRule } from '../base/call-rules.ts';
import { isGlob, matchesGlob } from '../base/glob.ts';
import type { JsonObject } from '../base/json.ts';
import type { PermissionMode } from '../config/types.ts';
import { isBareWildcard, type PermissionPolicy, type ServerPolicy } from './policy.ts';
import type { GrantKind, HookVerdict, PermissionDecision, PermissionRequest } from './types.ts';

/** A request; `arguments: undefined` where they are not known yet: rules that look at them do not hold then. */
export interface Asked extends Omit<PermissionRequest, 'arguments'> {
  readonly arguments: JsonObject | undefined;
}

export interface Facts {
  /** What a person granted for this tool; `scope` is that of the decision, '' for the tool alone. */
  readonly granted?: (scope: string) => GrantKind | 'free' | undefined;
  /** What hooks said about this call. */
  readonly hooks?: readonly HookVerdict[];
}

export interface Decision extends PermissionDecision {
  /** The ask rules that a lasting yes is for; '' = for the tool, whatever its arguments. */
  readonly scope: string;
  /** A hook decided, which looks at each call anew: no yes to it can last. */
  readonly isHook: boolean;
  /** A hook's reason, in its own words. */
  readonly reason: string | undefined;
}

/**
 * The decision and, in `why`, the rule (with its place), flag or mode that made it. Annotations count only
 * with `trustAnnotations`, and only from ask to allow.
 */
export function decide(request: Asked, policy: PermissionPolicy, facts: Facts = {}): Decision {
  const server = policy.servers.get(request.server);
  const denied = denial(request, policy, server, facts);
  if (denied !== undefined) return denied;
  if (request.origin === 'user') return made('allow', 'typed by the user');

  const exact = policy.yes.find((entry) => !isGlob(entry) && spellsTool(entry, request));
  const hookAsks = facts.hooks?.find(({ effect }) => effect === 'ask');
  if (hookAsks !== undefined) {
    return { ...made('ask', hookAsks.why), isHook: true, reason: hookAsks.reason };
  }
  const asking = rulesThatHold(policy.rules ?? [], 'ask', request);
  const scope = scopeOf(asking);
  const granted = facts.granted?.(scope);
  if (granted !== undefined) return made('allow', GRANTED[granted]);
  if (exact !== undefined) return made('allow', `--yes ${exact}`);
  const [askRule] = asking;
  if (askRule !== undefined) return { ...made('ask', placedRule(askRule)), scope };

  const [allowRule] = rulesThatHold(policy.rules ?? [], 'allow', request);
  if (allowRule !== undefined) return made('allow', placedRule(allowRule));
  const hookAllows = facts.hooks?.find(({ effect }) => effect === 'allow');
  if (hookAllows !== undefined) return made('allow', hookAllows.why);
  return byMode(request, policy, server);
}

/** The flag or config line that would allow the call; `undefined` when it is allowed. */
export function remedyFor(
  request: Pick<PermissionRequest, 'server' | 'tool'>,
  decision: PermissionDecision & Partial<Decision>,
): string | undefined {
  const path = `${request.server}/${request.tool}`;
  switch (decision.effect) {
    case 'allow':
      return undefined;
    case 'ask':
      if (decision.isHook === true) return `a terminal to answer at: ${decision.why}`;
      return `--yes ${quoted(path)}`;
    case 'deny':
      return decision.isHook === true
        ? `another decision of your ${decision.why}`
        : `take the rule out of the config: ${decision.why}`;
  }
}

/** As people know it: `config.yaml:12 deny "github/delete_*"`. */
export function placedRule(rule: CallRule): string {
  return `${rule.place} ${showRule(rule)}`;
}

const GRANTED: Readonly<Record<GrantKind | 'free', string>> = {
  free: 'needs no approval itself; what it reads or calls is judged by its own server',
  session: 'allowed for this session',
  always: 'always allowed by you',
};

function made(effect: PermissionDecision['effect'], why: string): Decision {
  return { effect, why, scope: '', isHook: false, reason: undefined };
}

function denial(
  request: Asked,
  policy: PermissionPolicy,
  server: ServerPolicy | undefined,
  facts: Facts,
): Decision | undefined {
  const [rule] = rulesThatHold(policy.rules ?? [], 'deny', request);
  if (rule !== undefined) return made('deny', placedRule(rule));
  const pattern = rulesFor(request, server).find(({ mode }) => mode === 'deny')?.pattern;
  if (pattern !== undefined) return made('deny', ruleText(request.server, pattern, 'deny', policy));
  const hook = facts.hooks?.find(({ effect }) => effect === 'deny');
  return hook && { ...made('deny', hook.why), isHook: true, reason: hook.reason };
}

/** Independent of the order of the rules, and another one as soon as one of them changes. */
function scopeOf(rules: readonly CallRule[]): string {
  return [...new Set(rules.map(showRule))].sort().join('; ');
}

function byMode(
  request: Asked,
  policy: PermissionPolicy,
  server: ServerPolicy | undefined,
): Decision {
  const rule = toolRule(request, server);
  if (rule !== undefined) {
    return made(effectOf(rule.mode), ruleText(request.server, rule.pattern, rule.mode, policy));
  }
  const pattern = policy.yes.find((entry) => !isBareWildcard(entry) && spellsTool(entry, request));
  if (pattern !== undefined) return made('allow', `--yes ${pattern}`);

  const { mode, why } = modeOf(request.server, server, policy);
  if (mode === 'ask' && server?.trustsAnnotations === true && claimsHarmless(request)) {
    const place = placeText(`${request.server}.trustAnnotations`, policy);
    return made('allow', `${place}trustAnnotations of ${request.server}: readOnlyHint`);
  }
  return made(effectOf(mode), why);
}

/** An exact name goes before the first matching pattern. */
function toolRule(request: Asked, server: ServerPolicy | undefined) {
  const rules = rulesFor(request, server);
  return rules.find((rule) => rule.pattern === request.tool) ?? rules[0];
}

function rulesFor(request: Asked, server: ServerPolicy | undefined) {
  return Object.entries(server?.tools ?? {}).flatMap(([pattern, mode]) =>
    pattern === request.tool || matchesGlob(pattern, request.tool) ? [{ pattern, mode }] : [],
  );
}

/** `server/tool`, the public name, `server.tool`, `mcp__server__tool`; an original name alone as well. */
/** True when `--yes PATTERN` means the tool, in any of its spellings. */
export function spellsTool(
  pattern: string,
  request: Pick<Asked, 'server' | 'tool' | 'publicName'>,
): boolean {
  const { server, tool } = request;
  const spellings = [
    `${server}/${tool}`,
    request.publicName,
    tool,
    `${server}.${tool}`,
    `mcp__${server}__${tool}`,
  ];
  return spellings.some((spelling) => pattern === spelling || matchesGlob(pattern, spelling));
}

function modeOf(
  name: string,
  server: ServerPolicy | undefined,
  policy: PermissionPolicy,
): { readonly mode: PermissionMode; readonly why: string } {
  if (policy.flag !== undefined) return { mode: policy.flag, why: `--permissions ${policy.flag}` };
  if (server?.mode !== undefined) {
    const place = placeText(`${name}.permissions`, policy);
    return { mode: server.mode, why: `${place}permissions: ${server.mode} of server ${name}` };
  }
  if (server?.isBuiltin === true) return { mode: 'auto', why: 'built-in read-only tools' };
  return { mode: policy.mode, why: `mcp.permissions: ${policy.mode}` };
}

function claimsHarmless({ annotations }: Asked): boolean {
  return annotations.readOnlyHint === true && annotations.destructiveHint !== true;
}

function effectOf(mode: 'ask' | 'auto' | 'deny'): PermissionDecision['effect'] {
  return mode === 'auto' ? 'allow' : mode;
}

function ruleText(server: string, pattern: string, mode: string, policy: PermissionPolicy): string {
  const place = placeText(`${server}.toolPermissions.${pattern}`, policy);
  return `${place}toolPermissions: {${JSON.stringify(pattern)}: ${mode}} of server ${server}`;
}

/** `config.yaml:12 `, or nothing where the line is not known. */
function placeText(key: string, { places }: PermissionPolicy): string {
  const place = places?.get(key);
  return place === undefined ? '' : `${place} `;
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
