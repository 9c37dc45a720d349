/**
 * Decides on one call: allow, ask or deny. Pure. Order: a deny rule; the person's own call; what a person
 * granted for exactly this tool; `toolPermissions`; `--yes` patterns; `--permissions`; the server's mode;
 * built-in default; `mcp.permissions`.
 */
import { isGlob, matchesGlob } from '../base/glob.ts';
import type { PermissionMode } from '../config/types.ts';
import { isBareWildcard, type PermissionPolicy, type ServerPolicy } from './policy.ts';
import type { PermissionDecision, PermissionRequest } from './types.ts';

/**
 * The decision and, in `why`, the rule, flag or mode that made it. `isGranted`: a person allowed this tool
 * for the session. Annotations count only with `trustAnnotations`, and only from ask to allow.
 */
export function decide(
  request: PermissionRequest,
  policy: PermissionPolicy,
  isGranted = false,
): PermissionDecision {
  const server = policy.servers.get(request.server);
  const denied = denyRule(request, server);
  if (denied !== undefined)
    return { effect: 'deny', why: ruleText(request.server, denied, 'deny') };
  if (request.origin === 'user') return { effect: 'allow', why: 'typed by the user' };
  if (isGranted) return { effect: 'allow', why: 'allowed for this session' };
  const exact = policy.yes.find((entry) => !isGlob(entry) && namesTool(entry, request));
  if (exact !== undefined) return { effect: 'allow', why: `--yes ${exact}` };

  const rule = toolRule(request, server);
  if (rule !== undefined) {
    return { effect: effectOf(rule.mode), why: ruleText(request.server, rule.pattern, rule.mode) };
  }
  const pattern = policy.yes.find((entry) => !isBareWildcard(entry) && namesTool(entry, request));
  if (pattern !== undefined) return { effect: 'allow', why: `--yes ${pattern}` };

  const { mode, why } = modeOf(request.server, server, policy);
  if (mode === 'ask' && server?.trustsAnnotations === true && claimsHarmless(request)) {
    return { effect: 'allow', why: `trustAnnotations of ${request.server}: readOnlyHint` };
  }
  return { effect: effectOf(mode), why };
}

/** The flag or config line that would allow the call; `undefined` when it is allowed. */
export function remedyFor(
  request: PermissionRequest,
  decision: PermissionDecision,
): string | undefined {
  const path = `${request.server}/${request.tool}`;
  switch (decision.effect) {
    case 'allow':
      return undefined;
    case 'ask':
      return `--yes ${quoted(path)}`;
    case 'deny':
      return `take the rule out of the config: ${decision.why}`;
  }
}

function denyRule(
  request: PermissionRequest,
  server: ServerPolicy | undefined,
): string | undefined {
  return rulesFor(request, server).find((rule) => rule.mode === 'deny')?.pattern;
}

/** An exact name goes before the first matching pattern. */
function toolRule(request: PermissionRequest, server: ServerPolicy | undefined) {
  const rules = rulesFor(request, server);
  return rules.find((rule) => rule.pattern === request.tool) ?? rules[0];
}

function rulesFor(request: PermissionRequest, server: ServerPolicy | undefined) {
  return Object.entries(server?.tools ?? {}).flatMap(([pattern, mode]) =>
    pattern === request.tool || matchesGlob(pattern, request.tool) ? [{ pattern, mode }] : [],
  );
}

/** `server/tool`, the public name, `server.tool`, `mcp__server__tool`; an original name alone as well. */
function namesTool(pattern: string, request: PermissionRequest): boolean {
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
    return { mode: server.mode, why: `permissions: ${server.mode} of server ${name}` };
  }
  if (server?.isBuiltin === true) return { mode: 'auto', why: 'built-in read-only tools' };
  return { mode: policy.mode, why: `mcp.permissions: ${policy.mode}` };
}

function claimsHarmless({ annotations }: PermissionRequest): boolean {
  return annotations.readOnlyHint === true && annotations.destructiveHint !== true;
}

function effectOf(mode: 'ask' | 'auto' | 'deny'): PermissionDecision['effect'] {
  return mode === 'auto' ? 'allow' : mode;
}

function ruleText(server: string, pattern: string, mode: string): string {
  return `toolPermissions: {${JSON.stringify(pattern)}: ${mode}} of server ${server}`;
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
