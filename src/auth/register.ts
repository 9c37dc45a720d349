/**
 * Who we are to one authorization server: a client that was registered beforehand, else a client metadata
 * document where the server takes one, else a dynamic registration.
 * @see MCP authorization 2025-11-25 (client registration approaches), RFC 7591, RFC 8252 8.4
 */
import { AuthError, ConfigError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { shownUrl } from './metadata-urls.ts';
import { loginFetch } from './request.ts';
import type {
  AuthPorts,
  ClientMethod,
  Discovery,
  OAuthSettings,
  RegisteredClient,
  ServerMetadata,
  Subject,
} from './types.ts';

/**
 * The client to use at the server of `discovery`. `redirectUris`: the callbacks, the first one is used; empty
 * for a sign-in without one. `scope`: what will be asked for. Only a dynamic registration asks the server.
 * Throws ConfigError for settings that cannot hold here, AuthError where the server registers nobody or not
 * us, saying which keys set a client; as `loginFetch` does where nobody could be asked.
 */
export async function register(
  subject: Subject,
  discovery: Discovery,
  redirectUris: readonly string[],
  ports: AuthPorts,
  signal: AbortSignal,
  scope?: string,
): Promise<RegisteredClient> {
  const { settings } = subject;
  const { metadata } = discovery;
  if (settings.clientId !== undefined) {
    return {
      clientId: settings.clientId,
      method: configuredMethod(settings, metadata),
      kind: 'configured',
    };
  }
  const document = metadataDocument(subject, metadata);
  if (document !== undefined) return { clientId: document, method: 'none', kind: 'cimd' };
  const wish = { subject, metadata, redirectUris, scope };
  const { url, body } = registration(wish);
  const response = await loginFetch(
    ports,
    signal,
    subject.label,
  )(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw refused(subject, url, response.status, text);
  return readClient(wish, url, body, tryParseJson(text));
}

interface Wish {
  readonly subject: Subject;
  readonly metadata: ServerMetadata;
  readonly redirectUris: readonly string[];
  readonly scope: string | undefined;
}

/** A key proves more than a secret. @see RFC 8414 2: client_secret_basic where the server lists nothing */
function configuredMethod(settings: OAuthSettings, metadata: ServerMetadata): ClientMethod {
  if (settings.privateKeyFile !== undefined) return 'private_key_jwt';
  if (settings.clientSecretEnv === undefined) return 'none';
  const listed = metadata.token_endpoint_auth_methods_supported;
  const isPostOnly =
    listed?.includes('client_secret_post') === true && !listed.includes('client_secret_basic');
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic';
}

/** The address of our client metadata document where it is to be our id; `undefined`: it is not. */
function metadataDocument(
  { label, settings }: Subject,
  metadata: ServerMetadata,
): string | undefined {
  const { clientMetadataUrl: url, clientRegistration = 'auto' } = settings;
  if (clientRegistration === 'dcr') return undefined;
  const isTaken = metadata.client_id_metadata_document_supported === true;
  if (url === undefined || !isTaken) {
    if (clientRegistration === 'auto') return undefined;
    throw url === undefined
      ? new ConfigError(`${label}: clientRegistration: cimd needs a client metadata document`, {
          hint: 'clientMetadataUrl names its address',
        })
      : new ConfigError(
          `${label}: clientRegistration: cimd, but ${shownUrl(metadata.issuer)} takes no client metadata documents`,
          { hint: 'clientRegistration: auto registers in the way that is offered' },
        );
  }
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'https:' && parsed.pathname !== '/' && !url.includes('#')) return url;
  throw new ConfigError(
    `${label}: clientMetadataUrl ${JSON.stringify(shownUrl(url))} is no https address with a path`,
    { hint: 'example: https://host/client.json' },
  );
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** A program on a person's machine keeps no secret: none first. */
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

function registration({ subject, metadata, redirectUris, scope }: Wish): {
  readonly url: string;
  readonly body: JsonObject;
} {
  const { label, settings } = subject;
  const { grant = 'authorization_code' } = settings;
  if (grant !== 'authorization_code' && grant !== 'device_code') {
    throw new ConfigError(
      `${label}: grant: ${grant} needs a client that is registered beforehand`,
      {
        hint: clientHint(subject),
      },
    );
  }
  const url = metadata.registration_endpoint;
  if (url === undefined) {
    throw new AuthError(
      `${label}: ${shownUrl(metadata.issuer)} does not offer registration; a client has to be registered there beforehand`,
      { hint: clientHint(subject) },
    );
  }
  const listed = metadata.token_endpoint_auth_methods_supported;
  const method =
    listed === undefined ? 'none' : METHODS.find((candidate) => listed.includes(candidate));
  if (method === undefined) {
    const ways = excerpt((listed ?? []).join(', '));
    throw new AuthError(
      `${label}: ${shownUrl(metadata.issuer)} takes clients that prove themselves by ${ways === '' ? 'nothing' : ways}; registration offers none of these`,
      { hint: `${clientHint(subject)}, or its privateKeyFile` },
    );
  }
  const hasCallback = redirectUris.length > 0;
  const hasDevice = metadata.device_authorization_endpoint !== undefined;
  return {
    url,
    body: {
      client_name: settings.clientName ?? 'usher',
      redirect_uris: redirectUris,
      grant_types: [
        ...(hasCallback ? ['authorization_code'] : []),
        'refresh_token',
        ...(hasDevice ? [DEVICE_GRANT] : []),
      ],
      response_types: hasCallback ? ['code'] : [],
      token_endpoint_auth_method: method,
      application_type: 'native',
      ...(scope === undefined ? {} : { scope }),
    },
  };
}

function readClient(
  { subject, metadata, redirectUris }: Wish,
  url: string,
  asked: JsonObject,
  answer: unknown,
): RegisteredClient {
  const where = `${subject.label}: registration at ${shownUrl(url)}`;
  const fail = (what: string) =>
    new AuthError(`${where} failed: ${what}`, { hint: clientHint(subject) });
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
  };
  if (method === 'none') return client;
  if (secret === undefined) {
    throw fail(`it wants proof by ${method}, but the answer holds no client_secret`);
  }
  const ends = fields['client_secret_expires_at'];
  const expires = typeof ends === 'number' && Number.isFinite(ends) && ends > 0;
  return {
    ...client,
    clientSecret: secret,
    ...(expires ? { secretExpiresAt: ends * 1000 } : {}),
  };
}

const MAX_TEXT = 4096;
const MAX_DESCRIPTION = 300;

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

function refused(subject: Subject, url: string, status: number, body: string): AuthError {
  const parsed = tryParseJson(body);
  const { error, error_description: description } = isJsonObject(parsed) ? parsed : {};
  const said = [error, description].filter((part) => typeof part === 'string' && part !== '');
  const shown = excerpt(said.join(': ').slice(0, MAX_DESCRIPTION));
  return new AuthError(
    `${subject.label}: registration at ${shownUrl(url)} failed (HTTP ${status})${shown === '' ? '' : `: ${shown}`}`,
    {
      hint: clientHint(subject),
      details: { status, ...(typeof error === 'string' ? { error: excerpt(error) } : {}) },
    },
  );
}

function clientHint({ url }: Subject): string {
  const at = url === undefined ? '' : 'auth.';
  return `${at}clientId names a client that is registered there, ${at}clientSecretEnv the variable with its secret`;
}
