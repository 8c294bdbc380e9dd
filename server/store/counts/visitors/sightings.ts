import type { Visitor } from './visitor.ts';

/**
 * Words of a list's first block; each later one has twice as many, up to the largest. Who sees little needs little, and who sees
 * much is looked through in few leaps, each of which the processor waits for. The last word is the place of the next block.
 */
const firstBlock = 8;
const largestBlock = 64;

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
  /** The first words are never used, so that 0 is no place. */
  #end = firstBlock;
  /** By their size, the first of the blocks that were given back; each has the place of the next in its first word. */
  readonly #free = new Map<number, number>();
  /** Of blocks in use. */
  bytes = 0;

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

  /** 0: not seen. */
  kindsOf(visitor: Visitor, name: number): number {
    return (this.#words[this.#find(visitor, name)] as number) & 3;
  }

  /** All of a visitor's, in the order of time. */
  list({ first, count }: Visitor): Uint32Array<ArrayBuffer> {
    const words = this.#words;
    const all = new Uint32Array(count);
    for (let done = 0, block = first, size = firstBlock; done < count; size = sizeAfter(size)) {
      const fits = size - 1;
      all.set(words.subarray(block, block + Math.min(fits, count - done)), done);
      done += fits;
      block = words[block + fits] as number;
    }
    return all;
  }

  /** For a visitor without any: what `list` gave before. */
  fill(visitor: Visitor, sightings: Uint32Array): void {
    for (const sighting of sightings) this.#append(visitor, sighting);
  }

  /** Forgets all of a visitor's. */
  drop({ first, count }: Visitor): void {
    const words = this.#words;
    for (let rest = count, block = first, size = firstBlock; rest > 0; size = sizeAfter(size)) {
      const next = words[block + size - 1] as number;
      words[block] = this.#free.get(size) ?? 0;
      this.#free.set(size, block);
      this.bytes -= size * words.BYTES_PER_ELEMENT;
      rest -= size - 1;
      block = next;
    }
  }

  #find(visitor: Visitor, name: number): number {
    if (visitor.count > maxScanned) return this.#indexOf(visitor).get(name) ?? 0;
    const words = this.#words;
    let block = visitor.first;
    for (let rest = visitor.count, size = firstBlock; rest > 0; size = sizeAfter(size)) {
      const end = block + Math.min(size - 1, rest);
      for (let place = block; place < end; place++) {
        if ((words[place] as number) >>> 2 === name) return place;
      }
      rest -= size - 1;
      block = words[end] as number;
    }
    return 0;
  }

  #append(visitor: Visitor, sighting: number): void {
    if (visitor.room === 0) {
      const size = visitor.count === 0 ? firstBlock : sizeAfter(visitor.block);
      const block = this.#allocate(size);
      if (visitor.count === 0) visitor.first = block;
      else this.#words[visitor.next] = block;
      visitor.block = size;
      visitor.next = block;
      visitor.room = size - 1;
    }
    this.#words[visitor.next] = sighting;
    visitor.index?.set(Math.floor(sighting / 4), visitor.next);
    visitor.next++;
    visitor.room--;
    visitor.count++;
  }

  #allocate(size: number): number {
    this.bytes += size * this.#words.BYTES_PER_ELEMENT;
    const free = this.#free.get(size) ?? 0;
    if (free !== 0) {
      this.#free.set(size, this.#words[free] as number);
      return free;
    }
    const block = this.#end;
    this.#end += size;
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
      let place = visitor.first;
      for (let i = 0, size = firstBlock, room = size - 1; i < visitor.count; i++) {
        if (room === 0) {
          place = this.#words[place] as number;
          size = sizeAfter(size);
          room = size - 1;
        }
        visitor.index.set(Math.floor((this.#words[place] as number) / 4), place);
        place++;
        room--;
      }
    }
    return visitor.index;
  }
}

function sizeAfter(block: number): number {
  return Math.min(block * 2, largestBlock);
}

/** Sightings as they are stored. */
export function toNumbers({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
