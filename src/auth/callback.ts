/**
 * The listener on loopback that a browser comes back to with the answer of an authorization server.
 * Serves nothing to foreign hosts or origins and knows nothing of what an answer must hold.
 * @see RFC 8252 7.3 (loopback redirection), 8.3 (loopback addresses rather than `localhost`)
 */
import { type Clock, sleep } from '../base/clock.ts';
import { FailedError, InternalError } from '../base/errors.ts';
import { errorCode } from '../base/files.ts';
import { registerSecret } from '../base/redact.ts';
import { type CallbackAddress, callbackAddress } from './callback-address.ts';
import { bareResponse, pageResponse } from './callback-page.ts';
import type { OAuthSettings } from './types.ts';

export interface CallbackListener {
  /** Differs from the preferred one when that port is taken: a client registered with it must register anew. */
  readonly redirectUri: string;
  /**
   * The parameters of the first GET on the callback path that holds a `code`, an `error` or this `state`;
   * the caller checks them. Anything else (favicon, other paths, HEAD) does not end the wait.
   * Rejects with the signal's reason. One wait at a time.
   */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  /** What the browser shows that brought the answer; without it, it says after 10 s to look at the terminal. */
  finish(outcome: 'signed in' | 'refused', text: string): void;
  /** Idempotent, at most 1 s. A wait rejects; a browser that still waits is sent to the terminal. */
  close(): Promise<void>;
}

/** A browser is kept waiting this long for what comes of its answer. */
export const HOLD_MS = 10_000;
const CLOSE_MS = 1000;

/**
 * Listens on loopback, before it resolves. Rejects with ConfigError for a `callbackUrl` that is not of this
 * machine, FailedError when the port that the settings name cannot be had. The caller closes it.
 */
export async function openCallback(
  settings: OAuthSettings,
  preferredRedirectUri: string | undefined,
  clock: Clock,
): Promise<CallbackListener> {
  const address = callbackAddress(settings, preferredRedirectUri);
  const desk = createDesk(clock);
  const servers: Server[] = [];
  let handle = (_request: Request): Response | Promise<Response> => bareResponse(503);
  try {
    for (const host of address.hosts) {
      const server = listen(host, address, servers.length > 0, (request) => handle(request));
      if (server !== undefined) servers.push(server);
    }
  } catch (error) {
    await stopAll(servers, clock);
    throw error;
  }
  const redirectUri =
    address.redirectUri ?? `http://${address.hosts[0]}:${servers[0]?.port}${address.path}`;
  const own = new URL(redirectUri);
  handle = (request) =>
    refusal(request, own) ?? desk.answer(new URL(request.url).searchParams, request);
  let closing: Promise<void> | undefined;
  return {
    redirectUri,
    wait: desk.wait,
    finish: desk.finish,
    close() {
      desk.close();
      closing ??= stopAll(servers, clock);
      return closing;
    },
  };
}

type Server = ReturnType<typeof Bun.serve>;

/** `undefined`: an additional address that this machine does not have. */
function listen(
  hostname: string,
  address: CallbackAddress,
  isExtra: boolean,
  fetch: (request: Request) => Response | Promise<Response>,
): Server | undefined {
  const serve = (port: number) =>
    Bun.serve({
      hostname,
      port,
      // Bun 1.4.5 closes a quiet connection after 10 s otherwise.
      idleTimeout: 0,
      development: false,
      // Bun 1.4.5 lets other processes share the port otherwise, and half of its requests with it.
      reusePort: false,
      fetch,
      error: () => bareResponse(500),
    });
  try {
    return serve(address.port);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE' && address.isOptional) return serve(0);
    if (isExtra && code !== 'EADDRINUSE') return undefined;
    throw cannotListen(code, hostname, address.port, error);
  }
}

function cannotListen(
  code: string | undefined,
  hostname: string,
  port: number,
  cause: unknown,
): FailedError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is taken by another program',
    EACCES: 'may not be used by this user',
    EADDRNOTAVAIL: `cannot be had: this machine has no address ${hostname}`,
  };
  const reason = reasons[code ?? ''] ?? `cannot be listened on (${code ?? 'unknown reason'})`;
  return new FailedError(`port ${port} of the callback ${reason}`, {
    hint: 'end that program or sign-in, or set another callbackPort or callbackUrl',
    details: { port },
    cause,
  });
}

/** What is answered without a look at what the request holds; `undefined`: it is one for the callback. */
function refusal(request: Request, own: URL): Response | undefined {
  const origin = request.headers.get('origin');
  const isForeign =
    request.headers.get('host') !== own.host || (origin !== null && origin !== own.origin);
  // A page elsewhere can embed our address as a picture. Programs that follow redirects may say `cors`.
  const isEmbedded = request.headers.get('sec-fetch-mode') === 'no-cors';
  if (isForeign || isEmbedded) return bareResponse(403);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return bareResponse(405, { Allow: 'GET, HEAD' });
  }
  const isCallback = new URL(request.url).pathname === own.pathname;
  if (request.method === 'HEAD') return bareResponse(isCallback ? 200 : 404);
  return isCallback ? undefined : pageResponse('stray', 'There is no such page here.', 404);
}

interface Desk {
  answer(params: URLSearchParams, request: Request): Response | Promise<Response>;
  readonly wait: CallbackListener['wait'];
  readonly finish: CallbackListener['finish'];
  close(): void;
}

/** Who waits for an answer, and which browser waits for the outcome. */
function createDesk(clock: Clock): Desk {
  let waiting:
    | { readonly state: string; readonly take: (params: URLSearchParams) => void }
    | undefined;
  const used = new Set<string>();
  const held = new Set<(response: Response) => void>();
  const closed = new AbortController();

  const release = (response: () => Response) => {
    for (const reply of [...held]) reply(response());
  };
  const lookAtTerminal = () => pageResponse('unknown', UNKNOWN_TEXT, 200);
  const hold = (signal: AbortSignal) =>
    new Promise<Response>((resolve) => {
      const reply = (response: Response) => {
        timer.cancel();
        held.delete(reply);
        signal.removeEventListener('abort', onGone);
        resolve(response);
      };
      const onGone = () => reply(lookAtTerminal());
      const timer = clock.after(HOLD_MS, onGone);
      held.add(reply);
      signal.addEventListener('abort', onGone, { once: true });
    });

  return {
    answer(params, request) {
      const code = params.get('code');
      if (code !== null) registerSecret(code);
      const state = params.get('state');
      if (state !== null && used.has(state)) return pageResponse('stray', USED_TEXT, 409);
      if (waiting === undefined) return pageResponse('stray', NOBODY_TEXT, 404);
      if (code === null && !params.has('error') && state !== waiting.state) {
        return pageResponse('stray', NO_ANSWER_TEXT, 400);
      }
      const response = hold(request.signal);
      waiting.take(params);
      return response;
    },
    wait(state, signal) {
      if (waiting !== undefined) throw new InternalError('two waits for one callback');
      const stop = AbortSignal.any([signal, closed.signal]);
      return new Promise((resolve, reject) => {
        const end = () => {
          stop.removeEventListener('abort', onAbort);
          used.add(state);
          waiting = undefined;
        };
        const onAbort = () => {
          end();
          reject(stop.reason);
        };
        const take = (params: URLSearchParams) => {
          end();
          resolve(params);
        };
        if (stop.aborted) {
          reject(stop.reason);
          return;
        }
        stop.addEventListener('abort', onAbort, { once: true });
        waiting = { state, take };
      });
    },
    finish: (outcome, text) => release(() => pageResponse(outcome, text, 200)),
    close() {
      closed.abort(new FailedError('the sign-in was ended'));
      release(lookAtTerminal);
    },
  };
}

const UNKNOWN_TEXT = 'The answer arrived. The terminal says whether the sign-in worked.';
const USED_TEXT = 'This answer was used already. The terminal says how the sign-in ended.';
const NOBODY_TEXT = 'No sign-in waits for an answer.';
const NO_ANSWER_TEXT = 'This address holds no answer of a sign-in. The sign-in still waits.';

async function stopAll(servers: readonly Server[], clock: Clock): Promise<void> {
  const late = new AbortController();
  const limit = sleep(clock, CLOSE_MS, late.signal).catch(() => undefined);
  await Promise.race([Promise.all(servers.map((server) => server.stop())), limit]);
  late.abort();
  await Promise.all(servers.map((server) => server.stop(true)));
}
