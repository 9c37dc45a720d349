/**
 * oidc-provider, an authorization server that others wrote, in front of a server on the SDK: registration, PKCE,
 * rotation, device flow, DPoP and resource indicators are its own. Tokens are looked up in its store.
 */
import { createServer, type RequestListener } from 'node:http';
import { type ModernServer, startModernSdk } from '../fixtures/servers/modern-sdk.ts';

export interface OidcOptions {
  /** Life of an access token in seconds. Default 3600. */
  readonly accessSeconds?: number;
  /** Bound to a key; `nonce`: proofs need one. Default: bearer. */
  readonly dpop?: 'plain' | 'nonce';
  /** Refresh tokens only with offline_access, which needs a consent. Default false: always. */
  readonly strictOffline?: boolean;
}

export interface OidcPeer extends AsyncDisposable {
  /** The MCP endpoint. */
  readonly url: string;
  readonly issuer: string;
  /** Method and path of what the provider was asked, in order; the grant of a token request behind it. */
  readonly asked: readonly string[];
  /** The server behind the check. */
  readonly modern: ModernServer;
  /** Access tokens that it gave out so far are refused from now on. */
  expire(): void;
}

/** Scope that each tool needs; all else needs the first one. */
export const SCOPES = { list: 'mcp:read', region: 'mcp:write' } as const;

/** The part of the provider that is used here. */
interface Provider {
  callback(): RequestListener;
  on(event: string, listener: (...details: readonly unknown[]) => void): void;
  readonly AccessToken: { find(token: string): Promise<AccessToken | undefined> };
}

interface AccessToken {
  readonly scope?: string;
  readonly aud?: string;
  readonly jkt?: string;
}

/** Starts the provider and the server it protects; the caller disposes of both. */
export async function startOidcPeer(options: OidcOptions = {}): Promise<OidcPeer> {
  const asked: string[] = [];
  let listener: RequestListener = (_request, response) => response.end();
  const http = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const issuer = `http://127.0.0.1:${port}`;
  const modern = startModernSdk();
  const refused = new Set<string>();
  const given = new Set<string>();
  const gate = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const url = new URL(request.url);
      if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) {
        return Response.json({
          resource,
          authorization_servers: [issuer],
          scopes_supported: [SCOPES.list],
          ...(options.dpop === undefined ? {} : { dpop_bound_access_tokens_required: true }),
        });
      }
      const token = (request.headers.get('authorization') ?? '').split(' ')[1] ?? '';
      given.add(token);
      const known = refused.has(token) ? undefined : await provider.AccessToken.find(token);
      if (known === undefined || known.aud !== resource) return challenge(401);
      if ((known.jkt !== undefined) !== request.headers.has('dpop')) return challenge(401);
      const text = await request.text();
      const needed = text.includes('"region"') ? SCOPES.region : SCOPES.list;
      if (known.scope?.split(' ').includes(needed) !== true) {
        return challenge(403, `error="insufficient_scope", scope="${needed}", `);
      }
      const body = request.method === 'POST' ? { body: text } : {};
      return fetch(modern.url, { method: request.method, headers: request.headers, ...body });
    },
  });
  const origin = `http://127.0.0.1:${gate.port}`;
  const resource = `${origin}/mcp`;
  const challenge = (status: number, error = '') => {
    const scheme = options.dpop === undefined ? 'Bearer' : 'DPoP';
    const where = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const header = `${scheme} ${error}${where}`;
    return new Response(null, { status, headers: { 'www-authenticate': header } });
  };
  const provider = await createProvider(issuer, resource, options);
  listener = provider.callback();
  provider.on('server_error', (_context, error) => asked.push(`server_error ${String(error)}`));
  provider.on('grant.success', (context) => asked.push(`granted ${grantOf(context)}`));
  provider.on('grant.error', (_context, error) => asked.push(`grant.error ${String(error)}`));
  return {
    url: resource,
    issuer,
    asked,
    modern,
    expire: () => {
      for (const token of given) refused.add(token);
    },
    [Symbol.asyncDispose]: async () => {
      await gate.stop(true);
      await modern[Symbol.asyncDispose]();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function createProvider(
  issuer: string,
  resource: string,
  options: OidcOptions,
): Promise<Provider> {
  // It comes without declarations: the interface above is what its documentation promises.
  const name: string = 'oidc-provider';
  const { Provider } = (await import(name)) as {
    readonly Provider: new (issuer: string, configuration: object) => Provider;
  };
  const scope = Object.values(SCOPES).join(' ');
  const accessTokenTTL = options.accessSeconds ?? 3600;
  return new Provider(issuer, {
    scopes: ['openid', 'offline_access'],
    cookies: { keys: ['cookies of a test'] },
    rotateRefreshToken: true,
    pkce: { required: () => true },
    ...(options.strictOffline === true
      ? {}
      : {
          issueRefreshToken: (_context: unknown, client: GrantChecker) =>
            client.grantTypeAllowed('refresh_token'),
        }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: { enabled: true },
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.alloc(32, 7),
        requireNonce: () => options.dpop === 'nonce',
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope,
          audience: resource,
          accessTokenTTL,
          accessTokenFormat: 'opaque',
        }),
      },
    },
  });
}

function grantOf(context: unknown): string {
  // The context of a token request, as its documentation has it.
  const { oidc } = context as {
    readonly oidc: { readonly params: Readonly<Record<string, string>> };
  };
  return oidc.params['grant_type'] ?? '';
}

interface GrantChecker {
  grantTypeAllowed(type: string): boolean;
}
