/** Which scopes a sign-in asks for. Texts separated by spaces, as in RFC 6749 3.3. */
import type { Challenge, Discovery, OAuthSettings, StoredLogin } from './types.ts';

export interface ScopeWish {
  readonly settings: OAuthSettings;
  readonly discovery: Discovery;
  readonly challenge: Challenge | undefined;
  /** What was granted before at the same authorization server. */
  readonly kept: StoredLogin | undefined;
  /** Asked for by the person beside all others. */
  readonly extra: string | undefined;
}

const OFFLINE = 'offline_access';

/**
 * The configured ones, else those of the challenge, else those that the resource lists, else none. With what was
 * granted before, so that nothing is lost, beside configured ones for a step-up alone: a person may narrow them.
 * `offline_access` only where the authorization server lists it. Source: MCP authorization, scope selection.
 */
export function scopeToAsk(wish: ScopeWish): string | undefined {
  const { settings, discovery, challenge, kept, extra } = wish;
  const { scopes_supported: supported } = discovery.metadata;
  const asked = [challenge?.scope, discovery.resourceScopes?.join(' ')].find(
    (scope) => scopesOf(scope).length > 0,
  );
  const first =
    settings.scope === undefined
      ? scopesOf(asked).filter((scope) => scope !== OFFLINE || supported?.includes(OFFLINE))
      : scopesOf(settings.scope);
  const isStepUp = challenge?.error === 'insufficient_scope';
  const all = [
    ...(settings.scope === undefined || isStepUp ? scopesOf(kept?.tokens.scope) : []),
    ...first,
    ...(isStepUp ? scopesOf(challenge?.scope) : []),
    ...scopesOf(extra),
  ];
  if (all.length === 0) return undefined;
  // A sign-in that can be refreshed; alone it would be all that is asked for.
  if (settings.scope === undefined && supported?.includes(OFFLINE)) all.push(OFFLINE);
  return [...new Set(all)].join(' ');
}

/** True when `wanted` holds a scope that is in none of `had`. */
export function lacksScope(wanted: string | undefined, ...had: (string | undefined)[]): boolean {
  const known = had.flatMap(scopesOf);
  return scopesOf(wanted).some((scope) => !known.includes(scope));
}

export function scopesOf(text: string | undefined): readonly string[] {
  return text?.split(/\s+/).filter((scope) => scope !== '') ?? [];
}
