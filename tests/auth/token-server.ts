/** A token endpoint on loopback that answers as told and keeps what it was asked, and what a request needs. */

import type { TokenContext } from '../../src/auth/token-request.ts';
import type { OAuthSettings, RegisteredClient } from '../../src/auth/types.ts';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import type { Fetch } from '../../src/base/http.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Without those that every HTTP request has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

export interface TokenServer extends AsyncDisposable {
  /** Its origin, which is also its issuer. */
  readonly url: string;
  readonly asked: readonly Asked[];
}

const COMMON = new Set(['accept-encoding', 'connection', 'content-length', 'host', 'user-agent']);

/** `answer` gets the request and how many came before it. */
export function startTokenServer(
  answer: (asked: Asked, before: number) => Response | Promise<Response>,
): TokenServer {
  const asked: Asked[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const one = {
        method: request.method,
        path: new URL(request.url).pathname,
        headers: Object.fromEntries([...request.headers].filter(([name]) => !COMMON.has(name))),
        form: Object.fromEntries(new URLSearchParams(await request.text())),
      };
      asked.push(one);
      return answer(one, asked.length - 1);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const plainFetch: Fetch = (url, init) => fetch(url, init);

/** A context for `server`, at the time NOW. The lines of its log go to `log`. */
export function contextFor(
  server: string,
  more: Partial<Omit<TokenContext, 'client' | 'subject'>> & {
    readonly settings?: OAuthSettings;
    readonly client?: Partial<RegisteredClient>;
    readonly env?: Readonly<Record<string, string>>;
    readonly log?: string[];
  } = {},
): TokenContext {
  const { settings = {}, client, env = {}, log = [], ...rest } = more;
  return {
    subject: {
      label: 'server "s1"',
      command: 'usher mcp login s1',
      key: 'https://mcp.example/mcp',
      url: 'https://mcp.example/mcp',
      settings,
    },
    metadata: { issuer: server, token_endpoint: `${server}/token` },
    client: { clientId: 'client-1', method: 'none', kind: 'dcr', ...client },
    resource: 'https://mcp.example/mcp',
    scope: undefined,
    dpopKey: undefined,
    ports: {
      clock: { ...systemClock, date: () => new Date(NOW) },
      env,
      fetch: plainFetch,
      log: (level, message) => void log.push(`${level} ${message}`),
    },
    signal: new AbortController().signal,
    ...rest,
  };
}

/** What a person and a script would learn of the error that `work` rejects with; what it resolves to when it does not. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { name, message, hint, retryable, details } = error;
    return { name, message, hint, retryable, details };
  }
}

/** The parts of a compact JWS, its signature checked by `key`. */
export async function verifiedJwt(
  jwt: string,
  key: CryptoKey,
  algorithm:
    | string
    | { readonly name: string; readonly hash?: string; readonly saltLength?: number },
): Promise<{ readonly header: unknown; readonly claims: Record<string, unknown> }> {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const data = new TextEncoder().encode(`${header}.${claims}`);
  const bytes = Uint8Array.from(Buffer.from(signature, 'base64url'));
  if (!(await crypto.subtle.verify(algorithm, key, bytes, data))) throw new Error('bad signature');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { header: decode(header), claims: decode(claims) };
}
