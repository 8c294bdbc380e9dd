import { randomInt } from 'node:crypto';

/** Numbers up to 32 bits, to which more are added. Millions of them are nothing that the garbage collector looks through. */
export class Numbers {
  /** Longer than `length`, and another one after a `push`. */
  items = new Uint32Array(64);
  length = 0;

  at(place: number): number {
    return this.items[place] as number;
  }

  get all(): Uint32Array {
    return this.items.subarray(0, this.length);
  }

  push(number: number): void {
    if (this.length === this.items.length) this.#reserve(this.length * 2);
    this.items[this.length++] = number;
  }

  /** Adds zeros up to this length. */
  extend(length: number): void {
    if (length > this.items.length) this.#reserve(length * 2);
    if (length > this.length) this.items.fill(0, this.length, length);
    this.length = Math.max(this.length, length);
  }

  #reserve(length: number): void {
    const larger = new Uint32Array(length);
    larger.set(this.all);
    this.items = larger;
  }
}

/** What a hash of numbers by `mixed` begins with: random, so that nobody can make many that are the same. */
export const seed = randomInt(2 ** 32);

export function mixed(hash: number, number: number): number {
  const product = Math.imul(hash ^ number, 0x9e3779b1);
  return product ^ (product >>> 15);
}

/** Where things are that are found by a hash: each has the next number, from 0. */
export class Slots {
  /** Numbers + 1; 0: free. */
  #slots = new Uint32Array(64);
  readonly #hashes = new Numbers();

  /** Where to look first, and then. */
  first(hash: number): number {
    return hash & (this.#slots.length - 1);
  }

  next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  /** -1: none. */
  at(slot: number): number {
    return (this.#slots[slot] as number) - 1;
  }

  /** Takes a free one. */
  take(slot: number, hash: number): void {
    this.#hashes.push(hash);
    this.#slots[slot] = this.#hashes.length;
    if (this.#hashes.length * 2 < this.#slots.length) return;
    this.#slots = new Uint32Array(this.#slots.length * 4);
    for (let number = 0; number < this.#hashes.length; number++) {
      let free = this.first(this.#hashes.at(number));
      while (this.#slots[free] !== 0) free = this.next(free);
      this.#slots[free] = number + 1;
    }
  }
}

/** Numbers for visitors, from 0. */
export class Visitors {
  /** Each as two words. */
  readonly #words = new Numbers();
  readonly #slots = new Slots();

  get size(): number {
    return this.#words.length / 2;
  }

  numberOf(low: number, high: number): number {
    const hash = mixed(mixed(seed, low), high);
    const { items } = this.#words;
    for (let slot = this.#slots.first(hash); ; slot = this.#slots.next(slot)) {
      const visitor = this.#slots.at(slot);
      if (visitor < 0) {
        this.#slots.take(slot, hash);
        this.#words.push(low);
        this.#words.push(high);
        return this.size - 1;
      }
      if (items[visitor * 2] === low && items[visitor * 2 + 1] === high) return visitor;
    }
  }
}

/** Visitors as `numberOf` takes them, one after the other. */
export function wordsOf(visitors: ArrayLike<bigint>): Uint32Array {
  const { buffer, byteOffset, length } =
    visitors instanceof BigInt64Array ? visitors : BigInt64Array.from(visitors);
  return new Uint32Array(buffer, byteOffset, length * 2);
}
