import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isInList, loopback, toBlockList } from './address.ts';
import { isPublicAddress } from './https-get.ts';
import { isMetadataAddress, isMetadataName, metadataAddresses } from './metadata.ts';

/** Whether a server that a project names may have this address. */
export type MayReach = (address: string) => boolean;

/** A name that leads only to addresses of a private network, this machine among them. */
export class PrivateAddress extends Error {
  readonly code = 'ERR_PRIVATE_ADDRESS';
  readonly host: string;

  constructor(host: string) {
    super(`${host} is an address of a private network.`);
    this.host = host;
  }
}

/**
 * Reads `none`, `allow`, or ranges such as `loopback,10.0.0.0/8`, besides the open internet. An address where a cloud hands out
 * credentials is in no range: it has to be listed itself.
 *
 * @throws RangeError
 */
export function parseReach(list: string): MayReach {
  if (list === 'allow') return () => true;
  const parts = list.split(',').map((part) => part.trim());
  const allowed = toBlockList(
    parts.flatMap((part) => (part === 'loopback' ? loopback : part === '' || part === 'none' ? [] : part)),
  );
  const named = toBlockList(parts.filter((part) => /\/(?:32|128)$|^[^/]*[.:][^/]*$/.test(part)));
  return (address) => {
    if (isIP(address) === 0) return false;
    return isPublicAddress(address) || isInList(isMetadataAddress(address) ? named : allowed, address);
  };
}

/** The addresses of a host that may be reached, as the system finds them. @throws PrivateAddress where there is none */
export async function resolveWithin(host: string, mayReach: MayReach): Promise<LookupAddress[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  const found = await lookup(bare, { all: true });
  const usable = found.filter(({ address }) => mayReach(address));
  if (usable.length === 0) throw new PrivateAddress(host);
  return usable;
}

/** For connections: what was judged is what is connected to, so that a name which changes its mind gains nothing. */
export function lookupWithin(mayReach: MayReach): LookupFunction {
  return (host, options, done) => {
    resolveWithin(host, mayReach).then(
      (found) => {
        const [first] = found;
        if (options.all || first === undefined) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

/** Connections to an address look nothing up. @throws PrivateAddress */
export function checkAddress(url: URL, mayReach: MayReach): void {
  if (!mayReachHost(url, mayReach)) throw new PrivateAddress(url.hostname);
}

/** Of a name nothing is known before it is looked up, but for those of the clouds. */
export function mayReachHost({ hostname }: URL, mayReach: MayReach): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isMetadataName(bare)) return metadataAddresses.some(mayReach);
  return isIP(bare) === 0 || mayReach(bare);
}

/** What lies at the bottom of an error, as libraries wrap what connections throw. */
export function findPrivateAddress(error: unknown): PrivateAddress | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth += 1) {
    if (cause instanceof PrivateAddress) return cause;
  }
  return undefined;
}
