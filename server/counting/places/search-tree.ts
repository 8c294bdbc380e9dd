import { ipv4Number, upperBits } from '../../net/address.ts';

/** Metadata of the tree in the file. */
interface Shape {
  nodeCount: number;
  /** Bits. */
  recordSize: number;
  ipVersion: number;
}

/** The search tree of a MaxMind DB file: https://maxmind.github.io/MaxMind-DB/#binary-search-tree-section */
export class SearchTree {
  /** Records above this number point to data; this number itself means no data. */
  readonly nodes: number;
  readonly #bytes: Uint8Array;
  readonly #recordSize: number;
  /** Where IPv4 addresses begin; in a tree of IPv6 they are the last 32 bits after zeros. */
  readonly start4: number;
  readonly #isOfIpv6: boolean;

  constructor(bytes: Uint8Array, { nodeCount, recordSize, ipVersion }: Shape) {
    this.#bytes = bytes;
    this.nodes = nodeCount;
    this.#recordSize = recordSize;
    this.#isOfIpv6 = ipVersion === 6;
    this.start4 = this.#isOfIpv6 ? this.#descend(0, 0, 96) : 0;
  }

  /** The record of an address. */
  find(address: string): number {
    if (!address.includes(':')) return this.#descend(this.start4, ipv4Number(address), 32);
    if (!this.#isOfIpv6) return this.nodes;
    const { high, low } = upperBits(address);
    return this.#descend(this.#descend(this.#descend(0, high, 32), low, 32), 0, 64);
  }

  /** The record of a node for a bit. */
  next(node: number, bit: number): number {
    const bytes = this.#bytes;
    if (this.#recordSize === 24) return read24(bytes, node * 6 + bit * 3);
    const at = node * 7;
    if (this.#recordSize === 28) {
      const middle = bytes[at + 3] as number;
      return bit === 0
        ? ((middle >>> 4) << 24) | read24(bytes, at)
        : ((middle & 15) << 24) | read24(bytes, at + 4);
    }
    const start = node * 8 + bit * 4;
    return (bytes[start] as number) * 0x100_0000 + read24(bytes, start + 1);
  }

  /** Where the first address below a node leads to. */
  first(node: number): number {
    return this.#descend(node, 0, 128);
  }

  /** Follows so many bits of a number of 32 bits; zeros follow it. */
  #descend(from: number, number: number, bits: number): number {
    let node = from;
    for (let i = 0; i < bits && node < this.nodes; i++) {
      node = this.next(node, i < 32 ? (number >>> (31 - i)) & 1 : 0);
    }
    return node;
  }
}

function read24(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}
