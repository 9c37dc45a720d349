/**
 * What kind of address a URL's host is. Names are not resolved here.
 * @see RFC 6890 (special-purpose addresses), RFC 4193, RFC 4291, RFC 6761 (localhost)
 */
export type HostKind = 'loopback' | 'private' | 'public' | 'name';

/**
 * `host` as `URL.hostname` gives it (IPv6 with or without brackets). `private` covers every
 * range that is not reachable as a public host: RFC 1918, link-local, CGNAT, unspecified, multicast, reserved.
 */
export function hostKind(host: string): HostKind {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  const name = bare.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  const v4 = ipv4Number(bare);
  if (v4 !== undefined) return ipv4Kind(v4);
  if (!bare.includes(':')) return 'name';
  const groups = ipv6Groups(bare);
  return groups === undefined ? 'name' : ipv6Kind(groups);
}

/** True for the text of an IPv6 address, without brackets. */
export function isIPv6(address: string): boolean {
  return address.includes(':');
}

/**
 * True when `host` (as for `hostKind`) is an address within `range`: an address, alone or with the length of
 * its prefix (`10.0.0.0/8`, `fd00::/8`). A name is in no range. IPv4 and its form within IPv6 are the same.
 */
export function isInRange(host: string, range: string): boolean {
  const match = /^([^/]+?)(?:\/(\d{1,3}))?$/.exec(range);
  const base = bitsOf(match?.[1] ?? '');
  const own = bitsOf(host);
  if (base === undefined || own === undefined || base.length !== own.length) return false;
  const length = Number(match?.[2] ?? base.length);
  return length <= base.length && own.slice(0, length) === base.slice(0, length);
}

/** The bits of an address, as text of zeros and ones; `undefined` for what is none. */
function bitsOf(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  const v4 = ipv4Number(bare);
  if (v4 !== undefined) return v4.toString(2).padStart(32, '0');
  const groups = bare.includes(':') ? ipv6Groups(bare) : undefined;
  const bits = groups?.map((group) => group.toString(2).padStart(16, '0')).join('');
  return bits?.startsWith(MAPPED) ? bits.slice(MAPPED.length) : bits;
}

/** ::ffff:0:0/96, RFC 4291 2.5.5.2. */
const MAPPED = '0'.repeat(80) + '1'.repeat(16);

const PRIVATE_V4: readonly (readonly [base: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

function ipv4Kind(address: number): HostKind {
  if (address >>> 24 === 127) return 'loopback';
  const isPrivate = PRIVATE_V4.some(([base, bits]) => {
    const shift = 32 - bits;
    return address >>> shift === (ipv4Number(base) ?? 0) >>> shift;
  });
  return isPrivate ? 'private' : 'public';
}

function ipv6Kind(groups: readonly number[]): HostKind {
  const [first = 0, second = 0] = groups;
  const low = ((groups[6] ?? 0) * 0x10000 + (groups[7] ?? 0)) >>> 0;
  if (groups.slice(0, 7).every((group) => group === 0)) {
    return groups[7] === 1 ? 'loopback' : 'private';
  }
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  const isNat64 = first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((g) => g === 0);
  if (isMapped || isNat64) return ipv4Kind(low);
  if (groups.slice(0, 6).every((group) => group === 0)) return 'private';
  if (first === 0x2002) return ipv4Kind((second * 0x10000 + (groups[2] ?? 0)) >>> 0);
  // Only 2000::/3 is handed out for public hosts; without 2001::/23 (protocols, Teredo among them) and
  // 2001:db8::/32 and 3fff::/20 (documentation).
  const isProtocol = first === 0x2001 && (second >>> 9 === 0 || second === 0xdb8);
  const isExample = first === 0x3fff && second >>> 12 === 0;
  return first >>> 13 === 1 && !isProtocol && !isExample ? 'public' : 'private';
}

function ipv4Number(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const bytes = match.slice(1).map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** The eight groups; a zone (`%eth0`) is cut off. */
function ipv6Groups(text: string): readonly number[] | undefined {
  const [address = ''] = text.split('%');
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  let spelled = address;
  if (dotted !== null) {
    const v4 = ipv4Number(dotted[2] ?? '');
    if (v4 === undefined) return undefined;
    spelled = `${dotted[1]}${(v4 >>> 16).toString(16)}:${(v4 & 0xffff).toString(16)}`;
  }
  const halves = spelled.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  if (zeros < 0) return undefined;
  const groups = [...head, ...new Array<string>(zeros).fill('0'), ...(tail ?? [])];
  const isValid = groups.length === 8 && groups.every((group) => /^[0-9a-f]{1,4}$/.test(group));
  return isValid ? groups.map((group) => Number.parseInt(group, 16)) : undefined;
}
