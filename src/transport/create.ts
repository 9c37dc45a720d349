/** Picks the transport for an endpoint. A new way to a server is one more case here. */
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { assertNever } from '../base/errors.ts';
import type { Fetch } from '../base/http.ts';
import type { Resolve } from '../base/resolve.ts';
import { routeFetch } from '../base/route.ts';
import type { Spawn } from '../base/spawn.ts';
import type { ServerEndpoint } from '../config/types.ts';
import { HttpOrSseTransport } from './http-or-sse.ts';
import { SseTransport } from './sse-legacy.ts';
import { StdioTransport } from './stdio.ts';
import type { LogSink, Transport } from './types.ts';
import { WebSocketTransport } from './websocket.ts';

export interface TransportPorts {
  readonly clock: Clock;
  /** Where the allowlisted variables of child processes come from. */
  readonly env: Env;
  readonly fetch: Fetch;
  readonly spawn: Spawn;
  readonly log: LogSink;
  /** Adds headers that are not known beforehand. Default: none. */
  readonly dress?: (fetch: Fetch) => Fetch;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
}

/** An endpoint outside this process. */
export type RemoteEndpoint = Exclude<ServerEndpoint, { kind: 'builtin' }>;
/** One that has a URL. */
export type NetworkEndpoint = Exclude<RemoteEndpoint, { kind: 'stdio' }>;

/** `credentials` are asked for only where they can be sent. */
export function createTransport(
  name: string,
  endpoint: RemoteEndpoint,
  credentials: (network: NetworkEndpoint) => {
    readonly headers: Readonly<Record<string, string>>;
    readonly hasToken: boolean;
  },
  ports: TransportPorts,
): Transport {
  if (endpoint.kind === 'stdio') return new StdioTransport(name, endpoint, ports);
  const options = { name, url: endpoint.url, ...credentials(endpoint) };
  const { proxy, tls, redirects, allowPrivate } = endpoint;
  const { env, resolve, clock, dress = (plain) => plain } = ports;
  const routed = routeFetch(ports.fetch, {
    env,
    proxy,
    tls,
    redirects,
    allowPrivate,
    resolve,
    now: () => clock.now(),
  });
  const network = { ...ports, fetch: dress(routed) };
  switch (endpoint.kind) {
    case 'http':
      return new HttpOrSseTransport(options, network);
    case 'sse':
      return new SseTransport(options, network);
    case 'ws':
      return new WebSocketTransport(options, network);
    default:
      return assertNever(endpoint);
  }
}
