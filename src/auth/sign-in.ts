/**
 * One sign-in from the first refusal to the end: what is kept, who gives tokens, which way leads to one. The
 * MCP-specific order of things; each step is a room of its own, loaded when there is something to do.
 * Source: MCP 2026-07-28, authorization; earlier revisions fit.
 */
import { AuthError, FailedError } from '../base/errors.ts';
import { type SharedWork, shareWork } from '../base/shared-work.ts';
import { checkKeeping, dropLogin, keepLogin } from './keeping.ts';
import { freshTokens } from './refresh.ts';
import { lacksScope, scopeToAsk } from './scopes.ts';
import { isForgotten } from './token-answer.ts';
import type {
  AuthPorts,
  Challenge,
  Discovery,
  Interaction,
  LoginStore,
  StoredLogin,
  Subject,
} from './types.ts';
import type { SignInJob } from './ways.ts';

export interface SignInPorts extends AuthPorts {
  readonly store: LoginStore;
}

/** What is asked for beside the settings. */
export interface SignInWish {
  readonly challenge: Challenge | undefined;
  /** Further scopes, separated by spaces. */
  readonly scope?: string | undefined;
  /** In place of the configured grant: the device flow, for a machine without a browser. */
  readonly isByDevice?: boolean;
}

const NEVER = new AbortController().signal;

/** More would be a server that is never content. Counted since a person last asked for a sign-in. */
const MAX_AUTHORIZATIONS = 3;

export class SignIn {
  readonly subject: Subject;
  readonly ports: SignInPorts;
  #login: StoredLogin | undefined;
  #isRead = false;
  #isStartingOver = false;
  #authorizations = 0;
  readonly #renewals = new Map<string, Promise<StoredLogin | undefined>>();
  #running: SharedWork<StoredLogin> | undefined;

  constructor(subject: Subject, ports: SignInPorts) {
    this.subject = subject;
    this.ports = ports;
  }

  /** The kept login, refreshed ahead of its expiry; `undefined`: nothing that could be sent. */
  async current(signal: AbortSignal): Promise<StoredLogin | undefined> {
    if (!this.#isRead) this.#take(await this.ports.store.read(this.subject.key));
    if (this.#login === undefined) return undefined;
    return this.#take(await this.#fresh(this.#login, undefined, signal));
  }

  /** Whether requests carry a token of its. */
  get isSignedIn(): boolean {
    return this.#login !== undefined;
  }

  /** Forgets what was read: another process may have signed in or out. */
  reset(): void {
    if (this.#isStartingOver) return;
    this.#isRead = false;
    this.#login = undefined;
  }

  /** A person wants to sign in anew: until that is done nothing that is kept is sent. */
  startOver(): void {
    this.#isStartingOver = true;
    this.#authorizations = 0;
    this.#take(undefined);
  }

  get isStartingOver(): boolean {
    return this.#isStartingOver;
  }

  /** Nobody has signed in anew: what is kept counts again. */
  giveUpStartingOver(): void {
    if (!this.#isStartingOver) return;
    this.#isStartingOver = false;
    this.reset();
  }

  /** False: the grant gives tokens without one. */
  get needsPerson(): boolean {
    const { grant = 'authorization_code' } = this.subject.settings;
    return grant === 'authorization_code' || grant === 'device_code';
  }

  /**
   * After a refusal of `used`: what another process has stored meanwhile, a refreshed token, or one of a
   * grant that needs no person. `undefined`: a person has to sign in. Those who ask at once share one answer,
   * which ends with the first one's signal.
   */
  renew(
    used: StoredLogin | undefined,
    challenge: Challenge | undefined,
    signal: AbortSignal,
  ): Promise<StoredLogin | undefined> {
    const key = `${used?.tokens.accessToken ?? ''} ${challenge?.scope ?? ''}`;
    const running = this.#renewals.get(key);
    if (running !== undefined) return running;
    const renewal = this.#renewOnce(used, challenge, signal).finally(() =>
      this.#renewals.delete(key),
    );
    this.#renewals.set(key, renewal);
    return renewal;
  }

  /**
   * Signs in anew, with the person where the grant needs one. One at a time; others get its outcome. `signal` ends
   * the wait of this caller; the sign-in ends with the last one.
   */
  begin(interaction: Interaction, wish: SignInWish, signal: AbortSignal): Promise<StoredLogin> {
    const before = this.#running;
    if (before?.isOpen === true) return before.join(signal);
    this.#running = shareWork(async (stop) => {
      // One that was given up may still hold the port of the callback.
      await before?.settled;
      return this.#beginOnce(interaction, wish, stop);
    });
    return this.#running.join(signal);
  }

  /** What every way to a token needs to know. */
  async prepare(wish: SignInWish, signal: AbortSignal): Promise<SignInJob> {
    const discovery = await this.#discover(wish.challenge, signal);
    return this.#jobFor(discovery, wish, await this.#keptAt(discovery), signal);
  }

  /** Stores and uses `login`; one that cannot be stored is revoked. */
  async keep(login: StoredLogin): Promise<StoredLogin> {
    try {
      await keepLogin(this.ports.store, login);
    } catch (error) {
      // Nobody could use or end it later.
      await this.#revoke(login, NEVER);
      throw error;
    }
    this.#isStartingOver = false;
    this.#take(login);
    return login;
  }

  /** True when asking a person for the scopes of `challenge` would be in vain, as it was before. */
  isScopeRefused({ scope }: Challenge): boolean {
    const login = this.#login;
    return !lacksScope(scope, login?.tokens.scope, login?.refusedScopes?.join(' '));
  }

  /** Revokes and forgets the tokens. False: nothing was kept. LimitError when another process holds them for long. */
  async end(signal: AbortSignal): Promise<boolean> {
    const { store, log } = this.ports;
    const revoke = async (login: StoredLogin) => {
      const isRevoked = await this.#revoke(login, signal);
      if (isRevoked || login.metadata.revocation_endpoint === undefined) return;
      const { label } = this.subject;
      log('warn', `${label}: nobody confirms that its tokens are revoked; they are forgotten here`);
    };
    const wasKept = await dropLogin(store, this.subject.key, revoke, log, signal);
    this.reset();
    return wasKept;
  }

  async #renewOnce(
    used: StoredLogin | undefined,
    challenge: Challenge | undefined,
    signal: AbortSignal,
  ): Promise<StoredLogin | undefined> {
    if (this.#isStartingOver) return undefined;
    const kept = await this.ports.store.read(this.subject.key);
    const isStepUp = challenge?.error === 'insufficient_scope';
    const lacks = isStepUp && lacksScope(challenge.scope, kept?.tokens.scope);
    if (kept !== undefined && kept.tokens.accessToken !== used?.tokens.accessToken && !lacks) {
      const fresh = await this.#fresh(kept, undefined, signal);
      if (fresh !== undefined) return this.#take(fresh);
    }
    const canRefresh = kept?.tokens.refreshToken !== undefined && !isStepUp;
    if (this.needsPerson && !canRefresh) return undefined;
    const discovery = await this.#discover(challenge, signal);
    const same = sameIssuer(kept, discovery);
    if (this.needsPerson) {
      return same && this.#take(await this.#fresh(same, used?.tokens.accessToken, signal));
    }
    const { signInByGrant } = await import('./ways.ts');
    return this.#keepGranted(
      await signInByGrant(this.#jobFor(discovery, { challenge }, same, signal)),
    );
  }

  async #beginOnce(
    interaction: Interaction,
    wish: SignInWish,
    signal: AbortSignal,
  ): Promise<StoredLogin> {
    const { signInByBrowser, signInByDevice, signInByGrant } = await import('./ways.ts');
    const job = await this.prepare(wish, signal);
    if (!this.needsPerson) return this.keep(await signInByGrant(job));
    await checkKeeping(this.ports.store, this.subject.key, signal);
    const isByDevice = wish.isByDevice ?? this.subject.settings.grant === 'device_code';
    const way = isByDevice ? signInByDevice : signInByBrowser;
    const onAuthorization = () => this.#countAuthorization();
    return this.keep(await way({ ...job, interaction, onAuthorization }));
  }

  /** The next token costs nobody anything: one that cannot be stored is used all the same. */
  async #keepGranted(login: StoredLogin): Promise<StoredLogin> {
    try {
      await keepLogin(this.ports.store, login);
    } catch (error) {
      if (!(error instanceof FailedError)) throw error;
      this.ports.log('warn', `${error.message}; the token is not kept for the next run`);
    }
    this.#take(login);
    return login;
  }

  async #revoke(login: StoredLogin, signal: AbortSignal): Promise<boolean> {
    const { revokeTokens } = await import('./revoke.ts');
    return revokeTokens(this.#contextOf(login, signal), login.tokens);
  }

  #jobFor(
    discovery: Discovery,
    wish: SignInWish,
    kept: StoredLogin | undefined,
    signal: AbortSignal,
  ): SignInJob {
    const { subject } = this;
    const { settings } = subject;
    const { challenge } = wish;
    const scope = scopeToAsk({ settings, discovery, challenge, kept, extra: wish.scope });
    const bindsTokens =
      settings.dpop ?? (challenge?.scheme === 'dpop' || kept?.dpopKey !== undefined);
    return { subject, ports: this.ports, discovery, scope, kept, bindsTokens, signal };
  }

  async #discover(challenge: Challenge | undefined, signal: AbortSignal): Promise<Discovery> {
    const { discover } = await import('./discover.ts');
    const found = await discover(this.subject, challenge, this.ports, signal);
    const { url, resource } = this.subject;
    return url === undefined ? { ...found, resource } : found;
  }

  async #keptAt(discovery: Discovery): Promise<StoredLogin | undefined> {
    return sameIssuer(await this.ports.store.read(this.subject.key), discovery);
  }

  #fresh(
    login: StoredLogin,
    used: string | undefined,
    signal: AbortSignal,
  ): Promise<StoredLogin | undefined> {
    const { store, clock } = this.ports;
    const refresh = async (stored: StoredLogin) => {
      const { refreshTokens } = await import('./token-request.ts');
      // Under its own limit of time: an answer that nobody waits for would lose a rotated token.
      const context = this.#contextOf(stored, NEVER);
      const tokens = await refreshTokens(context, stored.tokens).catch(async (error: unknown) => {
        // A registration that the server has forgotten would be refused by the next sign-in as well.
        if (isForgotten(error) && stored.client.kind === 'dcr') await store.remove(stored.key);
        throw error;
      });
      return { ...stored, tokens };
    };
    return freshTokens({ store, login, used, refresh, clock, signal });
  }

  #contextOf({ metadata, client, resource, tokens, dpopKey }: StoredLogin, signal: AbortSignal) {
    const { subject } = this;
    const { scope } = tokens;
    return { subject, metadata, client, resource, scope, dpopKey, ports: this.ports, signal };
  }

  #take(login: StoredLogin | undefined): StoredLogin | undefined {
    this.#login = login;
    this.#isRead = true;
    return login;
  }

  #countAuthorization(): void {
    this.#authorizations += 1;
    if (this.#authorizations <= MAX_AUTHORIZATIONS) return;
    const { label, command } = this.subject;
    throw new AuthError(
      `${label} asked for ${MAX_AUTHORIZATIONS} sign-ins and is still not content`,
      { hint: command },
    );
  }
}

/** What one authorization server gave is nothing to another. */
function sameIssuer(
  login: StoredLogin | undefined,
  { metadata }: Discovery,
): StoredLogin | undefined {
  return login?.metadata.issuer === metadata.issuer ? login : undefined;
}
