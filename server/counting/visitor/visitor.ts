import { hash } from 'node:crypto';
import { visitorNetwork } from '../../net/address.ts';

/**
 * The anonymous id of whoever made a hit: 64 bits of SHA-256 over the day's secret salt, the address (IPv6: its
 * /64) and the user agent. Only these bits are kept, so that extending the hash gives nothing.
 */
export function visitorId(salt: string, address: string, userAgent: string): bigint {
  const digest = hash('sha256', `${salt}\n${visitorNetwork(address)}\n${userAgent}`, 'latin1');
  for (let i = 0; i < 8; i++) firstBytes[i] = digest.charCodeAt(i);
  return firstBits[0] as bigint;
}

// A Buffer for every digest would be most of what a hit leaves to the garbage collector.
const firstBytes = new Uint8Array(8);
const firstBits = new BigInt64Array(firstBytes.buffer);
