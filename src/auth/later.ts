/** A sign-in in two commands: the address is given first, what came of it is brought back later. */
import { AuthError } from '../base/errors.ts';
import type { SignIn } from './sign-in.ts';
import { isRefusedWith } from './token-answer.ts';
import type { StoredLogin } from './types.ts';
import { clientFor, keyFor, redeem, type SignInJob, thumbprintOf } from './ways.ts';

/** The address, and lines for the person. Rejects as registering does, and with FailedError when nothing can be kept. */
export async function startLater(
  job: SignInJob,
  stateDir: string | undefined,
): Promise<{ readonly url: string; readonly lines: readonly string[] }> {
  const { pendingRedirectUri, startPending } = await import('./pending.ts');
  const { subject, discovery, scope, kept, ports } = job;
  const redirectUri = await pendingRedirectUri(
    subject.settings,
    kept?.client.redirectUri,
    ports.clock,
  );
  const client = await clientFor(job, redirectUri);
  const dpopKey = await keyFor(job);
  const request = {
    subject,
    discovery,
    client,
    scope,
    redirectUri,
    ...(await thumbprintOf(dpopKey)),
    ...(dpopKey === undefined ? {} : { dpopKey }),
  };
  return startPending(request, { clock: ports.clock, stateDir });
}

/** The login that the pasted address or code gives; not kept yet. Rejects with AuthError, or as a token request. */
export async function finishLater(
  signIn: SignIn,
  pasted: string,
  stateDir: string | undefined,
  signal: AbortSignal,
): Promise<StoredLogin> {
  const { finishPending } = await import('./pending.ts');
  const { subject, ports } = signIn;
  const found = finishPending(subject, pasted, { clock: ports.clock, stateDir });
  const { discovery, client, scope, dpopKey, code, putBack } = found;
  const bindsTokens = dpopKey !== undefined;
  const job = { subject, ports, discovery, scope, kept: undefined, bindsTokens, signal };
  try {
    return await redeem(job, client, dpopKey, code);
  } catch (error) {
    // A slip of the hand in the code, most likely: the address still counts.
    if (!isRefusedWith(error, 'invalid_grant')) throw error;
    putBack();
    throw new AuthError(error.message, {
      hint: `${subject.command} --code - once more, with the whole address that the browser ended at`,
      details: error.details,
      cause: error,
    });
  }
}
