/**
 * The way to one server: its proxy, its certificates, whether it may redirect. Wraps `fetch`, so that
 * nobody above has to know.
 */
import type { Env } from './env.ts';
import type { Fetch, Route } from './http.ts';
import { ProxiedError } from './network-failure.ts';
import { proxyFor } from './proxy.ts';
import { readTlsFiles, type TlsFiles, type TlsTexts } from './tls-files.ts';

export interface RouteOptions {
  readonly env: Env;
  /** A URL, or `none`; `undefined`: as the environment says. */
  readonly proxy?: string | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Default `same-origin`: 307 and 308 within the origin are followed. */
  readonly redirects?: 'same-origin' | 'refuse' | undefined;
}

/**
 * `fetch` over this way. Rejects as `fetch` does; behind a proxy with ProxiedError; with ConfigError for
 * a proxy or certificate file that cannot be used. The files are read once, at the first request.
 */
export function routeFetch(fetch: Fetch, options: RouteOptions): Fetch {
  let reading: Promise<TlsTexts> | undefined;
  const route = async (url: URL): Promise<Route> => {
    const proxy = proxyFor(url, options.proxy, options.env);
    if (options.tls !== undefined) reading ??= readTlsFiles(options.tls);
    return { proxy, tls: await reading };
  };
  const routed: Fetch = async (text, init) => {
    const url = new URL(text);
    const { proxy: by, tls } = await route(url);
    const way = { proxy: by?.url ?? (false as const), ...(tls === undefined ? {} : { tls }) };
    if (by === undefined) return fetch(text, { ...init, ...way });
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
