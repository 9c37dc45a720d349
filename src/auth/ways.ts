/** The ways to a first token: a browser, another device, or no person at all. Each ends in a login to keep. */
import type { AuthorizedCode } from './authorize.ts';
import { lacksScope, scopesOf } from './scopes.ts';
import { isForgotten } from './token-answer.ts';
import type { TokenContext } from './token-request.ts';
import type {
  AuthPorts,
  Discovery,
  DpopKey,
  Interaction,
  RegisteredClient,
  StoredLogin,
  Subject,
  Tokens,
} from './types.ts';

export interface SignInJob {
  readonly subject: Subject;
  readonly ports: AuthPorts;
  readonly discovery: Discovery;
  readonly scope: string | undefined;
  /** What is kept of an earlier sign-in at the same authorization server. */
  readonly kept: StoredLogin | undefined;
  /** Tokens are to be bound to a key of ours. */
  readonly bindsTokens: boolean;
  readonly signal: AbortSignal;
}

export interface PersonalJob extends SignInJob {
  readonly interaction: Interaction;
  /** Called before a person is asked. Throws when that was too often. */
  readonly onAuthorization: () => void;
}

/** Authorization code with PKCE. A client that the server has forgotten is registered anew, once. */
export async function signInByBrowser(job: PersonalJob): Promise<StoredLogin> {
  const { subject, ports, discovery, signal } = job;
  const { openCallback } = await import('./callback.ts');
  const dpopKey = await keyFor(job);
  let known = clientOf(job);
  for (;;) {
    const listener = await openCallback(subject.settings, known?.redirectUri, ports.clock);
    try {
      const { redirectUri } = listener;
      const client = await clientAt(job, known, redirectUri);
      job.onAuthorization();
      const { authorize } = await import('./authorize.ts');
      const request = { subject, discovery, client, scope: job.scope, redirectUri, listener };
      const code = await authorize(
        { ...request, ...(await thumbprintOf(dpopKey)) },
        ports,
        job.interaction,
        signal,
      );
      try {
        const login = await redeem(job, client, dpopKey, code);
        listener.finish('signed in', subject.label);
        return login;
      } catch (error) {
        listener.finish('refused', error instanceof Error ? error.message : String(error));
        if (!isForgotten(error) || client !== known) throw error;
        known = undefined;
      }
    } finally {
      await listener.close();
    }
  }
}

/** A code that was pasted, or that a callback brought. */
export async function redeem(
  job: SignInJob,
  client: RegisteredClient,
  dpopKey: DpopKey | undefined,
  code: AuthorizedCode,
): Promise<StoredLogin> {
  const { exchangeCode } = await import('./token-request.ts');
  const tokens = await exchangeCode(contextOf(job, client, dpopKey), code);
  return loginOf(job, client, dpopKey, tokens);
}

/** A client that the server has forgotten is registered anew, once. @see RFC 8628 */
export async function signInByDevice(job: PersonalJob): Promise<StoredLogin> {
  const { subject, ports, discovery, scope, signal } = job;
  const { deviceLogin } = await import('./device.ts');
  const dpopKey = await keyFor(job);
  let known = clientOf(job);
  for (;;) {
    const client = known ?? (await registerAs(job, []));
    job.onAuthorization();
    const request = { subject, discovery, client, scope };
    try {
      const bound = dpopKey === undefined ? {} : { dpopKey };
      const tokens = await deviceLogin({ ...request, ...bound }, ports, job.interaction, signal);
      return loginOf(job, client, dpopKey, tokens);
    } catch (error) {
      if (!isForgotten(error) || client !== known) throw error;
      known = undefined;
    }
  }
}

/** The configured grant, which needs nobody. */
export async function signInByGrant(job: SignInJob): Promise<StoredLogin> {
  const { grantTokens } = await import('./grants.ts');
  const client = await registerAs(job, []);
  const dpopKey = await keyFor(job);
  const tokens = await grantTokens(contextOf(job, client, dpopKey));
  return loginOf(job, client, dpopKey, tokens);
}

/** Who we are at this server: as before, where that still fits the configuration, else registered anew. */
export function clientFor(job: SignInJob, redirectUri: string): Promise<RegisteredClient> {
  return clientAt(job, clientOf(job), redirectUri);
}

/** A registration holds for its callback. */
async function clientAt(
  job: SignInJob,
  known: RegisteredClient | undefined,
  redirectUri: string,
): Promise<RegisteredClient> {
  const isFit = known?.kind !== 'dcr' || known.redirectUri === redirectUri;
  return known !== undefined && isFit ? known : registerAs(job, [redirectUri]);
}

/** The key that tokens get bound to; `undefined`: none is wanted. */
export async function keyFor(job: SignInJob): Promise<DpopKey | undefined> {
  if (!job.bindsTokens) return undefined;
  const { checkDpopSupport, createDpopKey } = await import('./dpop.ts');
  checkDpopSupport(job.discovery.metadata);
  return job.kept?.dpopKey ?? createDpopKey();
}

/** For the authorization request. @see RFC 9449 10 */
export async function thumbprintOf(
  key: DpopKey | undefined,
): Promise<{ readonly dpopJkt?: string }> {
  if (key === undefined) return {};
  const { dpopThumbprint } = await import('./dpop.ts');
  return { dpopJkt: await dpopThumbprint(key) };
}

async function registerAs(
  { subject, discovery, ports, signal, scope }: SignInJob,
  redirectUris: readonly string[],
): Promise<RegisteredClient> {
  const { register } = await import('./register.ts');
  return register(subject, discovery, redirectUris, ports, signal, scope);
}

function contextOf(
  { subject, discovery, scope, ports, signal }: SignInJob,
  client: RegisteredClient,
  dpopKey: DpopKey | undefined,
): TokenContext {
  const { metadata, resource } = discovery;
  return { subject, metadata, client, resource, scope, dpopKey, ports, signal };
}

function loginOf(
  { subject, discovery, scope, ports }: SignInJob,
  client: RegisteredClient,
  dpopKey: DpopKey | undefined,
  tokens: Tokens,
): StoredLogin {
  const { metadata, resource } = discovery;
  const refused = scopesOf(scope).filter((one) => lacksScope(one, tokens.scope));
  return {
    key: subject.key,
    metadata,
    client,
    tokens,
    savedAt: ports.clock.date().getTime(),
    ...(resource === undefined ? {} : { resource }),
    ...(dpopKey === undefined || tokens.type === 'bearer' ? {} : { dpopKey }),
    ...(refused.length === 0 ? {} : { refusedScopes: refused }),
  };
}

/** Who we were before, where that still fits what is configured. */
function clientOf({ kept, subject, ports, scope }: SignInJob): RegisteredClient | undefined {
  const { settings } = subject;
  const client = kept?.client;
  if (client === undefined || settings.clientId !== undefined || client.kind === 'configured') {
    return undefined;
  }
  const { secretExpiresAt = Number.POSITIVE_INFINITY } = client;
  if (secretExpiresAt <= ports.clock.date().getTime()) return undefined;
  // Registered for less than what is asked for now, which would be refused.
  if (client.scope !== undefined && lacksScope(scope, client.scope)) return undefined;
  const { clientRegistration = 'auto', clientMetadataUrl } = settings;
  if (clientRegistration !== 'auto' && clientRegistration !== client.kind) return undefined;
  return client.kind === 'cimd' && client.clientId !== clientMetadataUrl ? undefined : client;
}
