/**
 * The way to one server: its proxy, its certificates, the addresses its name may lead to, whether it may
 * redirect. Wraps `fetch`, so that nobody above has to know.
 */
import { raceAbort } from './abort.ts';
import { hostKind, isIPv6 } from './address.ts';
import { systemClock } from './clock.ts';
import type { Env } from './env.ts';
import { AppError } from './errors.ts';
import { createGuard, type Guard } from './guard.ts';
import type { Fetch, FetchInit, Route } from './http.ts';
import { describeNetworkFailure, ProxiedError } from './network-failure.ts';
import { proxyFor } from './proxy.ts';
import { quickestAddress } from './quickest.ts';
import { type Resolve, systemResolve } from './resolve.ts';
import { readTlsFiles, type TlsFiles, type TlsTexts } from './tls-files.ts';

export interface RouteOptions {
  readonly env: Env;
  /** A URL, or `none`; `undefined`: as the environment says. */
  readonly proxy?: string | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Default `same-origin`: 307 and 308 within the origin are followed. */
  readonly redirects?: 'same-origin' | 'refuse' | undefined;
  /** True: addresses are not checked, and the runtime resolves. Default false. */
  readonly allowPrivate?: boolean | undefined;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Milliseconds that never go back. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/**
 * `fetch` over this way. Rejects as `fetch` does; behind a proxy with ProxiedError; with ConfigError for
 * a proxy or certificate file that cannot be used; with RefusedAddressError before anything is sent to an
 * address that is not public (loopback by its own name or number is allowed; behind a proxy, which
 * resolves names itself, only hosts written as numbers are checked). The files are read once.
 */
export function routeFetch(fetch: Fetch, options: RouteOptions): Fetch {
  let reading: Promise<TlsTexts> | undefined;
  let guard: Guard | undefined;
  const route = async (url: URL): Promise<Route> => {
    const proxy = proxyFor(url, options.proxy, options.env);
    if (options.tls !== undefined) reading ??= readTlsFiles(options.tls);
    const way = { proxy, tls: await reading };
    const kind = hostKind(url.hostname);
    const isUnchecked = kind === 'loopback' || (kind === 'name' && proxy !== undefined);
    if (isUnchecked || options.allowPrivate === true) return way;
    guard ??= guardOf(options);
    return { ...way, addresses: await guard.addressesOf(url) };
  };
  const routed: Fetch = async (text, init) => {
    const url = new URL(text);
    const { proxy: by, tls, addresses } = await raceAbort(route(url), init.signal);
    const way = { proxy: by?.url ?? (false as const), ...(tls === undefined ? {} : { tls }) };
    if (by === undefined) {
      return addresses === undefined
        ? fetch(text, { ...init, ...way })
        : fetchAt(fetch, url, addresses, { ...init, ...way }, guard);
    }
    try {
      const response = await fetch(text, { ...init, ...way });
      // A plain http request has no tunnel: the refusal is the proxy's own.
      if (response.status === 407) throw new Error('the proxy asks for a login (407)');
      return response;
    } catch (cause) {
      init.signal.throwIfAborted();
      throw new ProxiedError(by, url.hostname, cause);
    }
  };
  return Object.assign(routed, { route, redirects: options.redirects ?? ('same-origin' as const) });
}

/** The URL with an address in place of its name, what the request has to say about the name, and the certificate's. */
export function atAddress(
  url: URL,
  address: string,
): {
  readonly href: string;
  readonly host: string;
  readonly tls: { readonly serverName: string } | undefined;
} {
  const direct = new URL(url);
  direct.hostname = isIPv6(address) ? `[${address}]` : address;
  const isSecure = /^(https|wss):$/.test(url.protocol);
  return {
    href: direct.href,
    host: url.host,
    tls: isSecure ? { serverName: url.hostname.replace(/\.$/, '') } : undefined,
  };
}

/** The failures of which no byte was read by anybody: another address may do better. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AppError) return false;
  const { isUnsent, isCertificate, code } = describeNetworkFailure(error);
  return isUnsent && !isCertificate && code !== 'EPROTO';
}

/** The addresses in turn until one takes the request. */
async function fetchAt(
  fetch: Fetch,
  url: URL,
  addresses: readonly string[],
  init: FetchInit,
  guard: Guard | undefined,
): Promise<Response> {
  let failure: unknown;
  for (const address of addresses) {
    const at = atAddress(url, address);
    const headers = { ...init.headers, host: at.host };
    const tls = at.tls === undefined ? {} : { tls: { ...init.tls, ...at.tls } };
    try {
      const response = await fetch(at.href, { ...init, headers, ...tls });
      guard?.report(url, address);
      // Whoever asked by name is answered by name: links in the body stand against it.
      return Object.defineProperty(response, 'url', { value: url.href });
    } catch (error) {
      init.signal.throwIfAborted();
      failure = error;
      if (!isUnreachable(error)) break;
    }
  }
  guard?.report(url, undefined);
  throw failure;
}

function guardOf({ resolve = systemResolve, now = systemClock.now }: RouteOptions): Guard {
  return createGuard({
    resolve,
    now,
    choose: (addresses, port) => quickestAddress(addresses, port, systemClock),
  });
}
