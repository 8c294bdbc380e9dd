import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { memoize } from '../memo.ts';

// Reading an IPv6 address takes longer than all the rest of a hit's way to its visitor.
const maxRemembered = 10_000;

/** Takes `192.0.2.1`, `192.0.2.0/24`, `2001:db8::1` and `2001:db8::/32`. @throws RangeError */
export function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    if (!addRange(list, range)) throw new RangeError(`"${range}" is not an IP address or a range of them.`);
  }
  return list;
}

/** The list itself looks at the address: `isIP` has an expression for IPv6 whose translation is felt at each start. */
function addRange(list: BlockList, range: string): boolean {
  const [address = '', prefixText, ...rest] = range.split('/');
  const [family, bits] = address.includes(':') ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (rest.length > 0 || !/^\d+$/.test(prefixText ?? '0') || prefix > bits) return false;
  try {
    list.addSubnet(address, prefix, family);
    return true;
  } catch {
    return false;
  }
}

export const loopback = ['127.0.0.0/8', '::1/128'];

/** May what comes from this address be believed about where it comes from? */
export type IsTrusted = (address: string) => boolean;

/** Reads `loopback,10.0.0.0/8,2001:db8::1` or `none`. @throws RangeError */
export function parseProxies(list: string): IsTrusted {
  const parts = list.split(',').map((part) => part.trim());
  const proxies = toBlockList(
    parts.flatMap((part) => (part === 'loopback' ? loopback : part === '' || part === 'none' ? [] : part)),
  );
  return memoize((address) => isInList(proxies, address), maxRemembered);
}

export function isInList(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Whether all addresses of a range are in one of the others; each as `toBlockList` takes them. */
export function liesWithin(range: string, others: readonly string[]): boolean {
  const [address = ''] = range.split('/');
  return others.some(
    (other) => fixedBits(other) <= fixedBits(range) && isInList(toBlockList([other]), address),
  );
}

/** Of 128, as IPv4 has the last 32 of them. */
function fixedBits(range: string): number {
  const [address = '', prefix] = range.split('/');
  const isShort = isIPv4(address);
  return (isShort ? 96 : 0) + Number(prefix ?? (isShort ? 32 : 128));
}

/** The one spelling of an address; IPv4 inside IPv6 becomes IPv4. Undefined: not an IP address. */
export function parseAddress(text: string): string | undefined {
  return isIPv4(text) ? text : parseAddress6(text).text || undefined;
}

/** The first 64 bits of an IPv6 address, as two numbers of 32 bits. */
export interface UpperBits {
  readonly high: number;
  readonly low: number;
}

interface Address6 extends UpperBits {
  /** In the one spelling; empty: not an IPv6 address. */
  text: string;
  /** Its first 64 bits. */
  network: string;
}

const noAddress6: Address6 = { text: '', network: '', high: 0, low: 0 };

/** Both at once, as counting a visitor needs both. */
const parseAddress6 = memoize((text: string): Address6 => {
  const bare = text.replace(/%.*$/, '');
  if (isIP(bare) !== 6) return noAddress6;
  const parsed = ipaddr.IPv6.parse(bare);
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  return {
    text: (parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed).toString(),
    network: `${a}:${b}:${c}:${d}`,
    high: a * 0x1_0000 + b,
    low: c * 0x1_0000 + d,
  };
}, maxRemembered);

/** Of an IPv6 address; zeros for what is none. */
export function upperBits(address: string): UpperBits {
  return parseAddress6(address);
}

/** An IPv4 address as a number of 32 bits. */
export function ipv4Number(address: string): number {
  let number = 0;
  let part = 0;
  for (let i = 0; i < address.length; i++) {
    const unit = address.charCodeAt(i);
    if (unit === 46) {
      number = number * 256 + part;
      part = 0;
    } else part = part * 10 + unit - 48;
  }
  return (number * 256 + part) >>> 0;
}

/**
 * The part of an address that distinguishes visitors: all of an IPv4 address, the first 64 bits of an IPv6
 * address, as a household has at least these and its devices change the rest (RFC 4291, RFC 8981).
 */
export function visitorNetwork(address: string): string {
  return address.includes(':') ? parseAddress6(address).network : address;
}

/**
 * The network that the holder of the address is likely to have all of: the smallest that is routed on its own, which is also
 * what a customer of a hoster gets. IPv4: its /24, IPv6: its /48 (RFC 6177).
 */
export function routedNetwork(address: string): string {
  if (!address.includes(':')) return address.slice(0, address.lastIndexOf('.'));
  const { network } = parseAddress6(address);
  return network.slice(0, network.lastIndexOf(':'));
}

/** The networks of an address that one person may have, from the narrowest: IPv4 as it is, IPv6 as /64, /56 and /48. */
export function networksOf(address: string): string[] {
  if (!address.includes(':')) return [address];
  const [a, b, c, d = 0] = ipaddr.IPv6.parse(address).parts;
  const site = `${a}:${b}:${c}`;
  return [`${site}:${d}/64`, `${site}:${d & 0xff00}/56`, `${site}/48`];
}

const localRanges = toBlockList([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
]);

/** Whether only this machine or a network around it knows the address (RFC 1918, 4193, 6598 and others). */
export const isLocalAddress = memoize(
  (address: string) => isIP(address) === 0 || isInList(localRanges, address),
  maxRemembered,
);

/** The client's address: the last one in X-Forwarded-For that no trusted proxy added, or the peer's own. */
export function clientAddress(peer: string, forwardedFor: string | undefined, isTrusted: IsTrusted): string {
  let address = parseAddress(peer) ?? peer;
  if (forwardedFor === undefined) return address;
  let end = forwardedFor.length;
  while (end >= 0 && isTrusted(address)) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const text = forwardedFor.slice(comma + 1, end).trim();
    const hop = parseAddress(text) ?? parseAddress(withoutPort(text));
    // What a trusted proxy passes on unread is not an address: the proxy is the last one known.
    if (hop === undefined) return address;
    address = hop;
    end = comma;
  }
  return address;
}

/** Some proxies add the port: `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
export function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
