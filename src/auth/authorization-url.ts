/**
 * Where a person is sent to sign in, and what is kept to know the answer by.
 * @see RFC 6749 4.1.1, RFC 7636 4.3 (PKCE), RFC 8707 2.1 (resource), RFC 9449 10 (dpop_jkt)
 */
import { AuthError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import type { Discovery, RegisteredClient, Subject } from './types.ts';

export interface AuthorizationTarget {
  readonly subject: Subject;
  readonly discovery: Discovery;
  readonly client: RegisteredClient;
  /** Sent only when defined. */
  readonly scope: string | undefined;
  readonly redirectUri: string;
  /** Thumbprint of the key that tokens will be bound to. */
  readonly dpopJkt?: string;
}

export interface StartedAuthorization {
  readonly url: string;
  readonly state: string;
  /** PKCE; secret. */
  readonly verifier: string;
}

/** Servers take 8 KiB and terminals less; a hostile list of scopes would fill the screen. */
const MAX_CHARACTERS = 16 * 1024;

/**
 * A fresh address with its `state` and PKCE verifier. The endpoint's own parameters stay. AuthError when the server
 * has no usable authorization endpoint, is not known to support PKCE with S256, or lists too much to ask for.
 */
export function startAuthorization(target: AuthorizationTarget): StartedAuthorization {
  const { subject, discovery, client, scope, redirectUri, dpopJkt } = target;
  checkPkce(subject, discovery);
  const url = endpointOf(subject, discovery);
  const state = randomText();
  const verifier = randomText();
  registerSecret(verifier);
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    scope,
    resource: discovery.resource,
    dpop_jkt: dpopJkt,
    // Without it OpenID providers give no refresh token. @see OpenID Connect Core 11
    prompt: scope?.split(' ').includes('offline_access') ? 'consent' : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  if (url.href.length > MAX_CHARACTERS) {
    throw new AuthError(`${subject.label}: the address to sign in at is longer than 16 KiB`, {
      hint: 'scope in its auth says which scopes to ask for, in place of all that the server lists',
    });
  }
  return { url: url.href, state, verifier };
}

/** @see MCP 2025-11-25 authorization, "Authorization Code Protection": without the list a client must refuse. */
function checkPkce(subject: Subject, { metadata, isLegacy }: Discovery): void {
  const methods = metadata.code_challenge_methods_supported;
  if (methods === undefined ? isLegacy : methods.includes('S256')) return;
  const why =
    methods === undefined
      ? 'does not say that it supports PKCE'
      : 'does not support PKCE with the method S256';
  throw new AuthError(`${subject.label}: its authorization server ${metadata.issuer} ${why}`, {
    hint: 'only its operator can mend that: code_challenge_methods_supported must list S256',
  });
}

function endpointOf(subject: Subject, { metadata }: Discovery): URL {
  const endpoint = metadata.authorization_endpoint;
  const server = `${subject.label}: its authorization server ${metadata.issuer}`;
  if (endpoint === undefined) {
    throw new AuthError(`${server} has no authorization endpoint`, {
      hint: 'set auth.grant to a way that it offers, such as device_code or client_credentials',
    });
  }
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '') {
    throw new AuthError(`${server} names an authorization endpoint that is not opened`, {
      hint: 'only http and https addresses without a user name are',
    });
  }
  url.hash = '';
  return url;
}

/** 256 random bits. */
function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher('sha256').update(verifier).digest('base64url');
}
