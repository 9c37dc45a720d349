/** Where the answer of a browser is waited for: the address that is sent, and what is listened on for it. */
import { ConfigError } from '../base/errors.ts';
import type { OAuthSettings } from './types.ts';

export interface CallbackAddress {
  /** Sent as it is; `undefined`: made from the port that was got. */
  readonly redirectUri: string | undefined;
  /** Loopback addresses to bind, the first one at any rate. */
  readonly hosts: readonly string[];
  /** 0: a free one. */
  readonly port: number;
  /** When that port is taken any other does as well. */
  readonly isOptional: boolean;
  readonly path: string;
}

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PATH = '/callback';

/**
 * `callbackUrl` as it is, else `callbackPort`, else the port of `preferredRedirectUri` (an earlier registration),
 * else a free one.
 * ConfigError for a `callbackUrl` that is not http on `localhost`, 127.x.x.x or `[::1]`.
 */
export function callbackAddress(
  settings: OAuthSettings,
  preferredRedirectUri: string | undefined,
): CallbackAddress {
  const { callbackUrl, callbackPort = 0 } = settings;
  if (callbackUrl !== undefined) return configuredAddress(callbackUrl);
  const base = { redirectUri: undefined, hosts: [DEFAULT_HOST], path: DEFAULT_PATH };
  if (callbackPort !== 0) return { ...base, port: callbackPort, isOptional: false };
  const port = preferredPort(preferredRedirectUri);
  return { ...base, port: port ?? 0, isOptional: port !== undefined };
}

function configuredAddress(callbackUrl: string): CallbackAddress {
  const url = URL.canParse(callbackUrl) ? new URL(callbackUrl) : undefined;
  if (url === undefined) throw refused(callbackUrl, 'is no URL');
  if (url.protocol !== 'http:') throw refused(callbackUrl, 'must be http');
  if (url.username !== '' || url.password !== '') throw refused(callbackUrl, 'holds a user name');
  if (callbackUrl.includes('#')) throw refused(callbackUrl, 'holds a fragment');
  const hosts = hostsOf(url.hostname);
  if (hosts === undefined) throw refused(callbackUrl, 'has a host that is not this machine');
  const port = url.port === '' ? 80 : Number(url.port);
  if (port === 0) throw refused(callbackUrl, 'needs a port');
  return {
    redirectUri: callbackUrl,
    hosts,
    port,
    isOptional: false,
    path: url.pathname,
  };
}

function hostsOf(hostname: string): readonly string[] | undefined {
  if (hostname === 'localhost') return [DEFAULT_HOST, '::1'];
  if (hostname === '[::1]') return ['::1'];
  // The URL parser has made four numbers of any spelling of an IPv4 address.
  return /^127(\.\d+){3}$/.test(hostname) ? [hostname] : undefined;
}

/** Only of an address of our own making; any other was of settings that have changed. */
function preferredPort(redirectUri: string | undefined): number | undefined {
  const match = /^http:\/\/127\.0\.0\.1:(\d{1,5})\/callback$/.exec(redirectUri ?? '');
  const port = Number(match?.[1] ?? 0);
  return port > 0 && port < 65_536 ? port : undefined;
}

function refused(callbackUrl: string, why: string): ConfigError {
  return new ConfigError(`callbackUrl ${JSON.stringify(callbackUrl)} ${why}`, {
    hint: 'an address of this machine, such as http://localhost:8765/callback',
  });
}
