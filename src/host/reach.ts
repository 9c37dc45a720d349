/** The way to a server below the protocol: its name, its port, its executable. Each step is timed. */
import { raceAbort, startLimit } from '../base/abort.ts';
import { hostKind } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import { ConnectError, toAppError } from '../base/errors.ts';
import { checkAddress, portOf } from '../base/guard.ts';
import { describeNetworkFailure } from '../base/network-failure.ts';
import { proxyFor } from '../base/proxy.ts';
import { type Resolve, systemResolve } from '../base/resolve.ts';
import type { ServerEndpoint } from '../config/types.ts';

export interface ReachStep {
  readonly name: 'resolve' | 'check' | 'connect' | 'find';
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

export interface ReachPorts {
  readonly env: Env;
  readonly clock: Clock;
  readonly resolve?: Resolve;
}

/** For each step. */
const STEP_MS = 5000;

/** Stops at the first step that fails. Rejects only with the signal's reason. */
export async function reachServer(
  endpoint: ServerEndpoint,
  { env, clock, resolve = systemResolve }: ReachPorts,
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
  const port = portOf(target);
  const steps: ReachStep[] = [];
  let addresses: readonly string[] = [host];
  if (hostKind(host) === 'name') {
    const look = async () => {
      addresses = await resolve(host);
      return `${host} is ${addresses.join(', ')}`;
    };
    steps.push(await timed('resolve', look, clock, signal));
  }
  // A proxy is one's own choice, and so is a network of one's own.
  const isChecked = proxy === undefined && !endpoint.allowPrivate && hostKind(host) !== 'loopback';
  if (isChecked && steps.every(({ isOk }) => isOk)) {
    const check = async () => {
      for (const address of addresses) checkAddress(host, address);
      return 'public';
    };
    steps.push(await timed('check', check, clock, signal));
  }
  if (steps.every(({ isOk }) => isOk)) {
    const connect = async () => {
      await openAny(addresses, port);
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

/** The first address that opens. Rejects as the last one did. */
async function openAny(addresses: readonly string[], port: number): Promise<void> {
  let failure: unknown;
  for (const hostname of addresses) {
    try {
      const socket = await Bun.connect({ hostname, port, socket: { data: () => undefined } });
      socket.end();
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
