/** A website on loopback that answers as told and remembers who asked for what. */

import type { AuthPorts, OAuthSettings, Subject } from '../../src/auth/types.ts';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import type { Fetch } from '../../src/base/http.ts';
import { routeFetch } from '../../src/base/route.ts';

export interface SiteReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything but a text becomes JSON with its content type. */
  readonly body?: unknown;
}

export interface Site extends AsyncDisposable {
  readonly origin: string;
  /** `METHOD /path?query`, oldest first. */
  readonly asked: readonly string[];
  /** Bodies of POST requests, oldest first. */
  readonly posted: readonly string[];
  /** What the next requests get; any other path gets 404. */
  serve(routes: Readonly<Record<string, SiteReply | (() => Response)>>): void;
}

export function startSite(host = 'localhost'): Site {
  const asked: string[] = [];
  const posted: string[] = [];
  let routes: Readonly<Record<string, SiteReply | (() => Response)>> = {};
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      asked.push(`${request.method} ${pathname}${search}`);
      if (request.method === 'POST') posted.push(await request.text());
      const reply = routes[pathname] ?? { status: 404, body: 'Not Found' };
      if (typeof reply === 'function') return reply();
      const { status = 200, headers = {}, body = '' } = reply;
      return typeof body === 'string'
        ? new Response(body, { status, headers })
        : Response.json(body, { status, headers });
    },
  });
  return {
    origin: `http://${host}:${server.port}`,
    asked,
    posted,
    serve(next) {
      routes = next;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export const plainFetch: Fetch = (url, init) => fetch(url, init);

/** The real guard over the real fetch; `said` collects the log. */
export function loginPorts(
  changes: Partial<AuthPorts> = {},
): AuthPorts & { readonly said: readonly string[] } {
  const said: string[] = [];
  return {
    clock: systemClock,
    env: {},
    fetch: routeFetch(plainFetch, { env: {} }),
    log: (level, message) => {
      if (level !== 'debug') said.push(`${level}: ${message}`);
    },
    ...changes,
    said,
  };
}

export function serverAt(url: string | undefined, settings: OAuthSettings = {}): Subject {
  return {
    label: url === undefined ? 'login "work"' : 'server "s1"',
    command: 'usher mcp login s1',
    key: url ?? 'login:work',
    url,
    settings,
  };
}

/** What it rejects with, as a person sees it. */
export async function refusalOf(work: Promise<unknown>) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { name, message, hint } = error;
    return { name, message, hint };
  }
  throw new Error('nothing was refused');
}
