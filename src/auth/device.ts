/**
 * A sign-in on another device: a code is told to the person, the server is asked until they have typed it in.
 * @see RFC 8628
 */
import { raceAbort, startLimit } from '../base/abort.ts';
import { sleep } from '../base/clock.ts';
import { AppError, AuthError, ConnectError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import { hostNotes } from './authorize.ts';
import { type DeviceStart, startDevice } from './device-start.ts';
import { DEVICE_GRANT } from './registration.ts';
import { requestTokens } from './token-request.ts';
import type {
  AuthPorts,
  Discovery,
  DpopKey,
  Interaction,
  RegisteredClient,
  Subject,
  Tokens,
} from './types.ts';

export interface DeviceRequest {
  readonly subject: Subject;
  readonly discovery: Discovery;
  readonly client: RegisteredClient;
  readonly scope: string | undefined;
  readonly dpopKey?: DpopKey;
}

/** However long the server would wait. */
const MAX_WAIT_MS = 15 * 60_000;
/** What `slow_down` adds. @see RFC 8628 3.5 */
const SLOWER_MS = 5000;
/** In a row; a network that is gone for longer is no blip. */
const MAX_BLIPS = 5;

/**
 * Tells the code and waits for the person. Rejects with AuthError when the server offers no device flow, when
 * the person refuses, or when the time is over; otherwise as `requestTokens`, or with the signal's reason.
 */
export async function deviceLogin(
  request: DeviceRequest,
  ports: AuthPorts,
  interaction: Interaction,
  signal: AbortSignal,
): Promise<Tokens> {
  const started = await startDevice(request, ports, signal);
  const over = () => tooLate(request.subject);
  const limit = startLimit(ports.clock, Math.min(started.lifeMs ?? MAX_WAIT_MS, MAX_WAIT_MS), over);
  const stop = AbortSignal.any([signal, limit.signal]);
  try {
    interaction.tell(linesFor(request, started));
    // Whether it opens matters to nobody: the address has been told.
    void interaction.openUrl?.(started.completeUri ?? started.uri).catch(() => undefined);
    return await raceAbort(poll(request, started, ports, stop), stop);
  } finally {
    limit.dispose();
  }
}

async function poll(
  request: DeviceRequest,
  started: DeviceStart,
  ports: AuthPorts,
  signal: AbortSignal,
): Promise<Tokens> {
  const { subject, discovery, client, scope, dpopKey } = request;
  const { metadata, resource } = discovery;
  const context = { subject, metadata, client, resource, scope, dpopKey, ports, signal };
  let intervalMs = started.intervalMs;
  for (let blips = 0; ; ) {
    await sleep(ports.clock, intervalMs, signal);
    try {
      return await requestTokens(context, {
        grantType: DEVICE_GRANT,
        parameters: { device_code: started.deviceCode },
        what: 'the code of the other device',
      });
    } catch (error) {
      signal.throwIfAborted();
      const said = errorOf(error);
      if (said === 'authorization_pending') blips = 0;
      else if (said === 'slow_down') intervalMs += SLOWER_MS;
      else if (said === 'expired_token') throw tooLate(subject);
      else if (said === 'access_denied') throw refused(subject);
      else if (error instanceof ConnectError && error.retryable && blips < MAX_BLIPS) blips += 1;
      else throw error;
    }
  }
}

function errorOf(error: unknown): unknown {
  return error instanceof AppError && isJsonObject(error.details)
    ? error.details['error']
    : undefined;
}

function linesFor(
  { subject, discovery }: DeviceRequest,
  { uri, userCode }: DeviceStart,
): readonly string[] {
  return [
    `to sign in to ${subject.label}, open this address on any device:`,
    uri,
    ...hostNotes(uri, discovery.metadata.issuer),
    `and type in the code: ${userCode}`,
  ];
}

function tooLate({ label, command }: Subject): AuthError {
  return new AuthError(`${label}: the code was not typed in in time`, {
    hint: `${command} --device gives a new one`,
  });
}

function refused({ label, command }: Subject): AuthError {
  return new AuthError(`${label}: the sign-in was refused on the other device`, { hint: command });
}
