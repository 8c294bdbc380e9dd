import { randomInt } from 'node:crypto';
import { isLocalAddress, routedNetwork } from '../../net/address.ts';

const minuteMs = 60_000;

/** Words of a slot: what tells the network, the minute, and the hits in it. */
const words = 3;
/** 0.8 MB: the networks of a minute. Where there are more, those with the fewest hits make room. */
const slots = 1 << 16;
/** A network stands in one of so many slots, counted from the one of its hash. */
const reach = 8;

/**
 * How many hits each network sends to each project in a minute: an IPv4 address, or a /48 of IPv6. One typed array, as this
 * is on every hit's way: nothing for the garbage collector.
 */
export class HitRates {
  /** A minute; 0: without a bound. */
  readonly #max: number;
  readonly #table = new Uint32Array(slots * words);
  /** Nobody can work out who shares a slot with whom. */
  readonly #seed = randomInt(2 ** 31);

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts a hit, and tells whether it is one too many. Addresses of the local network are no visitors' of a site: they
   * are programs here, or a proxy that is not trusted yet, behind which everybody is.
   *
   * @param now milliseconds since 1970
   */
  isOver(projectId: string, address: string, now: number): boolean {
    if (this.#max === 0) return false;
    const network = address.includes(':') ? routedNetwork(address) : address;
    const slot = this.#find(network, projectId, Math.floor(now / minuteMs));
    const hits = (this.#table[slot + 2] as number) + 1;
    if (hits <= this.#max) this.#table[slot + 2] = hits;
    return hits > this.#max && !isLocalAddress(address);
  }

  #find(network: string, projectId: string, minute: number): number {
    const place = hash(network, hash(projectId, this.#seed));
    const mark = hash(projectId, hash(network, ~this.#seed)) >>> 0;
    const table = this.#table;
    let fewest = -1;
    for (let i = 0; i < reach; i++) {
      const slot = ((place + i) & (slots - 1)) * words;
      const isAlive = table[slot + 1] === minute;
      if (isAlive && table[slot] === mark) return slot;
      if (!isAlive) table[slot + 2] = 0;
      if (fewest < 0 || (table[slot + 2] as number) < (table[fewest + 2] as number)) fewest = slot;
    }
    table[fewest] = mark;
    table[fewest + 1] = minute;
    table[fewest + 2] = 0;
    return fewest;
  }
}

/** FNV-1a with its bits mixed: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string, seed: number): number {
  let sum = seed;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum ^ (sum >>> 15);
}
