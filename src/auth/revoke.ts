/** Tells the authorization server that tokens are not needed any more. @see RFC 7009 2 */
import { anySignal, raceAbort, startLimit } from '../base/abort.ts';
import { LimitError, toAppError } from '../base/errors.ts';
import { registerSecret } from '../base/redact.ts';
import { clientForm } from './client-auth.ts';
import { loginFetch } from './request.ts';
import { readAnswer, type TokenAnswer } from './token-answer.ts';
import type { TokenContext } from './token-request.ts';
import type { Tokens } from './types.ts';

/** 5 s for all tokens. */
export const REVOKE_MS = 5000;

/**
 * Revokes the refresh token, then the access token, as well as it can be done within 5 s. True: the server
 * confirmed that nothing of it can be used. False: it cannot, did not answer, or would not; why is logged at
 * debug. Rejects only with the signal's reason.
 */
export async function revokeTokens(context: TokenContext, tokens: Tokens): Promise<boolean> {
  const { subject, ports, signal } = context;
  signal.throwIfAborted();
  const limit = startLimit(
    ports.clock,
    REVOKE_MS,
    () => new LimitError('no confirmation within 5 s', { details: { limit: 'revocation' } }),
  );
  const stop = anySignal(signal, limit.signal);
  try {
    return await raceAbort(revokeAll({ ...context, signal: stop }, tokens), stop);
  } catch (error) {
    signal.throwIfAborted();
    ports.log('debug', `${subject.label}: tokens are not revoked: ${toAppError(error).message}`);
    return false;
  } finally {
    limit.dispose();
  }
}

async function revokeAll(context: TokenContext, tokens: Tokens): Promise<boolean> {
  const { accessToken, refreshToken } = tokens;
  if (context.metadata.revocation_endpoint === undefined) return false;
  const isRefreshGone =
    refreshToken !== undefined && isConfirmed(await revoke(context, refreshToken, 'refresh_token'));
  const answer = await revoke(context, accessToken, 'access_token');
  const isLeft = refreshToken !== undefined && !isRefreshGone;
  // Servers whose access tokens cannot be taken back let them run out, with nothing to renew them.
  const isAccessGone =
    isConfirmed(answer) || (isRefreshGone && answer.error === 'unsupported_token_type');
  return isAccessGone && !isLeft;
}

/** A token that the server does not know counts as revoked: it says 200 as well. */
function isConfirmed({ status, error }: TokenAnswer): boolean {
  return status >= 200 && status < 300 && error === undefined;
}

async function revoke(
  context: TokenContext,
  token: string,
  hint: 'refresh_token' | 'access_token',
): Promise<TokenAnswer> {
  const { subject, metadata, ports, signal } = context;
  registerSecret(token);
  const form = await clientForm(context, metadata.issuer, { token, token_type_hint: hint });
  const url = metadata.revocation_endpoint ?? '';
  const response = await loginFetch(ports, signal)(url, form);
  const answer = await readAnswer(response);
  if (!isConfirmed(answer)) {
    const said = answer.reason === '' ? '' : `: ${answer.reason}`;
    ports.log('debug', `${subject.label}: ${hint} not revoked (HTTP ${answer.status})${said}`);
  }
  return answer;
}
