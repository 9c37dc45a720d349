/**
 * Which addresses a name may lead to. A name is resolved once, every address is checked, and only checked
 * addresses are connected to: a second resolution could say something else (DNS rebinding).
 * @see design 6; OWASP SSRF prevention
 */
import { hostKind } from './address.ts';
import { ConnectError } from './errors.ts';
import type { Resolve } from './resolve.ts';

/** The host is, or its name leads to, an address that is not public. Nothing was sent. */
export class RefusedAddressError extends ConnectError {}

export interface GuardOptions {
  readonly resolve: Resolve;
  /** Picks the address to start with where there are several. Default: the first. */
  readonly choose?: (addresses: readonly string[], port: number) => Promise<string | undefined>;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

export interface Guard {
  /**
   * The addresses of the URL's name, checked, the best one first; `undefined` where the URL's host is a
   * public address itself. Rejects with RefusedAddressError, or as `Resolve` does.
   */
  addressesOf(url: URL): Promise<readonly string[] | undefined>;
  /** Says which address answered (the next requests start with it), or that none did: the name is resolved anew. */
  report(url: URL, answered: string | undefined): void;
}

/** Long enough that the requests of one call share a connection; short enough to follow a server that moves. */
const PIN_MS = 30_000;

interface Pin {
  readonly untilMs: number;
  readonly addresses: Promise<readonly string[]>;
}

export function createGuard(options: GuardOptions): Guard {
  const pins = new Map<string, Pin>();
  const preferred = new Map<string, string>();

  const look = async (url: URL): Promise<readonly string[]> => {
    const addresses = await options.resolve(url.hostname);
    const [first] = addresses;
    if (first === undefined) throw new ConnectError(`${url.hostname} has no address`);
    for (const address of addresses) checkAddress(url.hostname, address);
    const known = preferred.get(url.host);
    if (known !== undefined && addresses.includes(known)) return startingWith(known, addresses);
    if (addresses.length === 1) return addresses;
    const chosen = await options.choose?.(addresses, portOf(url));
    return chosen === undefined ? addresses : startingWith(chosen, addresses);
  };

  return {
    async addressesOf(url) {
      const kind = hostKind(url.hostname);
      if (kind === 'private') throw refused(url.hostname, undefined);
      if (kind !== 'name') return undefined;
      const key = url.host;
      const pin = pins.get(key);
      if (pin !== undefined && options.now() < pin.untilMs) return pin.addresses;
      const addresses = look(url);
      pins.set(key, { untilMs: options.now() + PIN_MS, addresses });
      addresses.catch(() => pins.delete(key));
      return addresses;
    },
    report(url, answered) {
      const key = url.host;
      if (answered === undefined) {
        pins.delete(key);
        preferred.delete(key);
        return;
      }
      if (preferred.get(key) === answered) return;
      preferred.set(key, answered);
      const pin = pins.get(key);
      if (pin === undefined) return;
      const addresses = pin.addresses.then((all) => startingWith(answered, all));
      pins.set(key, { untilMs: pin.untilMs, addresses });
    },
  };
}

/** The port a URL means, its scheme's where none is written. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return /^(https|wss):$/.test(url.protocol) ? 443 : 80;
}

/** Throws RefusedAddressError for an address of `host` that is not public. */
export function checkAddress(host: string, address: string): void {
  if (hostKind(address) !== 'public') throw refused(host, address);
}

function refused(host: string, address: string | undefined): RefusedAddressError {
  const what =
    address === undefined
      ? `${host} is a private address`
      : `${host} leads to ${address}, which is not a public address`;
  return new RefusedAddressError(`${what}; nothing was sent`, {
    hint: 'allowPrivate: true permits it, if this is a network of your own',
    details: { sent: false, reason: 'private_address' },
  });
}

function startingWith(first: string, all: readonly string[]): readonly string[] {
  return [first, ...all.filter((address) => address !== first)];
}
