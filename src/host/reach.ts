/** The way to a server below the protocol: its name, its port, its executable. Each step is timed. */
import { lookup } from 'node:dns/promises';
import { raceAbort, startLimit } from '../base/abort.ts';
import { hostKind } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { ConnectError, toAppError } from '../base/errors.ts';
import { describeNetworkFailure } from '../base/network-failure.ts';
import { proxyFor } from '../base/proxy.ts';
import type { ServerEndpoint } from '../config/types.ts';

export interface ReachStep {
  readonly name: 'resolve' | 'connect' | 'find';
  readonly ms: number;
  readonly isOk: boolean;
  /** What was found, or why nothing was. */
  readonly text: string;
}

export interface Reach {
  readonly steps: readonly ReachStep[];
  /** Without userinfo, and where it comes from. */
  readonly proxy: string | undefined;
}

/** For each step. */
const STEP_MS = 5000;

/** Stops at the first step that fails. Rejects only with the signal's reason. */
export async function reachServer(
  endpoint: ServerEndpoint,
  env: Env,
  clock: Clock,
  signal: AbortSignal,
): Promise<Reach> {
  if (endpoint.kind === 'builtin') return { steps: [], proxy: undefined };
  if (endpoint.kind === 'stdio') {
    const { command, cwd } = endpoint;
    const find = async () => {
      const path = Bun.which(command, { cwd, PATH: env['PATH'] ?? '' });
      if (path === null) throw new ConnectError(`${command} is not found in PATH`);
      return path;
    };
    return { steps: [await timed('find', find, clock, signal)], proxy: undefined };
  }
  const url = new URL(endpoint.url);
  const proxy = proxyFor(url, endpoint.proxy, env);
  const target = proxy === undefined ? url : new URL(proxy.url);
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const isSecure = /^(https|wss):$/.test(target.protocol);
  const port = target.port === '' ? (isSecure ? 443 : 80) : Number(target.port);
  const steps: ReachStep[] = [];
  if (hostKind(host) === 'name') {
    const resolve = async () => {
      const found = await lookup(host, { all: true });
      return `${host} is ${found.map(({ address }) => address).join(', ')}`;
    };
    steps.push(await timed('resolve', resolve, clock, signal));
  }
  if (steps.every(({ isOk }) => isOk)) {
    const connect = async () => {
      await openAndClose(host, port);
      return `${proxy === undefined ? '' : 'proxy '}${host} port ${port}`;
    };
    steps.push(await timed('connect', connect, clock, signal));
  }
  return { steps, proxy: proxy === undefined ? undefined : `${proxy.shown} of ${proxy.source}` };
}

async function timed(
  name: ReachStep['name'],
  work: () => Promise<string>,
  clock: Clock,
  signal: AbortSignal,
): Promise<ReachStep> {
  const startedMs = clock.now();
  const limit = startLimit(clock, STEP_MS, () => new ConnectError(`nothing within ${STEP_MS} ms`));
  const end = (isOk: boolean, text: string) => ({ name, ms: clock.now() - startedMs, isOk, text });
  try {
    return end(true, await raceAbort(work(), AbortSignal.any([signal, limit.signal])));
  } catch (error) {
    signal.throwIfAborted();
    return end(false, describeNetworkFailure(error).words ?? toAppError(error).message);
  } finally {
    limit.dispose();
  }
}

async function openAndClose(hostname: string, port: number): Promise<void> {
  const socket = await Bun.connect({ hostname, port, socket: { data: () => undefined } });
  socket.end();
}
