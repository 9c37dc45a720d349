/** The metadata of an authorization server, believed only where it is about the issuer that was asked for. @see RFC 8414, OpenID Connect Discovery 1.0 */
import { AuthError, ProtocolError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import type { LogSink } from '../transport/types.ts';
import { type Asking, type Fields, readDocument } from './document.ts';
import { addressProblem, isSameIssuer, serverMetadataUrls, shownUrl } from './metadata-urls.ts';
import type { ServerMetadata } from './types.ts';

export interface MetadataAsking extends Asking {
  /** Rejects for a private address that is not allowed, before anybody is sent there. */
  readonly checkAddress: (url: string) => Promise<void>;
  readonly log: LogSink;
}

/**
 * The metadata of `issuer`, from the first place that has any; `undefined`: none has. A place that fails
 * is passed over where a later one has it. Throws AuthError for a document about another issuer: then no
 * other place is asked.
 */
export async function findServerMetadata(
  asking: MetadataAsking,
  issuer: string,
): Promise<ServerMetadata | undefined> {
  let failure: ProtocolError | undefined;
  for (const url of serverMetadataUrls(issuer)) {
    try {
      const found = await readServerMetadata(asking, url, [issuer]);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/**
 * The metadata at `url`; `undefined`: there is none. Its issuer has to be one of `issuers`; `undefined`:
 * any. Throws AuthError for another issuer and for an endpoint that is not safe to use, ProtocolError for a
 * document that is none.
 */
export async function readServerMetadata(
  asking: MetadataAsking,
  url: string,
  issuers: readonly string[] | undefined,
): Promise<ServerMetadata | undefined> {
  const fields = await readDocument(asking, url, [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
  ]);
  if (fields === undefined) return undefined;
  const issuer = checkedIssuer(asking, url, fields.text('issuer'), issuers);
  const token = needed(asking, url, fields, 'token_endpoint');
  if (token === undefined) {
    throw new ProtocolError(`${asking.label}: ${shownUrl(url)} names no token_endpoint`);
  }
  const authorization = needed(asking, url, fields, 'authorization_endpoint');
  // Before a person consents to anything: the code would have nowhere to go.
  await asking.checkAddress(token);
  if (authorization !== undefined) await asking.checkAddress(authorization);
  return {
    issuer,
    token_endpoint: token,
    ...withoutAbsent({
      authorization_endpoint: authorization,
      registration_endpoint: optional(asking, url, fields, 'registration_endpoint'),
      revocation_endpoint: optional(asking, url, fields, 'revocation_endpoint'),
      device_authorization_endpoint: optional(asking, url, fields, 'device_authorization_endpoint'),
      scopes_supported: fields.texts('scopes_supported'),
      grant_types_supported: fields.texts('grant_types_supported'),
      token_endpoint_auth_methods_supported: fields.texts('token_endpoint_auth_methods_supported'),
      code_challenge_methods_supported: fields.texts('code_challenge_methods_supported'),
      dpop_signing_alg_values_supported: fields.texts('dpop_signing_alg_values_supported'),
      client_id_metadata_document_supported: fields.flag('client_id_metadata_document_supported'),
      authorization_response_iss_parameter_supported: fields.flag(
        'authorization_response_iss_parameter_supported',
      ),
    }),
  };
}

function checkedIssuer(
  { label }: Asking,
  url: string,
  issuer: string | undefined,
  issuers: readonly string[] | undefined,
): string {
  const where = `${label}: ${shownUrl(url)}`;
  const said = issuer === undefined ? 'nobody' : excerpt(issuer);
  if (issuer === undefined || !(issuers ?? [issuer]).some((one) => isSameIssuer(one, issuer))) {
    const expected = (issuers ?? []).map(excerpt).join(' or ');
    throw new AuthError(
      `${where} names ${said} as its issuer${expected === '' ? '' : `, not ${expected}`}; none of its endpoints is used`,
      {
        hint: 'its operator has to correct issuer in the metadata',
        details: { issuer: said, expected },
      },
    );
  }
  const problem = addressProblem(issuer, url);
  if (problem !== undefined) {
    throw new AuthError(`${where} names ${said} as its issuer, which ${problem}`);
  }
  return issuer;
}

/** An endpoint that a sign-in cannot do without is refused loudly. */
function needed(asking: Asking, url: string, fields: Fields, name: string): string | undefined {
  const endpoint = fields.text(name);
  const problem = endpoint === undefined ? undefined : addressProblem(endpoint, url);
  if (endpoint === undefined || problem === undefined) return endpoint;
  throw new AuthError(`${asking.label}: ${unusable(url, name, endpoint, problem)}`, {
    hint: 'its operator has to correct the metadata',
    details: { field: name },
  });
}

/** Any other is left out with a warning. */
function optional(
  { label, log }: MetadataAsking,
  url: string,
  fields: Fields,
  name: string,
): string | undefined {
  const endpoint = fields.text(name);
  const problem = endpoint === undefined ? undefined : addressProblem(endpoint, url);
  if (endpoint === undefined || problem === undefined) return endpoint;
  log('warn', `${label}: ${unusable(url, name, endpoint, problem)}`);
  return undefined;
}

function unusable(url: string, name: string, endpoint: string, problem: string): string {
  return `${shownUrl(url)}: its ${name} ${JSON.stringify(shownUrl(endpoint))} ${problem}; it is not used`;
}

/** Metadata is kept as JSON, where nothing is `undefined`. */
function withoutAbsent<T extends object>(
  all: T,
): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(all).filter(([, value]) => value !== undefined);
  // The entries of `all` itself, without those that are undefined.
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
