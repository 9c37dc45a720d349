/**
 * Requests to a token endpoint: client authentication, proof of our key, refusals in plain words. What comes
 * back is read by `token-answer.ts`; the order of a sign-in is not its matter.
 * @see RFC 6749 4.1.3 and 6, RFC 8707, RFC 9449 5 and 8
 */
import { AuthError, ConnectError, ProtocolError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { registerSecret } from '../base/redact.ts';
import { type ClientForm, clientForm } from './client-auth.ts';
import { createProver, type DpopProver } from './dpop.ts';
import { loginFetch } from './request.ts';
import { readAnswer, readTokens, type TokenAnswer, TokenRefusedError } from './token-answer.ts';
import type {
  AuthPorts,
  DpopKey,
  RegisteredClient,
  ServerMetadata,
  Subject,
  Tokens,
} from './types.ts';

export interface TokenContext {
  readonly subject: Subject;
  readonly metadata: ServerMetadata;
  readonly client: RegisteredClient;
  /** Sent as `resource` whenever it is set. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly dpopKey: DpopKey | undefined;
  readonly ports: AuthPorts;
  readonly signal: AbortSignal;
}

export interface TokenRequest {
  readonly grantType: string;
  /** `undefined` is left out. Register what is secret beforehand. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** What the server may refuse, for texts: `the code`. */
  readonly what: string;
  /** Who is asked, for texts; default the authorization server. */
  readonly who?: string;
  /** What helps against a refusal; default the command that signs in. */
  readonly hint?: string;
}

/** Gives the code for tokens. Errors as `requestTokens`. */
export function exchangeCode(
  context: TokenContext,
  code: {
    readonly params: URLSearchParams;
    readonly verifier: string;
    readonly redirectUri: string;
  },
): Promise<Tokens> {
  const value = code.params.get('code') ?? '';
  registerSecret(value);
  registerSecret(code.verifier);
  return requestTokens(context, {
    grantType: 'authorization_code',
    parameters: { code: value, code_verifier: code.verifier, redirect_uri: code.redirectUri },
    what: 'the code',
  });
}

/**
 * New tokens for the refresh token, which is kept where none is answered, as is the scope. Errors as
 * `requestTokens`; AuthError when there is no refresh token.
 */
export async function refreshTokens(context: TokenContext, tokens: Tokens): Promise<Tokens> {
  const { subject, scope } = context;
  const { refreshToken } = tokens;
  if (refreshToken === undefined) {
    throw new AuthError(`${subject.label}: its token has ended and there is none to renew it`, {
      hint: subject.command,
    });
  }
  registerSecret(refreshToken);
  const fresh = await requestTokens(context, {
    grantType: 'refresh_token',
    parameters: { refresh_token: refreshToken, scope },
    what: 'the refresh token',
  });
  return {
    ...(tokens.scope === undefined ? {} : { scope: tokens.scope }),
    refreshToken,
    ...fresh,
  };
}

/**
 * Tokens by any grant; `resource` is added. Rejects with TokenRefusedError when the server says no,
 * ConnectError (retryable) when it could not be asked or is out of order, ProtocolError for an answer that
 * is none, AuthError for a bearer token where `dpop: true` is set, and as `clientAuth` does.
 */
export async function requestTokens(context: TokenContext, request: TokenRequest): Promise<Tokens> {
  const { subject, resource, scope, dpopKey, ports } = context;
  const now = ports.clock.date().getTime();
  const answer = await postGrant(context, {
    ...request,
    parameters: { ...request.parameters, resource },
  });
  const isDpop = dpopKey !== undefined;
  const tokens = readTokens(answer, { scope, now, dpop: isDpop, label: subject.label });
  if (isDpop && tokens.type === 'bearer' && subject.settings.dpop === true) {
    throw new AuthError(
      `${subject.label}: the authorization server gave a token that is not bound to our key`,
      { hint: 'it does not do DPoP: leave out dpop: true, or turn it on there' },
    );
  }
  return tokens;
}

/** The fields of a successful answer, unread. Errors as `requestTokens`. */
export async function postGrant(
  context: Omit<TokenContext, 'resource' | 'scope'>,
  request: TokenRequest,
): Promise<JsonObject> {
  const { subject, metadata, dpopKey, ports, signal } = context;
  const prover = dpopKey === undefined ? undefined : createProver(dpopKey, ports.clock);
  const send = loginFetch(ports, signal, subject.label);
  const url = metadata.token_endpoint;
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(url, await buildRequest(context, request, prover));
    const answer = await readAnswer(response);
    const isNew = prover?.nonceFrom(response, url) === true;
    if (isNew && answer.error === 'use_dpop_nonce' && attempt === 1) continue;
    return acceptedFields(context, request, answer);
  }
}

/** Anew for every attempt: assertions and proofs count once. */
async function buildRequest(
  context: Omit<TokenContext, 'resource' | 'scope'>,
  request: TokenRequest,
  prover: DpopProver | undefined,
): Promise<ClientForm> {
  const { metadata } = context;
  const fields = { grant_type: request.grantType, ...request.parameters };
  const form = await clientForm(context, metadata.issuer, fields);
  if (prover === undefined) return form;
  const dpop = await prover.proof('POST', metadata.token_endpoint, undefined);
  return { ...form, headers: { ...form.headers, dpop } };
}

/** Statuses that say "later", not "no". */
const PASSING = new Set([408, 425, 429]);
const REFUSING = new Set([400, 401, 403]);

function acceptedFields(
  context: Pick<TokenContext, 'subject' | 'client' | 'metadata'>,
  request: TokenRequest,
  answer: TokenAnswer,
): JsonObject {
  const { label } = context.subject;
  const { who = 'the authorization server', what } = request;
  const { status, fields, error, reason } = answer;
  const details = { status, ...(error === undefined ? {} : { error }) };
  if (status >= 500 || PASSING.has(status)) {
    const because = reason === '' ? '' : `: ${reason}`;
    throw new ConnectError(`${label}: ${who} is out of order (HTTP ${status})${because}`, {
      hint: 'try again later',
      retryable: true,
      details,
    });
  }
  if (error !== undefined || REFUSING.has(status)) {
    const because = reason === '' ? `HTTP ${status}` : reason;
    throw new TokenRefusedError(
      `${label}: ${who} refused ${what}: ${because}${unlisted(context, request)}`,
      { hint: refusalHint(context, error) ?? request.hint ?? context.subject.command, details },
    );
  }
  const isGood = status >= 200 && status < 300;
  if (isGood && fields !== undefined) return fields;
  const came = isGood ? 'something that is not JSON' : `HTTP ${status}`;
  throw new ProtocolError(
    `${label}: the token endpoint ${endpointName(context.metadata)} answered ${came}`,
    { details },
  );
}

/** A grant that the metadata does not list is tried all the same; a refusal is no surprise then. */
function unlisted(
  { metadata }: Pick<TokenContext, 'metadata'>,
  { grantType }: TokenRequest,
): string {
  const listed = metadata.grant_types_supported;
  if (listed === undefined || listed.includes(grantType)) return '';
  return `; its metadata does not list the grant ${grantType}`;
}

/** Where what is configured is refused; `undefined`: it is something else. */
export function refusalHint(
  { subject, client }: Pick<TokenContext, 'subject' | 'client'>,
  error: string | undefined,
): string | undefined {
  const { clientSecretEnv, scope } = subject.settings;
  const isClient = error === 'invalid_client' || error === 'unauthorized_client';
  if (isClient && client.kind === 'configured') {
    const secret = clientSecretEnv === undefined ? '' : ` and the secret in ${clientSecretEnv}`;
    return `check clientId${secret}`;
  }
  if (error === 'invalid_scope' && scope !== undefined) return 'check scope';
  return undefined;
}

/** Without query: it may hold what is nobody's business. */
function endpointName({ token_endpoint }: ServerMetadata): string {
  const [name = ''] = token_endpoint.split(/[?#]/);
  return name;
}
