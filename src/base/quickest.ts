/** Which of several addresses answers first: a network may have a family of addresses that leads nowhere. */
import { isIPv6 } from './address.ts';
import type { Clock } from './clock.ts';

/** Opens and closes a connection. Rejects when there is none. */
export type Knock = (address: string, port: number) => Promise<void>;

/** @see RFC 8305 5: Connection Attempt Delay */
const STAGGER_MS = 250;
const GIVE_UP_MS = 5000;

/**
 * The address that opens first, each asked 250 ms after the one before; `undefined` when all are of one
 * family (they fare alike) or none opens within 5 s.
 */
export async function quickestAddress(
  addresses: readonly string[],
  port: number,
  clock: Clock,
  knock: Knock = knockOn,
): Promise<string | undefined> {
  if (new Set(addresses.map(isIPv6)).size < 2) return undefined;
  const order = interleaved(addresses);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const giveUp = clock.after(GIVE_UP_MS, () => resolve(undefined));
  let failed = 0;
  const timers = order.map((address, index) =>
    clock.after(index * STAGGER_MS, () => {
      knock(address, port).then(
        () => resolve(address),
        () => {
          failed += 1;
          if (failed === order.length) resolve(undefined);
        },
      );
    }),
  );
  const quickest = await promise;
  for (const timer of [giveUp, ...timers]) timer.cancel();
  return quickest;
}

/** The two families in turn, so that the second family does not wait for all of the first. */
function interleaved(addresses: readonly string[]): readonly string[] {
  const [first = ''] = addresses;
  const own = addresses.filter((address) => isIPv6(address) === isIPv6(first));
  const other = addresses.filter((address) => isIPv6(address) !== isIPv6(first));
  return own
    .flatMap((address, index) => [address, ...other.slice(index, index + 1)])
    .concat(other.slice(own.length));
}

async function knockOn(hostname: string, port: number): Promise<void> {
  const socket = await Bun.connect({ hostname, port, socket: { data: () => undefined } });
  socket.end();
}
