/**
 * Enterprise-managed authorization: the identity provider of a company says, by an assertion for one resource
 * (ID-JAG), that its employee may use it. Got for the ID token of a sign-in that was done elsewhere.
 * @see RFC 8693 2, draft-ietf-oauth-identity-assertion-authz-grant, MCP enterprise-managed authorization
 */
import { dirname, resolve } from 'node:path';
import { hostKind } from '../base/address.ts';
import { envValue } from '../base/env.ts';
import { AuthError, ConfigError, ProtocolError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { readLoginFile } from './login-file.ts';
import { postGrant, type TokenContext } from './token-request.ts';
import type { RegisteredClient, Subject } from './types.ts';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

/** 16 KiB. */
const MAX_ASSERTION_CHARACTERS = 16 * 1024;

/**
 * The assertion for the authorization server and resource of `context`, registered as a secret. `idpFile`
 * is JSON: `tokenEndpoint` and `clientId` at the identity provider, the name `clientSecretEnv` of its secret
 * where it has one, and the ID token by `idTokenEnv` (a variable), `idTokenFile` (relative to that file, read
 * anew) or `idToken` itself; also spelled `idp_token_endpoint`, `idp_client_id`, `idp_id_token`.
 * Rejects with ConfigError for that file, TokenRefusedError when the provider says no, ProtocolError for an
 * answer that holds no such assertion.
 */
export async function identityAssertion(context: TokenContext): Promise<string> {
  const { subject, metadata, resource, scope } = context;
  const provider = await readProvider(context);
  const answer = await postGrant(
    {
      ...context,
      subject: providerSubject(subject, provider),
      metadata: { issuer: provider.tokenEndpoint, token_endpoint: provider.tokenEndpoint },
      client: provider.client,
      dpopKey: undefined,
    },
    {
      grantType: TOKEN_EXCHANGE,
      parameters: {
        requested_token_type: ID_JAG,
        audience: metadata.issuer,
        resource,
        scope,
        subject_token: provider.idToken,
        subject_token_type: ID_TOKEN,
      },
      who: 'the identity provider',
      what: 'the ID token',
      hint: 'sign in to the identity provider anew and give its ID token',
    },
  );
  return readAssertion(answer, subject);
}

interface Provider {
  readonly tokenEndpoint: string;
  readonly client: RegisteredClient;
  readonly secretEnv: string | undefined;
  readonly idToken: string;
}

async function readProvider({ subject, ports }: TokenContext): Promise<Provider> {
  const { idpFile } = subject.settings;
  if (idpFile === undefined) {
    throw new ConfigError(`${subject.label}: the grant enterprise needs an identity provider`, {
      hint: 'name the JSON file about it: idpFile',
    });
  }
  const what = `${subject.label}: idpFile`;
  const fields = tryParseJson(await readLoginFile(idpFile, what, ports.clock));
  const where = `${what} ${idpFile}`;
  if (!isJsonObject(fields)) throw new ConfigError(`${where} is no JSON object`);
  const text = (...names: readonly string[]) => firstText(fields, names, where);
  const clientId = required(text('clientId', 'idp_client_id'), 'clientId', where);
  const tokenEndpoint = required(
    text('tokenEndpoint', 'idp_token_endpoint'),
    'tokenEndpoint',
    where,
  );
  checkEndpoint(tokenEndpoint, where);
  const secretEnv = text('clientSecretEnv');
  const method = secretEnv === undefined ? 'none' : 'client_secret_basic';
  const idToken = await readIdToken(text, { idpFile, where }, ports);
  registerSecret(idToken);
  return {
    tokenEndpoint,
    client: { clientId, method, kind: 'configured' },
    secretEnv,
    idToken,
  };
}

async function readIdToken(
  text: (...names: readonly string[]) => string | undefined,
  { idpFile, where }: { readonly idpFile: string; readonly where: string },
  ports: TokenContext['ports'],
): Promise<string> {
  const variable = text('idTokenEnv');
  if (variable !== undefined) {
    const token = envValue(ports.env, variable)?.trim() ?? '';
    if (token !== '') return token;
    throw new AuthError(`${where}: the variable ${variable} is not set or empty`, {
      hint: `set ${variable} to an ID token of the identity provider`,
      details: { variable },
    });
  }
  const file = text('idTokenFile');
  if (file === undefined) return required(text('idToken', 'idp_id_token'), 'idTokenFile', where);
  const path = resolve(dirname(idpFile), file);
  const token = (await readLoginFile(path, `${where}: idTokenFile`, ports.clock)).trim();
  if (token !== '') return token;
  throw new AuthError(`${where}: idTokenFile ${path} is empty`, {
    hint: 'sign in to the identity provider and keep its ID token there',
  });
}

function firstText(
  fields: JsonObject,
  names: readonly string[],
  where: string,
): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value === 'string' && value !== '') return value;
    throw new ConfigError(`${where}: ${name} is no text`);
  }
  return undefined;
}

function required(value: string | undefined, name: string, where: string): string {
  if (value !== undefined) return value;
  throw new ConfigError(`${where} lacks ${name}`);
}

/** An ID token is worth a sign-in: also with `allowPrivate` it goes over plain http to this machine only. */
function checkEndpoint(endpoint: string, where: string): void {
  const url = URL.parse(endpoint);
  const isLocal = url?.protocol === 'http:' && hostKind(url.hostname) === 'loopback';
  if (url?.protocol === 'https:' || isLocal) return;
  throw new ConfigError(`${where}: the token endpoint is no https address`);
}

/** Its secret is another one, and no setting of the server counts there. */
function providerSubject(subject: Subject, { secretEnv }: Provider): Subject {
  return {
    ...subject,
    settings: secretEnv === undefined ? {} : { clientSecretEnv: secretEnv },
  };
}

/** `token_type` is `N_A` here: it is no access token. @see RFC 8693 2.2.1 */
function readAssertion(answer: JsonObject, { label }: Subject): string {
  const { access_token: assertion, issued_token_type: type } = answer;
  if (typeof assertion === 'string') registerSecret(assertion.slice(0, MAX_ASSERTION_CHARACTERS));
  const isUsable =
    typeof assertion === 'string' &&
    assertion !== '' &&
    assertion.length <= MAX_ASSERTION_CHARACTERS &&
    (type === undefined || type === ID_JAG);
  if (isUsable) return assertion;
  throw new ProtocolError(`${label}: the identity provider gave no identity assertion (ID-JAG)`);
}
