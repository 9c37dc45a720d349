/** Who is signed in to, from what the configuration says. */
import { shellWord } from '../base/shell.ts';
import type { LoginConfig } from '../config/types.ts';
import type { OAuthSettings, Subject } from './types.ts';

/** An MCP server. `words`: what a person types for it, ready for a shell; default its name. */
export function serverSubject(
  name: string,
  url: string,
  settings: OAuthSettings,
  words = shellWord(name),
): Subject {
  return {
    label: `server "${name}"`,
    command: `usher mcp login ${words}`,
    key: keyOf(canonicalUrl(url), settings),
    url,
    settings,
  };
}

/** A login that `logins:` describes. */
export function loginSubject(name: string, login: LoginConfig): Subject {
  const { issuer, resource } = login;
  return {
    label: `login "${name}"`,
    command: `usher login ${shellWord(name)}`,
    key: keyOf(`login:${name}`, login),
    url: undefined,
    ...(issuer === undefined ? {} : { issuer }),
    ...(resource === undefined ? {} : { resource }),
    settings: login,
  };
}

/** Without fragment and query, which may hold a key; the path as it is. */
export function canonicalUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/** Another client, or a sign-in without a person, is another identity at the same address. */
function keyOf(base: string, { clientId, grant }: OAuthSettings): string {
  const isPerson = grant === undefined || grant === 'authorization_code' || grant === 'device_code';
  if (isPerson && clientId === undefined) return base;
  return `${base}#${isPerson ? 'client' : grant}=${clientId ?? ''}`;
}
