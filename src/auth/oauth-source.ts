/**
 * Puts the token of a sign-in on every request to one server, and renews it when it is refused. Never asks a
 * person: what needs one ends in a SignInNeededError, before the server has acted on the request.
 */
import { raceAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, AuthError } from '../base/errors.ts';
import { errorCode } from '../base/files.ts';
import { discardBody, type Fetch, type FetchInit } from '../base/http.ts';
import type { HeaderSource } from './header-source.ts';
import type { SignIn } from './sign-in.ts';
import type { Challenge, DpopKey, StoredLogin, Subject } from './types.ts';

/** Only a person can help. The request was refused unread: it may be sent again after a sign-in. */
export class SignInNeededError extends AuthError {
  readonly challenge: Challenge | undefined;
  /** False: a person was asked for just this, in vain. */
  readonly isWorthAsking: boolean;

  constructor(
    message: string,
    facts: {
      readonly challenge: Challenge | undefined;
      readonly isWorthAsking: boolean;
      readonly status: number;
      readonly hint: string;
    },
  ) {
    const { status, hint } = facts;
    super(message, { hint, details: { status, signIn: true } });
    this.challenge = facts.challenge;
    this.isWorthAsking = facts.isWorthAsking;
  }
}

export interface OAuthSourceOptions {
  readonly clock: Clock;
  /** The server's; its origin alone gets the token. */
  readonly url: string;
  /** Without a kept login a refusal is left as it is, unless the server says where to sign in. Default false. */
  readonly isOptional?: boolean;
  /** What is kept is read anew for every request: others sign in and out with it. Default false. */
  readonly isShared?: boolean;
  /** What else may help where the server does not say where to sign in. Absent: nothing. */
  readonly tokenHint?: string;
  readonly closing: AbortSignal;
}

export function createOAuthSource(signIn: SignIn, options: OAuthSourceOptions): HeaderSource {
  let proving: { readonly key: DpopKey; readonly prover: Promise<Prover> } | undefined;
  const { origin } = new URL(options.url);

  const proverOf = (key: DpopKey): Promise<Prover> => {
    // By value: a login that is read anew would lose its nonces.
    if (proving === undefined || proving.key['d'] !== key['d']) {
      const loading = import('./dpop.ts');
      proving = {
        key,
        prover: loading.then(({ createProver }) => createProver(key, options.clock)),
      };
    }
    return proving.prover;
  };

  const dressed = async (fetch: Fetch, url: string, init: FetchInit, login: StoredLogin) => {
    const { tokens, dpopKey } = login;
    const send = (headers: Record<string, string>) =>
      fetch(url, { ...init, headers: { ...init.headers, ...headers } });
    if (tokens.type === 'bearer' || dpopKey === undefined) {
      return send({ authorization: `Bearer ${tokens.accessToken}` });
    }
    const prover = await proverOf(dpopKey);
    const sendProven = async () =>
      send({
        authorization: `DPoP ${tokens.accessToken}`,
        dpop: await prover.proof(init.method, url, tokens.accessToken),
      });
    const response = await sendProven();
    const wantsNonce = prover.nonceFrom(response, url) && response.status === 401;
    if (!wantsNonce || (await challengeOf(response))?.error !== 'use_dpop_nonce') return response;
    await discardBody(response);
    const second = await sendProven();
    prover.nonceFrom(second, url);
    return second;
  };

  /** Where a sign-in may not even be wanted, one that cannot be read is told once it is asked for. */
  const kept = (): Promise<StoredLogin | undefined> => {
    const current = signIn.current(options.closing);
    if (options.isOptional !== true) return current;
    return current.catch((error: unknown) => {
      const isAboutKeeping =
        error instanceof AppError
          ? error.code === 'failed' || error.code === 'auth'
          : errorCode(error) !== undefined;
      if (!isAboutKeeping) throw error;
      return undefined;
    });
  };

  const send = async (fetch: Fetch, url: string, init: FetchInit, login?: StoredLogin) =>
    login === undefined ? fetch(url, init) : dressed(fetch, url, init, login);

  return {
    reset: () => signIn.reset(),
    wrap(fetch) {
      const wrapped: Fetch = async (url, init) => {
        // A token is for the server that it was given for.
        if (new URL(url).origin !== origin) return fetch(url, init);
        if (options.isShared === true) signIn.reset();
        let login = await raceAbort(kept(), init.signal);
        const tried = new Set<number>();
        for (;;) {
          const response = await send(fetch, url, init, login);
          const challenge = isRefusal(response) ? await challengeOf(response) : undefined;
          const { status } = response;
          const isStepUp = status === 403 && challenge?.error === 'insufficient_scope';
          if (status !== 401 && !isStepUp) return response;
          const isForeign = login === undefined && challenge?.resourceMetadata === undefined;
          // Not when the person has just asked for a sign-in.
          const isLeft = options.isOptional === true && isForeign && !signIn.isStartingOver;
          if (init.method === 'DELETE' || isLeft) return response;
          await discardBody(response);
          // One renewal for each kind of refusal.
          const isFirst = !tried.has(status);
          tried.add(status);
          const renewed: StoredLogin | undefined = isFirst
            ? await raceAbort(signIn.renew(login, challenge, options.closing), init.signal)
            : undefined;
          if (renewed === undefined)
            throw neededError(signIn, login, challenge, status, options.tokenHint);
          login = renewed;
        }
      };
      return Object.assign(wrapped, fetch);
    },
  };
}

type Prover = ReturnType<typeof import('./dpop.ts').createProver>;

function isRefusal({ status }: Response): boolean {
  return status === 401 || status === 403;
}

async function challengeOf(response: Response): Promise<Challenge | undefined> {
  if (!response.headers.has('www-authenticate')) return undefined;
  const { readChallenge } = await import('./challenge.ts');
  return readChallenge(response);
}

function neededError(
  signIn: SignIn,
  login: StoredLogin | undefined,
  challenge: Challenge | undefined,
  status: number,
  tokenHint: string | undefined,
): SignInNeededError {
  const { subject } = signIn;
  if (status === 403 && challenge !== undefined) {
    const isWorthAsking = signIn.needsPerson && !signIn.isScopeRefused(challenge);
    return new SignInNeededError(scopeText(subject, challenge, isWorthAsking), {
      challenge,
      isWorthAsking,
      status,
      hint: scopeHint(subject, challenge),
    });
  }
  if (login !== undefined && !signIn.needsPerson) return grantRefused(signIn, challenge, status);
  const text =
    login === undefined
      ? `${subject.label} needs a sign-in (401)`
      : `${subject.label} does not take the kept sign-in any more (401)`;
  return new SignInNeededError(text, {
    challenge,
    isWorthAsking: true,
    status,
    hint:
      tokenHint === undefined || login !== undefined || challenge?.resourceMetadata !== undefined
        ? subject.command
        : `${subject.command}, ${tokenHint}`,
  });
}

/** Another token by the same grant would be no better. */
function grantRefused(
  { subject }: SignIn,
  challenge: Challenge | undefined,
  status: number,
): SignInNeededError {
  const { label, settings } = subject;
  const text = `${label} does not take the token that the grant ${settings.grant} gave (401)`;
  const hint = 'check clientId, scope and authServerMetadataUrl of its sign-in';
  return new SignInNeededError(text, { challenge, isWorthAsking: false, status, hint });
}

function scopeText({ label }: Subject, { scope = '' }: Challenge, isNew: boolean): string {
  return isNew
    ? `${label} wants the scope ${scope}, which the sign-in does not have (403)`
    : `${label} still wants the scope ${scope} after a sign-in that asked for it (403)`;
}

function scopeHint({ command }: Subject, { scope = '' }: Challenge): string {
  return `${command} --oauth-scope '${scope.replace(/[^\x21-\x7e ]|'/g, '')}'`;
}
