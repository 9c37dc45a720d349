/** Where the credentials of one server come from, as its entry says. Nothing is started or read yet. */
import type { HeaderSource } from '../auth/header-source.ts';
import { createOAuthSource, SignInNeededError } from '../auth/oauth-source.ts';
import { SignIn, type SignInPorts } from '../auth/sign-in.ts';
import { serverSubject } from '../auth/subject.ts';
import type { Interaction, Subject } from '../auth/types.ts';
import { ConfigError } from '../base/errors.ts';
import { routeFetch } from '../base/route.ts';
import type { NetworkEndpoint, RemoteEndpoint } from '../transport/create.ts';
import { commandHeaders, commandToken } from './command-headers.ts';
import type { ConnectionPorts } from './ports.ts';

export interface Credentials {
  /** Adds to every request what is not known beforehand. */
  readonly source?: HeaderSource;
  readonly signIn?: SignIn;
  /** What helps when what `source` gave is refused. Absent: the source says it itself, or there is none. */
  readonly refusedHint?: string;
}

/** `closing` ends what runs for them. Throws ConfigError for a login that nothing describes. */
export function openCredentials(
  server: string,
  endpoint: RemoteEndpoint,
  ports: ConnectionPorts,
  closing: AbortSignal,
): Credentials {
  if (endpoint.kind === 'stdio') return {};
  const headers = commandHeaders(server, endpoint, ports, closing);
  if (headers !== undefined) return { source: headers, refusedHint: COMMAND_REFUSED };
  const { auth } = endpoint;
  switch (auth?.type) {
    case 'bearer':
    case 'apiKey':
      return {};
    case 'command': {
      const source = commandToken(server, auth, ports, closing);
      return { source, refusedHint: TOKEN_REFUSED };
    }
    case 'provider':
      return providerCredentials(server, auth.provider, endpoint, ports, closing);
    case 'oauth':
      return oauthCredentials(server, endpoint, ports, closing);
    case undefined:
      return mayNeedSignIn(endpoint) ? oauthCredentials(server, endpoint, ports, closing) : {};
  }
}

/**
 * Has the person sign in after `error`. False: that would not help, or nobody is there. Rejects with what
 * went wrong with it.
 */
export async function signInFor(
  error: unknown,
  signIn: SignIn | undefined,
  by: Interaction | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(error instanceof SignInNeededError) || !error.isWorthAsking) return false;
  if (signIn === undefined || by === undefined) return false;
  await signIn.begin(by, { challenge: error.challenge }, signal);
  return true;
}

/** The sign-in of a server, or of a login that `logins:` describes, over its own way. */
export function createSignIn(
  subject: Subject,
  endpoint: Pick<NetworkEndpoint, 'proxy' | 'tls' | 'allowPrivate'>,
  ports: Pick<ConnectionPorts, 'clock' | 'env' | 'fetch' | 'log' | 'logins' | 'resolve'>,
): SignIn {
  const { clock, env, log, resolve, logins } = ports;
  const { proxy, tls, allowPrivate } = endpoint;
  const now = () => clock.now();
  const fetch = routeFetch(ports.fetch, { env, proxy, tls, allowPrivate, resolve, now });
  const signInPorts: SignInPorts = { clock, env, fetch, log, store: logins ?? NOTHING_KEPT };
  return new SignIn(subject, signInPorts);
}

function oauthCredentials(
  server: string,
  endpoint: NetworkEndpoint,
  ports: ConnectionPorts,
  closing: AbortSignal,
): Credentials {
  const { auth, url } = endpoint;
  const settings = auth?.type === 'oauth' ? auth : {};
  const { loginWords } = ports;
  const subject = serverSubject(server, url, settings, loginWords);
  const signIn = createSignIn(subject, endpoint, ports);
  const isOptional = auth === undefined;
  const { clock } = ports;
  return {
    signIn,
    source: createOAuthSource(signIn, {
      clock,
      url,
      isOptional,
      closing,
      ...(loginWords === undefined ? {} : { tokenHint: BARE_URL_TOKEN }),
    }),
  };
}

function providerCredentials(
  server: string,
  name: string,
  { url }: NetworkEndpoint,
  ports: ConnectionPorts,
  closing: AbortSignal,
): Credentials {
  const login = ports.namedLogin?.(name);
  if (login === undefined) {
    throw new ConfigError(`server "${server}": auth.provider: there is no login "${name}"`, {
      hint: `describe it under logins: ${name}`,
    });
  }
  const signIn = createSignIn(login.subject, login, ports);
  return {
    source: createOAuthSource(signIn, { clock: ports.clock, url, isShared: true, closing }),
  };
}

/** Without any credentials of the user's own: whoever was signed in to it before still is. */
function mayNeedSignIn({ kind, headers }: NetworkEndpoint): boolean {
  return kind !== 'ws' && !Object.keys(headers).some((name) => CREDENTIAL.test(name));
}

const CREDENTIAL = /authorization|api-?key|token|cookie/i;
const BARE_URL_TOKEN = 'or --bearer-env NAME where it takes a plain token';
const COMMAND_REFUSED =
  'its headersCommand was run once more, and those headers are refused as well';
const TOKEN_REFUSED = 'its auth.command was run once more, and that token is refused as well';

const NOTHING_KEPT: SignInPorts['store'] = {
  read: async () => undefined,
  write: async () => undefined,
  remove: async () => false,
  list: async () => [],
  alone: (_key, _signal, work) => work(),
};
