/**
 * Who we are to one authorization server: a client that was registered beforehand, else a client metadata
 * document where the server takes one, else a dynamic registration.
 * @see MCP authorization 2025-11-25 (client registration approaches), RFC 7591, RFC 8252 8.4
 */
import { AuthError, ConfigError } from '../base/errors.ts';
import { excerpt } from '../base/http.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { secretFrom } from './client-auth.ts';
import { shownUrl } from './metadata-urls.ts';
import {
  clientHint,
  type RegistrationWish,
  readRegistration,
  registrationRequest,
} from './registration.ts';
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
  const { metadata, isLegacy } = discovery;
  if (settings.clientId !== undefined) {
    // A secret that is missing is told before a person is bothered.
    if (settings.privateKeyFile === undefined && settings.clientSecretEnv !== undefined) {
      secretFrom(ports.env, settings.clientSecretEnv, subject.label);
    }
    return {
      clientId: settings.clientId,
      method: configuredMethod(settings, metadata),
      kind: 'configured',
    };
  }
  const document = metadataDocument(subject, metadata);
  if (document !== undefined) {
    const method = settings.privateKeyFile === undefined ? 'none' : 'private_key_jwt';
    return { clientId: document, method, kind: 'cimd' };
  }
  const wish = { subject, metadata, isLegacy, redirectUris, scope };
  const { url, body } = registrationRequest(wish);
  const send = loginFetch(ports, signal, subject.label);
  const headers = { 'content-type': 'application/json' };
  const post = async (asked: JsonObject): Promise<RegisteredClient> => {
    const response = await send(url, { method: 'POST', headers, body: JSON.stringify(asked) });
    const text = await response.text();
    if (!response.ok) throw refused(wish, url, response.status, text);
    return readRegistration(wish, url, asked, tryParseJson(text));
  };
  try {
    return await post(body);
  } catch (error) {
    // Some servers want to know the scopes here, others refuse those that only the resource knows.
    if (body['scope'] === undefined || !isAboutMetadata(error)) throw error;
    const { scope: _scope, ...rest } = body;
    return post(rest);
  }
}

/** @see RFC 7591 3.2.2 */
function isAboutMetadata(error: unknown): boolean {
  if (!(error instanceof AuthError) || error.details['status'] !== 400) return false;
  return ['invalid_client_metadata', 'invalid_scope'].includes(String(error.details['error']));
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

const MAX_DESCRIPTION = 300;

function refused(wish: RegistrationWish, url: string, status: number, body: string): AuthError {
  const parsed = tryParseJson(body);
  const { error, error_description: description } = isJsonObject(parsed) ? parsed : {};
  const said = [error, description].filter((part) => typeof part === 'string' && part !== '');
  const shown = excerpt(said.join(': ').slice(0, MAX_DESCRIPTION));
  return new AuthError(
    `${wish.subject.label}: registration at ${shownUrl(url)} failed (HTTP ${status})${shown === '' ? '' : `: ${shown}`}`,
    {
      hint: clientHint(wish),
      details: { status, ...(typeof error === 'string' ? { error: excerpt(error) } : {}) },
    },
  );
}
