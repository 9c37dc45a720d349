/**
 * What the rooms of `auth` hand each other on the way from a refused request to a token. Times are
 * milliseconds since 1970 (`Clock.date()`). Nothing in here may be logged: tokens and secrets are in it.
 */
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import type { Fetch } from '../base/http.ts';
import type { JsonObject } from '../base/json.ts';
import type { ServerAuth } from '../config/types.ts';
import type { LogSink } from '../transport/types.ts';

/** As configured, absent means the default of each. */
export type OAuthSettings = Omit<Extract<ServerAuth, { readonly type: 'oauth' }>, 'type'>;

/** What is signed in to: an MCP server, or a login that `logins:` describes. */
export interface Subject {
  /** For texts: `server "github"`, `login "work"`. */
  readonly label: string;
  /** The exact command that signs in: `usher mcp login github`. */
  readonly command: string;
  /** What its tokens are kept under; no secret: `https://host/mcp`, `login:work`. */
  readonly key: string;
  /** The MCP endpoint; `undefined` for a named login. */
  readonly url: string | undefined;
  /** Of a named login: where its authorization server is. */
  readonly issuer?: string;
  /** Of a named login: sent as `resource`; absent: none. */
  readonly resource?: string;
  readonly settings: OAuthSettings;
}

export interface AuthPorts {
  readonly clock: Clock;
  readonly env: Env;
  /** Guarded (`routeFetch`): an address that a server names is checked before anything is sent. */
  readonly fetch: Fetch;
  readonly log: LogSink;
}

/** What a server says in `WWW-Authenticate`. @see RFC 6750 3, RFC 9728 5.1, RFC 9449 7.1 */
export interface Challenge {
  readonly scheme: 'bearer' | 'dpop';
  readonly error: string | undefined;
  readonly description: string | undefined;
  readonly scope: string | undefined;
  /** `resource_metadata`, as sent. */
  readonly resourceMetadata: string | undefined;
}

/** The authorization server's metadata document, checked. @see RFC 8414 2 */
export interface ServerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint: string;
  readonly registration_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  readonly scopes_supported?: readonly string[];
  readonly grant_types_supported?: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly code_challenge_methods_supported?: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly client_id_metadata_document_supported?: boolean;
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** Who gives tokens for a server, and what for. */
export interface Discovery {
  /** Sent as `resource` (RFC 8707), as the metadata has it; the server's URL without metadata; `undefined` for a named login. */
  readonly resource: string | undefined;
  /** `scopes_supported` of the protected resource; `undefined` when it lists none. */
  readonly resourceScopes: readonly string[] | undefined;
  readonly metadata: ServerMetadata;
  /** No metadata of the protected resource: the rules of MCP 2025-03-26 hold. */
  readonly isLegacy: boolean;
}

export type ClientMethod =
  | 'none'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt';

/** Who we are to one authorization server. */
export interface RegisteredClient {
  readonly clientId: string;
  /** Of a dynamic registration only; a configured one stays in its variable. */
  readonly clientSecret?: string;
  readonly method: ClientMethod;
  readonly kind: 'configured' | 'cimd' | 'dcr';
  /** The callback it was registered with. */
  readonly redirectUri?: string;
  /** What it was registered for; absent: nothing was said. */
  readonly scope?: string;
  /** When its secret ends; absent: never. */
  readonly secretExpiresAt?: number;
}

export interface Tokens {
  readonly accessToken: string;
  readonly type: 'bearer' | 'dpop';
  readonly refreshToken?: string;
  /** Granted, separated by spaces: as answered, else as asked for; absent: none was asked for. */
  readonly scope?: string;
  /** Absent: not said. */
  readonly expiresAt?: number;
}

/** The private key of DPoP proofs as JWK; P-256. */
export type DpopKey = JsonObject;

/** What is kept of one sign-in: enough to refresh it without asking anybody where. */
export interface StoredLogin {
  /** `Subject.key`. */
  readonly key: string;
  readonly resource?: string;
  readonly metadata: ServerMetadata;
  readonly client: RegisteredClient;
  readonly tokens: Tokens;
  readonly dpopKey?: DpopKey;
  /** Scopes that were asked for in vain; they are not asked for again by themselves. */
  readonly refusedScopes?: readonly string[];
  readonly savedAt: number;
}

export interface LoginStore {
  /** `undefined`: none is kept. Throws FailedError, with what to do, for a file that cannot be trusted. */
  read(key: string): Promise<StoredLogin | undefined>;
  write(login: StoredLogin): Promise<void>;
  /** False: there was none. */
  remove(key: string): Promise<boolean>;
  /** Keys that are kept, sorted. */
  list(): Promise<readonly string[]>;
  /** Runs `work` while no other process works on `key`; waits at most 25 s, then rejects with LimitError. */
  alone<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** How a sign-in that needs a person reaches one. */
export interface Interaction {
  /** Opens an address in a browser; resolves to false when nothing could be started. `undefined`: not wanted. */
  readonly openUrl: ((url: string) => Promise<boolean>) | undefined;
  /** Lines for the person, on stderr. */
  readonly tell: (lines: readonly string[]) => void;
  /** What the person pastes: the redirected URL or the code. `undefined`: nobody can. */
  readonly readPaste: ((signal: AbortSignal) => Promise<string>) | undefined;
}
