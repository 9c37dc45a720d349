/**
 * From a refused request to the authorization server: the challenge, the metadata of the protected
 * resource, the metadata of its authorization server; where a server has none of these, the places of MCP
 * 2025-03-26. Every answer is a claim of a party that is not trusted yet.
 * @see MCP authorization 2025-11-25 and 2026-07-28, MCP 2025-03-26 authorization 2.3
 */
import { anySignal, startLimit } from '../base/abort.ts';
import { AuthError, ConfigError, ConnectError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import { addressProblem, shownUrl } from './metadata-urls.ts';
import { type ProtectedResource, readProtectedResource } from './protected-resource.ts';
import { checkAddress, loginFetch } from './request.ts';
import { findServerMetadata, type MetadataAsking, readServerMetadata } from './server-metadata.ts';
import { canonicalUrl } from './subject.ts';
import type { AuthPorts, Challenge, Discovery, ServerMetadata, Subject } from './types.ts';

/** More issuers of one document than these are not asked. */
const MAX_ISSUERS = 5;

/** 30 s for all documents: each may be slow, and a server may name many places. */
const DISCOVERY_MS = 30_000;

/**
 * Who gives tokens for `subject`. Throws AuthError for metadata that contradicts itself or names what is not
 * safe, ConfigError for settings, ConnectError, ProtocolError and LimitError (naming the address) where
 * nobody could be asked or no document came: never a fallback then. ConnectError after 30 s.
 */
export async function discover(
  subject: Subject,
  challenge: Challenge | undefined,
  ports: AuthPorts,
  signal: AbortSignal,
): Promise<Discovery> {
  const limit = startLimit(
    ports.clock,
    DISCOVERY_MS,
    () =>
      new ConnectError(`${subject.label}: finding out who signs in took longer than 30 s`, {
        retryable: true,
        details: { reason: 'timeout' },
      }),
  );
  try {
    return await discoverWithin(subject, challenge, ports, anySignal(signal, limit.signal));
  } finally {
    limit.dispose();
  }
}

async function discoverWithin(
  subject: Subject,
  challenge: Challenge | undefined,
  ports: AuthPorts,
  signal: AbortSignal,
): Promise<Discovery> {
  const { label, url } = subject;
  const asking: MetadataAsking = {
    label,
    fetch: loginFetch(ports, signal, label),
    checkAddress: (address) => checkAddress(ports.fetch, address, label),
    log: ports.log,
  };
  if (url === undefined) {
    const metadata = await loginMetadata(asking, subject);
    return { resource: undefined, resourceScopes: undefined, metadata, isLegacy: false };
  }
  const found = await readProtectedResource(asking, url, challenge?.resourceMetadata);
  if (found === undefined) {
    ports.log('debug', `${label} has no metadata of a protected resource`);
    const metadata =
      (await configuredMetadata(asking, subject, undefined)) ?? (await oldMetadata(asking, url));
    return { resource: canonicalUrl(url), resourceScopes: undefined, metadata, isLegacy: true };
  }
  const named = found.authorizationServers;
  const issuers = named.length === 0 ? undefined : named;
  let metadata: ServerMetadata;
  try {
    metadata =
      (await configuredMetadata(asking, subject, issuers)) ??
      (await namedMetadata(asking, found, url));
  } catch (error) {
    throw found.mismatch ?? error;
  }
  // Told after its authorization server was looked at, before anything is asked of that.
  if (found.mismatch !== undefined) throw found.mismatch;
  return { resource: found.resource, resourceScopes: found.scopes, metadata, isLegacy: false };
}

/** Of a login without a server: its issuer is the person's word. */
async function loginMetadata(asking: MetadataAsking, subject: Subject): Promise<ServerMetadata> {
  const { label, issuer } = subject;
  const configured = await configuredMetadata(
    asking,
    subject,
    issuer === undefined ? undefined : [issuer],
  );
  if (configured !== undefined) return configured;
  if (issuer === undefined) {
    throw new ConfigError(`${label} says nowhere who signs in`, {
      hint: 'set its issuer, or authServerMetadataUrl',
    });
  }
  checkConfigured(label, 'issuer', issuer);
  const metadata = await findServerMetadata(asking, issuer);
  if (metadata !== undefined) return metadata;
  throw noMetadata(label, shownUrl(issuer));
}

/** `undefined`: authServerMetadataUrl is not set. Its issuer has to be one of `issuers`, where there are any. */
async function configuredMetadata(
  asking: MetadataAsking,
  { label, settings }: Subject,
  issuers: readonly string[] | undefined,
): Promise<ServerMetadata | undefined> {
  const url = settings.authServerMetadataUrl;
  if (url === undefined) return undefined;
  checkConfigured(label, 'authServerMetadataUrl', url);
  const metadata = await readServerMetadata(asking, url, issuers);
  if (metadata !== undefined) return metadata;
  throw new AuthError(`${label}: ${shownUrl(url)} holds no metadata of an authorization server`, {
    hint: 'check authServerMetadataUrl',
  });
}

function checkConfigured(label: string, key: string, url: string): void {
  const problem = addressProblem(url, undefined);
  if (problem === undefined) return;
  throw new ConfigError(`${label}: ${key} ${JSON.stringify(shownUrl(url))} ${problem}`, {
    hint: `write ${key} with https, or http on this machine`,
  });
}

/** Of the first issuer that can be used and describes itself; the server's own origin where it names none. */
async function namedMetadata(
  asking: MetadataAsking,
  found: ProtectedResource,
  serverUrl: string,
): Promise<ServerMetadata> {
  const { label } = asking;
  const issuers =
    found.authorizationServers.length === 0
      ? [new URL(serverUrl).origin]
      : found.authorizationServers;
  const problems = issuers.flatMap((issuer) => {
    const problem = issuerProblem(issuer, found.url);
    return problem === undefined ? [] : [`${JSON.stringify(excerpt(issuer))} ${problem}`];
  });
  const usable = issuers.filter((issuer) => issuerProblem(issuer, found.url) === undefined);
  for (const issuer of usable.slice(0, MAX_ISSUERS)) {
    const metadata = await findServerMetadata(asking, issuer);
    if (metadata !== undefined) return metadata;
  }
  if (found.authorizationServers.length === 0) {
    throw new AuthError(
      `${label}: its metadata at ${shownUrl(found.url)} names no authorization server`,
      { hint: 'authServerMetadataUrl in its auth names one' },
    );
  }
  if (usable.length > 0) {
    throw noMetadata(label, usable.slice(0, MAX_ISSUERS).map(shownUrl).join(' or '));
  }
  throw new AuthError(
    `${label} names no authorization server that can be used: ${excerpt(problems.join(', '))}`,
    { hint: 'its operator has to correct authorization_servers in the metadata' },
  );
}

/** @see RFC 8414 2: an issuer has neither query nor fragment. */
function issuerProblem(issuer: string, namer: string): string | undefined {
  return addressProblem(issuer, namer) ?? (issuer.includes('?') ? 'has a query' : undefined);
}

/** The server is its own authorization server, with endpoints at fixed places where it does not describe them. */
async function oldMetadata(asking: MetadataAsking, serverUrl: string): Promise<ServerMetadata> {
  const { origin } = new URL(serverUrl);
  const url = `${origin}/.well-known/oauth-authorization-server`;
  return (
    (await readServerMetadata(asking, url, [origin])) ?? {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
    }
  );
}

function noMetadata(label: string, issuer: string): AuthError {
  return new AuthError(`${label}: the authorization server ${issuer} does not describe itself`, {
    hint: 'authServerMetadataUrl says where its metadata is',
  });
}
