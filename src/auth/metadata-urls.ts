/**
 * Where metadata stands, and which addresses a document may name. Addresses only: nothing is asked here.
 * @see RFC 9728 3.1, RFC 8414 3.1, OpenID Connect Discovery 4, MCP authorization 2025-11-25
 */
import { hostKind } from '../base/address.ts';
import { excerpt } from '../base/http.ts';

/** The metadata of a protected resource, to be asked for in this order where no challenge names it. */
export function protectedResourceUrls(serverUrl: string): readonly string[] {
  const { origin, pathname, search } = new URL(serverUrl);
  const base = `${origin}/.well-known/oauth-protected-resource`;
  const path = withoutSlash(pathname);
  return path === '' ? [base] : [`${base}${path}${search}`, base];
}

/** The metadata of an authorization server; with a path never at the root, which is another server. */
export function serverMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = withoutSlash(pathname);
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === ''
    ? inserted
    : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * True for the same issuer. One slash at the end may differ: both spellings lead to the same documents, and
 * large servers use one in each (RFC 8414 3.3 wants them identical). Nothing else is forgiven.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/** True when the metadata's `resource` is the server at `serverUrl`, or a parent of it on the same origin. */
export function coversServer(resource: string, serverUrl: string): boolean {
  const whole = URL.parse(resource);
  if (whole === null || resource.includes('#') || whole.username !== '' || whole.password !== '') {
    return false;
  }
  const server = new URL(serverUrl);
  if (whole.origin !== server.origin || !/^https?:$/.test(whole.protocol)) return false;
  if (whole.search !== '' && whole.search !== server.search) return false;
  return `${withoutSlash(server.pathname)}/`.startsWith(`${withoutSlash(whole.pathname)}/`);
}

/**
 * What forbids to use an address, to be read after it; `undefined`: it may be used. `namer` is the document
 * or server that names it, `undefined` for the person. Plain http is for this machine and for private
 * addresses (the guarded fetch decides about those), or for the host that the namer itself was reached at.
 * Somebody on the network may not name an address of this machine.
 */
export function addressProblem(text: string, namer: string | undefined): string | undefined {
  const url = URL.parse(text);
  if (url === null || /[\s\u0000-\u001f\u007f]/.test(text)) return 'is no address';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is neither https nor http';
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (text.includes('#')) return 'has a fragment (#…)';
  const kind = hostKind(url.hostname);
  const by = namer === undefined ? undefined : new URL(namer);
  if (kind === 'loopback') {
    return by === undefined || isNear(by)
      ? undefined
      : `is on this machine, which ${by.host} is not`;
  }
  if (url.protocol === 'https:' || kind === 'private') return undefined;
  const isSameHost = by?.protocol === 'http:' && by.hostname === url.hostname;
  return isSameHost ? undefined : 'is plain http; only https is safe';
}

/** For texts: without the query, which may hold a key, and without a slash alone; safe to show. */
export function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.origin === 'null') return excerpt(text);
  return excerpt(url.pathname === '/' ? url.origin : url.origin + url.pathname);
}

/** On this machine or a private network: plain http to a name is configured for no other. */
function isNear({ protocol, hostname }: URL): boolean {
  const kind = hostKind(hostname);
  return kind === 'loopback' || kind === 'private' || (kind === 'name' && protocol === 'http:');
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
