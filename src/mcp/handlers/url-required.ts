/**
 * A request that its server answers with -32042 (URL elicitation required) was not executed: each URL is put
 * to the person, then the request is sent again. Source: MCP 2025-11-25, elicitation, URL mode.
 */
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { RpcError } from '../errors.ts';
import type { Connection } from '../types.ts';
import { type AnswerElicitation, type Elicitation, readElicitation } from './elicitation.ts';
import { RefusedRequest } from './refusal.ts';

const URL_ELICITATION_REQUIRED = -32042;
const MAX_ROUNDS = 3;
/** More addresses at once are nothing a person can look at. */
const MAX_URLS = 10;

export interface UrlAsking {
  readonly answer: AnswerElicitation;
  /**
   * Waits, bounded by its owner, until what was accepted is done; false: the call is not made again.
   * Rejects only with the signal's reason.
   */
  readonly settled: (request: UrlElicitation, signal: AbortSignal) => Promise<boolean>;
}

export type UrlElicitation = Extract<Elicitation, { mode: 'url' }>;

/**
 * The same connection; a call, read or prompt that needs URLs opened first is sent again after the person
 * accepted all of them, at most 3 times. Otherwise it fails with the server's own error.
 */
export function askingForUrls(connection: Connection, asking: UrlAsking): Connection {
  const { name } = connection;
  const retrying = <T>(send: () => Promise<T>, signal: AbortSignal) =>
    sendAgain(send, name, asking, signal);
  return {
    name,
    kind: connection.kind,
    identity: connection.identity,
    config: connection.config,
    get signIn() {
      return connection.signIn;
    },
    status: () => connection.status(),
    connect: (signal) => connection.connect(signal),
    onChange: (listener) => connection.onChange(listener),
    tryAgain: (signal) => connection.tryAgain(signal),
    refresh: (signal) => connection.refresh(signal),
    call: (call) => retrying(() => connection.call(call), call.signal),
    request: (method, params, options) =>
      retrying(() => connection.request(method, params, options), options.signal),
    close: () => connection.close(),
  };
}

async function sendAgain<T>(
  send: () => Promise<T>,
  server: string,
  asking: UrlAsking,
  signal: AbortSignal,
): Promise<T> {
  for (let round = 0; ; round += 1) {
    try {
      return await send();
    } catch (error) {
      const urls = round < MAX_ROUNDS ? urlsOf(server, error) : [];
      if (urls.length === 0 || !(await acceptAll(urls, asking, signal))) throw error;
    }
  }
}

/** Empty for any other error, and where one of the addresses must not be opened. */
function urlsOf(server: string, error: unknown): readonly UrlElicitation[] {
  if (!(error instanceof RpcError) || error.rpcCode !== URL_ELICITATION_REQUIRED) return [];
  const list = isJsonObject(error.data) ? error.data['elicitations'] : undefined;
  const items: readonly JsonValue[] = Array.isArray(list) ? list.slice(0, MAX_URLS) : [];
  try {
    return items.flatMap((item) => {
      const request = isJsonObject(item)
        ? readElicitation(server, { ...item, mode: 'url' })
        : undefined;
      return request?.mode === 'url' ? [request] : [];
    });
  } catch (refusal) {
    if (refusal instanceof RefusedRequest) return [];
    throw refusal;
  }
}

async function acceptAll(
  urls: readonly UrlElicitation[],
  asking: UrlAsking,
  signal: AbortSignal,
): Promise<boolean> {
  for (const request of urls) {
    const { action } = await asking.answer(request, signal);
    if (action !== 'accept' || !(await asking.settled(request, signal))) return false;
  }
  return true;
}
