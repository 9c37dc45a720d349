/** The environment of a server process: an allowlist, never all of ours. Source: design, "Safety". */
import type { Env } from '../base/env.ts';

const NAMES = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'TZ',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
]);
const PREFIXES = ['LC_', 'XDG_', 'SSL_CERT_'];
const PROXIES = new Set(['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']);

/**
 * Our variables that are on the list or in `pass`, then those of the configuration. Proxies come without
 * their userinfo; with a name in `pass` they come as they are.
 */
export function serverEnv(
  own: Env,
  configured: Readonly<Record<string, string>>,
  pass: readonly string[],
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    if (pass.includes(name) || isListed(name)) env[name] = value;
    else if (PROXIES.has(name.toLowerCase())) env[name] = withoutUserinfo(value);
  }
  return { ...env, ...configured };
}

function isListed(name: string): boolean {
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** `http://user:secret@proxy:1` as well as `user:secret@proxy:1`. */
function withoutUserinfo(proxy: string): string {
  return proxy.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/@]*@/i, '$1');
}
