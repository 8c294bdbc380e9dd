import { hash } from 'node:crypto';
import { routedNetwork } from '../../net/address.ts';
import { SipHash } from './sip-hash.ts';

/** The networks of a day's visitors as numbers, which mean nothing without the day's salt. */
export class Networks {
  readonly #hash: SipHash;

  constructor(salt: string) {
    this.#hash = new SipHash(hash('sha256', `${salt}\nnetworks`, 'buffer').subarray(0, 16));
  }

  /** 32 bits, signed, of a hash over the network of the address, keyed by the salt. */
  numberOf(address: string): number {
    return this.#hash.low32(routedNetwork(address));
  }
}
