import { hash } from 'node:crypto';
import { routedNetwork } from '../net/address.ts';

/** Some 2 MB. */
const maxKnown = 20_000;

/** The networks of a day's visitors as numbers, which mean nothing without the day's salt. */
export class Networks {
  readonly #salt: string;
  readonly #known = new Map<string, number>();

  constructor(salt: string) {
    this.#salt = salt;
  }

  /** 32 bits, signed, of a hash over the salt and the network of the address. */
  numberOf(address: string): number {
    const network = routedNetwork(address);
    const known = this.#known.get(network);
    if (known !== undefined) return known;
    const number = hash('sha256', `${this.#salt}\nnetwork ${network}`, 'buffer').readInt32LE();
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(network, number);
    return number;
  }
}
