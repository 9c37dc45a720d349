/** Configured headers and credentials of an HTTP server, ready to send. Reads tokens only by variable name. */
import { type Env, envValue } from '../base/env.ts';
import { AuthError, ConfigError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import type { ServerAuth } from '../config/types.ts';

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a token of the user is among them: tells "refused" from "missing". */
  readonly hasToken: boolean;
}

/**
 * The headers of `endpoint` with its token added. Registers what is secret. Throws AuthError when the
 * variable is missing, empty or unusable (nothing may be sent then), ConfigError when headers and auth
 * both set the same header.
 */
export function readCredentials(
  server: string,
  endpoint: {
    readonly headers: Readonly<Record<string, string>>;
    readonly auth: ServerAuth | undefined;
  },
  env: Env,
): Credentials {
  const { headers, auth } = endpoint;
  for (const [name, value] of Object.entries(headers)) {
    if (SECRET_HEADER.test(name)) registerHeader(value);
  }
  if (auth === undefined) {
    return { headers, hasToken: Object.keys(headers).some((name) => SECRET_HEADER.test(name)) };
  }
  const header = authHeader(auth);
  const rival = Object.keys(headers).find((name) => name.toLowerCase() === header.toLowerCase());
  if (rival !== undefined) {
    throw new ConfigError(`server "${server}": headers and auth both set ${rival}`, {
      hint: 'keep one of them',
    });
  }
  // The others come by themselves, request by request.
  if (!('tokenEnv' in auth)) return { headers, hasToken: false };
  const token = readToken(server, auth.tokenEnv, env);
  return {
    headers: { ...headers, [header]: auth.type === 'bearer' ? `Bearer ${token}` : token },
    hasToken: true,
  };
}

/** The header that `auth` sets. */
export function authHeader(auth: ServerAuth): string {
  return auth.type === 'apiKey' ? auth.header : 'Authorization';
}

const SECRET_HEADER = /authorization|cookie|token|secret|password|api-?key|^x-key$/i;
const CONTROL = /[\u0000-\u001f\u007f]/;
/** A scheme before the credential, which is no secret itself. */
const SCHEME = /^(?:bearer|basic|token)\s+/i;

function readToken(server: string, variable: string, env: Env): string {
  const token = envValue(env, variable)?.trim() ?? '';
  if (token === '') {
    throw new AuthError(
      `server "${server}" needs a token: the variable ${variable} is not set or empty`,
      { hint: `set ${variable}`, details: { variable } },
    );
  }
  registerSecret(token);
  if (CONTROL.test(token)) {
    throw new AuthError(
      `server "${server}": the token in ${variable} contains a line break or control character`,
      { hint: `set ${variable} to the token alone`, details: { variable } },
    );
  }
  return token;
}

/** The credential with and without its scheme; of `Basic` also the password. @see RFC 7617 2 */
export function registerHeader(value: string): void {
  const whole = value.trim();
  const credential = whole.replace(SCHEME, '');
  registerSecret(whole);
  registerSecret(credential);
  if (!/^basic\s/i.test(whole)) return;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credential, 'base64').toString()) ?? [];
  if (password !== undefined) registerSecret(password);
}
