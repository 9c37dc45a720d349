/** Which proxy of the environment a WebSocket goes through; `fetch` sees to that by itself. */
import { hostKind } from '../base/address.ts';
import { type Env, envValue } from '../base/env.ts';

/**
 * The proxy for `url` (ws or wss), by HTTP_PROXY, HTTPS_PROXY and NO_PROXY in either case; `undefined`:
 * none. Never for loopback. An entry of NO_PROXY is `*`, a host, or a domain with all below it, with or
 * without a port.
 */
export function proxyFor(url: URL, env: Env): string | undefined {
  if (hostKind(url.hostname) === 'loopback') return undefined;
  const proxy = either(env, url.protocol === 'wss:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === undefined) return undefined;
  const excluded = (either(env, 'NO_PROXY') ?? '').split(',').map((entry) => entry.trim());
  return excluded.some((entry) => isExcluded(entry, url)) ? undefined : proxy;
}

function isExcluded(entry: string, url: URL): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  const [, written = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const domain = written.replace(/^\*?\./, '');
  const ownPort = url.port === '' ? (url.protocol === 'wss:' ? '443' : '80') : url.port;
  const isPort = port === undefined || port === ownPort;
  return isPort && (url.hostname === domain || url.hostname.endsWith(`.${domain}`));
}

function either(env: Env, name: string): string | undefined {
  const value = envValue(env, name.toLowerCase()) ?? envValue(env, name);
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
