/** Which proxy a request goes through. Knows the variables' rules, opens nothing. */
import { hostKind, isInRange } from './address.ts';
import { type Env, envValue } from './env.ts';
import { ConfigError } from './errors.ts';
import { registerSecret } from './redact.ts';

export interface ProxyWay {
  /** With userinfo, as the socket needs it. */
  readonly url: string;
  /** Without userinfo, for people. */
  readonly shown: string;
  /** `proxy:`, or the name of the variable. */
  readonly source: string;
}

/**
 * The proxy for `url` (http, https, ws, wss), `undefined` for none. `setting`: a server's `proxy:`, which
 * counts for every host; `none` keeps all away. Without it HTTP_PROXY or HTTPS_PROXY by the URL's scheme,
 * never for loopback, and not for hosts in NO_PROXY; names in lower case win. Registers the password.
 * Throws ConfigError for a value that is no proxy of ours.
 */
export function proxyFor(url: URL, setting: string | undefined, env: Env): ProxyWay | undefined {
  if (setting === 'none') return undefined;
  if (setting !== undefined) return parseProxy(setting, 'proxy:');
  if (hostKind(url.hostname) === 'loopback') return undefined;
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const [name, value] = variable(env, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (value === undefined) return undefined;
  const [, excluded = ''] = variable(env, 'NO_PROXY');
  if (excluded.split(/[\s,]+/).some((entry) => isExcluded(entry, url, isSecure))) return undefined;
  return parseProxy(value, name);
}

/** What is wrong with the text of a proxy, or `undefined`. Never shows it: it may hold a password. */
export function proxyProblem(text: string): string | undefined {
  const url = proxyUrl(text);
  if (url === undefined) return 'expected a proxy such as http://proxy.example:3128';
  return /^https?:$/.test(url.protocol)
    ? undefined
    : `a proxy of kind ${url.protocol}// is not supported; use http:// or https://`;
}

function parseProxy(text: string, source: string): ProxyWay {
  const problem = proxyProblem(text);
  const url = proxyUrl(text);
  if (url === undefined || problem !== undefined) {
    throw new ConfigError(`${source}: ${problem ?? 'not a proxy'}`);
  }
  for (const part of [url.password, decoded(url.password)]) registerSecret(part);
  return { url: url.href, shown: `${url.protocol}//${url.host}`, source };
}

/** Without a scheme it is http, as everywhere. */
function proxyUrl(text: string): URL | undefined {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  return url === undefined || url.hostname === '' ? undefined : url;
}

/**
 * `*`; a host with all below it (`host`, `.host`, `*.host`) or an address, with or without a port; a range of
 * addresses (`10.0.0.0/8`), which names are never looked up for. Source: curl's and Go's reading of NO_PROXY.
 */
function isExcluded(entry: string, url: URL, isSecure: boolean): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  if (entry.includes('/')) return isInRange(url.hostname, entry);
  const [host, port] = splitPort(entry.toLowerCase());
  const ownPort = url.port === '' ? (isSecure ? '443' : '80') : url.port;
  if (port !== undefined && port !== ownPort) return false;
  const own = bare(url.hostname);
  const wanted = bare(host.replace(/^\*?\./, ''));
  if (wanted === '') return false;
  return own === wanted || own.endsWith(`.${wanted}`) || isInRange(own, wanted);
}

/** An IPv6 address has colons of its own; with a port it stands in brackets. */
function splitPort(entry: string): readonly [host: string, port: string | undefined] {
  const isBareIpv6 = !entry.startsWith('[') && entry.split(':').length > 2;
  const match = isBareIpv6 ? null : /^(.*):(\d+)$/.exec(entry);
  return match === null ? [entry, undefined] : [match[1] ?? '', match[2]];
}

/** Without brackets and without the dot that ends an absolute name. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function variable(env: Env, name: string): readonly [name: string, value: string | undefined] {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = envValue(env, spelling)?.trim();
    if (value !== undefined && value !== '') return [spelling, value];
  }
  return [name, undefined];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
