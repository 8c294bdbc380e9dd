import type { Visitor } from './visitor.ts';

/** Sightings in a block; the word after them is the place of the next block, 0: there is none. */
const perBlock = 7;
const blockWords = perBlock + 1;
export const blockBytes = blockWords * 4;

/** What most servers never need, and others soon: memory that nothing was written to is none yet. */
const firstWords = 1 << 12;
const usualWords = 1 << 21;

/** Longer lists have an index. */
const maxScanned = 256;

/**
 * What visitors were seen on, each sighting a number: `name * 4 + kinds` (1 human, 2 ai, 3 both). Lists of blocks in one
 * array, as small arrays that grow with every page a visitor sees are a burden to the garbage collector.
 */
export class Sightings {
  #words = new Uint32Array(firstWords);
  /** The first block is never used, so that 0 is no place. */
  #end = blockWords;
  #free = 0;
  /** Blocks in use. */
  blocks = 0;

  /** Adds to the kinds of the name and answers those of before; 0: not seen. */
  add(visitor: Visitor, name: number, kinds: number): number {
    const place = this.#find(visitor, name);
    if (place === 0) {
      this.#append(visitor, name * 4 + kinds);
      return 0;
    }
    const before = (this.#words[place] as number) & 3;
    this.#words[place] = name * 4 + (before | kinds);
    return before;
  }

  /** All of a visitor's, in the order of time. */
  list({ first, count }: Visitor): Uint32Array<ArrayBuffer> {
    const words = this.#words;
    const all = new Uint32Array(count);
    for (let i = 0, block = first; i < count; i += perBlock) {
      all.set(words.subarray(block, block + Math.min(perBlock, count - i)), i);
      block = words[block + perBlock] as number;
    }
    return all;
  }

  /** For a visitor without any: what `list` gave before. */
  fill(visitor: Visitor, sightings: Uint32Array): void {
    for (const sighting of sightings) this.#append(visitor, sighting);
  }

  /** Forgets all of a visitor's. */
  drop(visitor: Visitor): void {
    if (visitor.count === 0) return;
    this.#words[visitor.last + perBlock] = this.#free;
    this.#free = visitor.first;
    this.blocks -= Math.ceil(visitor.count / perBlock);
  }

  #find(visitor: Visitor, name: number): number {
    if (visitor.count > maxScanned) return this.#indexOf(visitor).get(name) ?? 0;
    const words = this.#words;
    let block = visitor.first;
    for (let rest = visitor.count; rest > 0; rest -= perBlock) {
      const end = block + Math.min(perBlock, rest);
      for (let place = block; place < end; place++) {
        if ((words[place] as number) >>> 2 === name) return place;
      }
      block = words[block + perBlock] as number;
    }
    return 0;
  }

  #append(visitor: Visitor, sighting: number): void {
    const inBlock = visitor.count % perBlock;
    if (inBlock === 0) {
      const block = this.#allocate();
      if (visitor.count === 0) visitor.first = block;
      else this.#words[visitor.last + perBlock] = block;
      visitor.last = block;
    }
    const place = visitor.last + inBlock;
    this.#words[place] = sighting;
    visitor.count++;
    visitor.index?.set(Math.floor(sighting / 4), place);
  }

  #allocate(): number {
    this.blocks++;
    const free = this.#free;
    if (free !== 0) {
      this.#free = this.#words[free + perBlock] as number;
      return free;
    }
    const block = this.#end;
    this.#end += blockWords;
    if (this.#end > this.#words.length) {
      const larger = new Uint32Array(Math.max(usualWords, this.#words.length * 2));
      larger.set(this.#words);
      this.#words = larger;
    }
    return block;
  }

  #indexOf(visitor: Visitor): Map<number, number> {
    if (!visitor.index) {
      visitor.index = new Map();
      let block = visitor.first;
      for (let i = 0; i < visitor.count; i++) {
        const place = block + (i % perBlock);
        visitor.index.set(Math.floor((this.#words[place] as number) / 4), place);
        if (i % perBlock === perBlock - 1) block = this.#words[block + perBlock] as number;
      }
    }
    return visitor.index;
  }
}

/** Sightings as they are stored. */
export function toNumbers({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
