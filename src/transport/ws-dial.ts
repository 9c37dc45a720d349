/**
 * Opens a WebSocket by our rules: headers at the upgrade, subprotocol `mcp` offered but not demanded, no
 * compression (a small frame must not grow without bound), and a refusal told with its status and body.
 */
import { raceAbort, startLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { type AppError, AuthError, ConnectError } from '../base/errors.ts';
import { discardBody, type Fetch, type Route, readErrorBody, sendRequest } from '../base/http.ts';
import { ProxiedError } from '../base/network-failure.ts';
import { atAddress, isUnreachable } from '../base/route.ts';
import { networkError, redirectError, statusError, type Target } from './http-errors.ts';

export interface DialPorts {
  readonly clock: Clock;
  readonly env: Env;
  readonly fetch: Fetch;
}

const SUBPROTOCOL = 'mcp';
const REFUSAL_MS = 2000;

/**
 * The open socket. Rejects with AuthError (401, 403), ConnectError, ProtocolError (a redirect) or the
 * signal's reason; nothing is left open then.
 */
export async function dialWebSocket(
  target: Target,
  headers: Readonly<Record<string, string>>,
  ports: DialPorts,
  signal: AbortSignal,
): Promise<WebSocket> {
  const url = new URL(target.url);
  const { proxy, tls, addresses } = await routeTo(target, url, ports, signal);
  const options = {
    headers: { ...headers },
    perMessageDeflate: false,
    ...(proxy === undefined ? {} : { proxy: proxy.url }),
    ...(tls === undefined ? {} : { tls }),
  };
  const dial = (more: Bun.WebSocketOptions) =>
    upgradeAt(url, addresses, { ...options, ...more }, signal);
  const offered = await dial({ protocols: [SUBPROTOCOL] });
  if (offered.kind === 'open') return offered.socket;
  if (isNetworkFailure(offered.error)) {
    const { error } = offered;
    throw networkError(
      target,
      proxy === undefined ? error : new ProxiedError(proxy, url.hostname, error),
    );
  }
  // Bun tells neither body nor reason; the same request by fetch does (Bun 1.4.5).
  const refusal = await askAgain(target, url, headers, ports, signal);
  if (refusal !== undefined) throw refusal;
  // The upgrade itself is fine: what Bun minds is that the server chose no subprotocol.
  const plain = await dial({});
  if (plain.kind === 'open') return plain.socket;
  throw networkError(target, plain.error);
}

async function routeTo(
  target: Target,
  url: URL,
  { fetch }: DialPorts,
  signal: AbortSignal,
): Promise<Partial<Route>> {
  if (fetch.route === undefined) return {};
  try {
    return await raceAbort(fetch.route(url), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw networkError(target, error);
  }
}

/** By checked addresses, in turn, where there are some; the name goes along for the server and its certificate. */
async function upgradeAt(
  url: URL,
  addresses: readonly string[] | undefined,
  options: Bun.WebSocketOptions,
  signal: AbortSignal,
): Promise<Upgrade> {
  if (addresses === undefined) return upgrade(url.href, options, signal);
  let outcome: Upgrade = { kind: 'failed', error: new Error('the name has no address') };
  for (const address of addresses) {
    const { href, host, tls } = atAddress(url, address);
    const headers = { ...options.headers, host };
    const own = tls === undefined ? {} : { tls: { ...options.tls, ...tls } };
    outcome = await upgrade(href, { ...options, headers, ...own }, signal);
    if (outcome.kind === 'open' || !isUnreachable(outcome.error)) break;
  }
  return outcome;
}

type Upgrade =
  | { readonly kind: 'open'; readonly socket: WebSocket }
  | { readonly kind: 'failed'; readonly error: unknown };

async function upgrade(
  href: string,
  options: Bun.WebSocketOptions,
  signal: AbortSignal,
): Promise<Upgrade> {
  signal.throwIfAborted();
  const socket = new WebSocket(href, options);
  socket.binaryType = 'arraybuffer';
  const outcome = new Promise<Upgrade>((resolve) => {
    socket.addEventListener('open', () => resolve({ kind: 'open', socket }), { once: true });
    socket.addEventListener('error', (event) => resolve({ kind: 'failed', error: errorOf(event) }));
    socket.addEventListener('close', (event) => resolve({ kind: 'failed', error: errorOf(event) }));
  });
  try {
    return await raceAbort(outcome, signal);
  } catch (error) {
    socket.terminate();
    throw error;
  }
}

/** Why the server refuses the upgrade; `undefined` when it does not. */
async function askAgain(
  target: Target,
  url: URL,
  headers: Readonly<Record<string, string>>,
  ports: DialPorts,
  caller: AbortSignal,
): Promise<AppError | undefined> {
  const late = () => new ConnectError(`server "${target.name}" refused the WebSocket upgrade`);
  const limit = startLimit(ports.clock, REFUSAL_MS, late);
  const control = new AbortController();
  const stop = () => control.abort(caller.aborted ? caller.reason : limit.signal.reason);
  caller.addEventListener('abort', stop, { once: true });
  limit.signal.addEventListener('abort', stop, { once: true });
  try {
    const response = await sendRequest(ports.fetch, httpUrl(url), {
      method: 'GET',
      headers: { ...headers, ...upgradeHeaders() },
      signal: control.signal,
    });
    if ('kind' in response) return redirectError(target, response);
    if (response.status === 101) {
      control.abort();
      await discardBody(response);
      return undefined;
    }
    return refusedError(target, response, await readErrorBody(response, control.signal), ports);
  } catch (error) {
    caller.throwIfAborted();
    return networkError(target, error);
  } finally {
    caller.removeEventListener('abort', stop);
    limit.dispose();
  }
}

function refusedError(
  target: Target,
  response: Response,
  body: string,
  { clock }: DialPorts,
): AppError {
  const plain = statusError(target, response, body, clock.date());
  if (plain instanceof AuthError) return plain;
  const { hint, retryable, details } = plain;
  return new ConnectError(`${plain.message}, not with a WebSocket`, {
    retryable,
    details: { ...details, sent: false },
    ...(hint === undefined ? {} : { hint }),
  });
}

function upgradeHeaders(): Record<string, string> {
  return {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': crypto.getRandomValues(Buffer.alloc(16)).toString('base64'),
    'sec-websocket-protocol': SUBPROTOCOL,
  };
}

function httpUrl(url: URL): string {
  return url.href.replace(/^ws/, 'http');
}

/** Such failures have a code in Bun 1.4.5; refusals have none. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code !== undefined;
}

function errorOf(event: Event): unknown {
  const error = 'error' in event ? event.error : undefined;
  return error ?? new Error('the WebSocket upgrade failed');
}
