/**
 * How a client proves itself to an authorization server, as a function that completes a request: the form
 * `oauth4webapi` calls `ClientAuth`. The library is loaded for signed assertions only.
 * @see RFC 6749 2.3.1, RFC 7523 2.2, OpenID Connect Core 9
 */
import type { ClientAuth } from 'oauth4webapi';
import type { Clock } from '../base/clock.ts';
import { envValue } from '../base/env.ts';
import { AuthError, ConfigError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import { importPrivateKey } from './private-key.ts';
import type { AuthPorts, RegisteredClient, Subject } from './types.ts';

export interface Claimant {
  readonly subject: Subject;
  readonly client: RegisteredClient;
  readonly ports: Pick<AuthPorts, 'clock' | 'env'>;
}

/**
 * Reads the secret or the key anew: variables and files may have changed. Throws AuthError for a variable
 * that is not set, ConfigError for settings that lack one and for key files (named, never quoted).
 */
export async function clientAuth(claimant: Claimant): Promise<ClientAuth> {
  const { subject, client, ports } = claimant;
  switch (client.method) {
    case 'none':
      return (_server, { client_id }, body) => body.set('client_id', client_id);
    case 'client_secret_basic': {
      const secret = readSecret(claimant);
      return (_server, { client_id }, _body, headers) =>
        headers.set('authorization', basicCredentials(client_id, secret));
    }
    case 'client_secret_post': {
      const secret = readSecret(claimant);
      return (_server, { client_id }, body) => {
        body.set('client_id', client_id);
        body.set('client_secret', secret);
      };
    }
    case 'private_key_jwt':
      return signedAssertion(subject, ports.clock);
  }
}

/** Ready to be posted; its body is form-encoded. */
export interface ClientForm {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A form in which the client proves itself to `issuer`. Made anew for every attempt: assertions count once. Errors as `clientAuth`. */
export async function clientForm(
  claimant: Claimant,
  issuer: string,
  fields: Readonly<Record<string, string | undefined>>,
): Promise<ClientForm> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) body.set(name, value);
  }
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  });
  const authenticate = await clientAuth(claimant);
  await authenticate({ issuer }, { client_id: claimant.client.clientId }, body, headers);
  return { method: 'POST', headers: Object.fromEntries(headers), body: body.toString() };
}

/**
 * `Basic` with both parts form-encoded. Letters of client ids such as `-` and `_` stay as they are: servers
 * that forget to decode take them, and for those that decode it is the same. @see RFC 6749 2.3.1
 */
export function basicCredentials(clientId: string, secret: string): string {
  const parts = [clientId, secret].map((part) => encodeURIComponent(part.toWellFormed()));
  const credentials = Buffer.from(parts.join(':')).toString('base64');
  registerSecret(credentials);
  return `Basic ${credentials}`;
}

/** The value of `variable`, registered. Throws AuthError that names it when it is not set or empty. */
export function secretFrom(env: AuthPorts['env'], variable: string, label: string): string {
  const secret = envValue(env, variable)?.trim() ?? '';
  if (secret === '') {
    throw new AuthError(
      `${label} needs a client secret: the variable ${variable} is not set or empty`,
      { hint: `set ${variable}`, details: { variable } },
    );
  }
  registerSecret(secret);
  return secret;
}

function readSecret({ subject, client, ports }: Claimant): string {
  if (client.clientSecret !== undefined) {
    registerSecret(client.clientSecret);
    return client.clientSecret;
  }
  const variable = subject.settings.clientSecretEnv;
  if (variable !== undefined) return secretFrom(ports.env, variable, subject.label);
  throw new ConfigError(`${subject.label}: the authorization server wants a client secret`, {
    hint: 'name the variable that holds it: clientSecretEnv',
  });
}

/** Longer is refused by some servers; shorter fails where clocks differ. */
const ASSERTION_LIFETIME_S = 240;

async function signedAssertion(subject: Subject, clock: Clock): Promise<ClientAuth> {
  const { privateKeyFile, algorithm = 'ES256' } = subject.settings;
  if (privateKeyFile === undefined) {
    throw new ConfigError(`${subject.label}: the authorization server wants assertions of a key`, {
      hint: 'name the PEM file that holds it: privateKeyFile',
    });
  }
  const key = await importPrivateKey(privateKeyFile, algorithm, subject.label, clock);
  const library = await import('oauth4webapi');
  const sign = library.PrivateKeyJwt(key, {
    // The library names EdDSA after its curve, which older servers do not know, and keeps to the system's clock.
    [library.modifyAssertion](header, payload) {
      const now = Math.floor(clock.date().getTime() / 1000);
      header['alg'] = algorithm;
      payload['iat'] = now;
      payload['exp'] = now + ASSERTION_LIFETIME_S;
      delete payload['nbf'];
    },
  });
  return async (server, client, body, headers) => {
    await sign(server, client, body, headers);
    registerSecret(body.get('client_assertion') ?? '');
  };
}
