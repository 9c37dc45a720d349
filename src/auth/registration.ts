/** What a dynamic registration says and what its answer means. @see RFC 7591 2 and 3.2.1, RFC 8252 8.4 */
import { AuthError, ConfigError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { shownUrl } from './metadata-urls.ts';
import { lacksScope } from './scopes.ts';
import type { RegisteredClient, ServerMetadata, Subject } from './types.ts';

export interface RegistrationWish {
  readonly subject: Subject;
  readonly metadata: ServerMetadata;
  /** The server says nothing about sign-ins: there may be none. */
  readonly isLegacy: boolean;
  /** The callbacks, the first one is used; empty for a sign-in without one. */
  readonly redirectUris: readonly string[];
  /** What will be asked for. */
  readonly scope: string | undefined;
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** A program on a person's machine keeps no secret: none first. */
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

const MAX_TEXT = 4096;

/**
 * What to post, and where to. Throws AuthError where the server registers nobody, or only clients of another
 * kind; ConfigError for grants that need a client registered beforehand.
 */
export function registrationRequest(wish: RegistrationWish): {
  readonly url: string;
  readonly body: JsonObject;
} {
  const { subject, metadata, redirectUris, scope } = wish;
  const { label, settings } = subject;
  const { grant = 'authorization_code' } = settings;
  if (grant !== 'authorization_code' && grant !== 'device_code') {
    throw new ConfigError(
      `${label}: grant: ${grant} needs a client that is registered beforehand`,
      {
        hint: clientHint(wish),
      },
    );
  }
  const url = metadata.registration_endpoint;
  if (url === undefined) {
    throw new AuthError(
      `${label}: ${shownUrl(metadata.issuer)} does not offer registration; a client has to be registered there beforehand`,
      { hint: clientHint(wish) },
    );
  }
  const listed = metadata.token_endpoint_auth_methods_supported;
  const method =
    listed === undefined || listed.length === 0
      ? 'none'
      : METHODS.find((candidate) => listed.includes(candidate));
  if (method === undefined) {
    const ways = excerpt((listed ?? []).join(', '));
    throw new AuthError(
      `${label}: ${shownUrl(metadata.issuer)} takes clients that prove themselves by ${ways === '' ? 'nothing' : ways}; registration offers none of these`,
      { hint: `${clientHint(wish)}, or its privateKeyFile` },
    );
  }
  const hasCallback = redirectUris.length > 0;
  const hasDevice = metadata.device_authorization_endpoint !== undefined;
  return {
    url,
    body: {
      client_name: settings.clientName ?? 'usher',
      ...(hasCallback ? { redirect_uris: redirectUris } : {}),
      grant_types: [
        ...(hasCallback ? ['authorization_code'] : []),
        'refresh_token',
        ...(hasDevice ? [DEVICE_GRANT] : []),
      ],
      response_types: hasCallback ? ['code'] : [],
      token_endpoint_auth_method: method,
      application_type: 'native',
      ...(scope === undefined || !isKnown(scope, metadata) ? {} : { scope }),
    },
  };
}

function scopeOf(scope: unknown): Pick<RegisteredClient, 'scope'> {
  return typeof scope === 'string' && scope.length <= MAX_TEXT ? { scope } : {};
}

/** Scopes of the resource alone would be refused, or would bound the client to the others. */
function isKnown(scope: string, { scopes_supported: listed }: ServerMetadata): boolean {
  return listed === undefined || !lacksScope(scope, listed.join(' '));
}

/** The client of a successful answer, its secret registered. Throws AuthError for an answer nobody can sign in with. */
export function readRegistration(
  wish: RegistrationWish,
  url: string,
  asked: JsonObject,
  answer: unknown,
): RegisteredClient {
  const { subject, metadata, redirectUris } = wish;
  const where = `${subject.label}: registration at ${shownUrl(url)}`;
  const fail = (what: string) =>
    new AuthError(`${where} failed: ${what}`, { hint: clientHint(wish) });
  const fields = isJsonObject(answer) ? answer : {};
  for (const name of ['client_secret', 'registration_access_token']) {
    const secret = fields[name];
    if (typeof secret === 'string') registerSecret(secret);
  }
  const { client_id: clientId, client_secret: given } = fields;
  if (typeof clientId !== 'string' || clientId === '' || clientId.length > MAX_TEXT) {
    throw fail('the answer holds no client_id');
  }
  const isSecret = typeof given === 'string' && given !== '' && given.length <= MAX_TEXT;
  const secret = isSecret ? given : undefined;
  const said = fields['token_endpoint_auth_method'] ?? undefined;
  const method = answeredMethod(said ?? impliedMethod(metadata, asked, secret));
  if (method === undefined) {
    throw fail(`it wants proof by ${excerpt(String(said))}, which was not asked for`);
  }
  const [redirectUri] = redirectUris;
  const client = {
    clientId,
    method,
    kind: 'dcr' as const,
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...scopeOf(fields['scope'] ?? asked['scope']),
  };
  if (method === 'none') return client;
  if (secret === undefined) {
    throw fail(`it wants proof by ${method}, but the answer holds no client_secret`);
  }
  const ends = fields['client_secret_expires_at'];
  const hasEnd = typeof ends === 'number' && Number.isFinite(ends) && ends > 0;
  return {
    ...client,
    clientSecret: secret,
    ...(hasEnd ? { secretExpiresAt: ends * 1000 } : {}),
  };
}

function answeredMethod(said: unknown): (typeof METHODS)[number] | undefined {
  return METHODS.find((method) => method === said);
}

/** Where the answer does not say: as asked, but whoever hands out a secret wants to see it. */
function impliedMethod(metadata: ServerMetadata, asked: JsonObject, secret: string | undefined) {
  if (secret === undefined) return asked['token_endpoint_auth_method'];
  const listed = metadata.token_endpoint_auth_methods_supported ?? [];
  return listed.includes('client_secret_post') && !listed.includes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic';
}

/** Which keys set a client. */
export function clientHint({ subject, isLegacy }: Pick<RegistrationWish, 'subject' | 'isLegacy'>) {
  const at = subject.url === undefined ? '' : 'auth.';
  const keys = `${at}clientId names a client that is registered there, ${at}clientSecretEnv the variable with its secret`;
  return isLegacy
    ? `${keys}; a server without sign-ins takes a token by auth: {type: bearer, tokenEnv: NAME}`
    : keys;
}
