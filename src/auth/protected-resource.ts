/** What an MCP server says about itself as a protected resource. @see RFC 9728 */
import { AuthError, ProtocolError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import { type Asking, type Fields, readDocument } from './document.ts';
import { addressProblem, coversServer, protectedResourceUrls, shownUrl } from './metadata-urls.ts';

export interface ProtectedResource {
  /** Where this was found. */
  readonly url: string;
  /** As written. */
  readonly resource: string;
  /** Issuers as written, not checked; empty: it names none. */
  readonly authorizationServers: readonly string[];
  /** It is about another server than ours: nobody may be signed in by it. */
  readonly mismatch: AuthError | undefined;
  /** `undefined`: it lists none. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * The metadata of the server at `serverUrl`, from where its challenge says (`named`) or else from the
 * well-known places; `undefined`: the server has none. Throws AuthError, before anything is asked, when its
 * place cannot be used; ProtocolError when a named one is nowhere, or for a document that is none.
 */
export async function readProtectedResource(
  asking: Asking,
  serverUrl: string,
  named: string | undefined,
): Promise<ProtectedResource | undefined> {
  const known = protectedResourceUrls(serverUrl);
  const first = named === undefined ? [] : [namedUrl(asking, serverUrl, named)];
  for (const url of new Set([...first, ...known])) {
    const fields = await readDocument(asking, url, ['resource', 'authorization_servers']);
    if (fields !== undefined) return checked(asking, serverUrl, url, fields);
  }
  const [missing] = first;
  if (missing === undefined) return undefined;
  throw new ProtocolError(
    `${asking.label} names ${shownUrl(missing)} as its metadata, but none is there`,
  );
}

function namedUrl({ label }: Asking, serverUrl: string, named: string): string {
  const url = URL.parse(named, serverUrl)?.href ?? named;
  const problem = addressProblem(url, serverUrl);
  if (problem === undefined) return url;
  throw new AuthError(
    `${label} names ${JSON.stringify(excerpt(named))} as its metadata, which ${problem}; it is not asked`,
    { hint: 'its operator has to correct resource_metadata in WWW-Authenticate' },
  );
}

function checked(
  { label }: Asking,
  serverUrl: string,
  url: string,
  fields: Fields,
): ProtectedResource {
  const resource = fields.text('resource');
  const where = `${label}: its metadata at ${shownUrl(url)}`;
  if (resource === undefined) throw new ProtocolError(`${where} names no resource`);
  const [theirs, ours] = [excerpt(resource), shownUrl(serverUrl)];
  return {
    url,
    resource,
    authorizationServers: fields.texts('authorization_servers') ?? [],
    mismatch: coversServer(resource, serverUrl)
      ? undefined
      : new AuthError(`${where} is about ${theirs}, not about ${ours}; nobody is signed in there`, {
          hint: 'check url; if it is right, its operator has to correct resource in the metadata',
          details: { resource: theirs, url: ours },
        }),
    scopes: scopesOf(fields),
  };
}

/** @see RFC 6749 3.3 for what a scope may be written with. */
function scopesOf(fields: Fields): readonly string[] | undefined {
  const scopes = fields
    .texts('scopes_supported')
    ?.filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return scopes === undefined || scopes.length === 0 ? undefined : scopes;
}
