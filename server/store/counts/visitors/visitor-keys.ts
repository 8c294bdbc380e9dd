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
 * What visitors were counted under. A visitor key is `name * 4 + kinds` (1 human, 2 ai, 3 both). Lists of blocks in one
 * array, as small arrays that grow with every page a visitor sees are a burden to the garbage collector.
 */
export class VisitorKeys {
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
  fill(visitor: Visitor, visitorKeys: Uint32Array): void {
    for (const visitorKey of visitorKeys) this.#append(visitor, visitorKey);
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

  #append(visitor: Visitor, visitorKey: number): void {
    if (visitor.room === 0) {
      const size = visitor.count === 0 ? firstBlock : sizeAfter(visitor.block);
      const block = this.#allocate(size);
      if (visitor.count === 0) visitor.first = block;
      else this.#words[visitor.next] = block;
      visitor.block = size;
      visitor.next = block;
      visitor.room = size - 1;
    }
    this.#words[visitor.next] = visitorKey;
    visitor.index?.set(Math.floor(visitorKey / 4), visitor.next);
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

/** Visitor keys as they are stored. */
export function toNumbers({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

/** A visitor of a day (by the day's row), and where `VisitorKeys` has what it was counted under. */
export class Visitor {
  readonly day: number;
  readonly low: number;
  readonly high: number;
  first = 0;
  count = 0;
  /** Words of the last block, where its next visitor key goes, and how many more find room there. */
  block = 0;
  next = 0;
  room = 0;
  index: Map<number, number> | undefined;
  /** Some of its visitor keys are not in its own row yet. */
  isUnsorted = false;

  constructor(day: number, id: bigint) {
    whole[0] = id;
    this.day = day;
    this.low = halves[0] as number;
    this.high = halves[1] as number;
  }

  /** 64 bits, signed. */
  get id(): bigint {
    halves[0] = this.low;
    halves[1] = this.high;
    return whole[0] as bigint;
  }
}

/** Memory for a visitor in the table, about. */
export const visitorBytes = 128;

const firstSlots = 1 << 12;

/**
 * Visitors by day and id. A hash table with open addressing, as it is asked for every view, and a Map of BigInts takes three
 * times as long (bench/README.md).
 */
export class VisitorTable {
  #visitors: Visitor[] = [];
  /** Two words a slot: the id's lower half, and the place in `visitors` plus one; 0: the slot is free. */
  #slots = new Int32Array(firstSlots * 2);

  get size(): number {
    return this.#visitors.length;
  }

  find(day: number, id: bigint): Visitor | undefined {
    whole[0] = id;
    const low = halves[0] as number;
    const high = halves[1] as number;
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let slot = slotOf(day, low) & mask; ; slot = (slot + 1) & mask) {
      const place = slots[slot * 2 + 1] as number;
      if (place === 0) return undefined;
      if (slots[slot * 2] !== low) continue;
      const visitor = this.#visitors[place - 1] as Visitor;
      if (visitor.high === high && visitor.day === day) return visitor;
    }
  }

  /** A visitor who is not in it yet. */
  add(visitor: Visitor): void {
    const place = this.#visitors.push(visitor);
    if (place * 4 > this.#slots.length) this.#fill(this.#slots.length);
    else this.#put(visitor, place);
  }

  keepOnly(isKept: (visitor: Visitor) => boolean): void {
    this.#visitors = this.#visitors.filter(isKept);
    let slots = firstSlots;
    while (this.#visitors.length * 2 > slots) slots *= 2;
    this.#fill(slots);
  }

  #fill(slots: number): void {
    this.#slots = new Int32Array(slots * 2);
    for (const [i, visitor] of this.#visitors.entries()) this.#put(visitor, i + 1);
  }

  #put({ day, low }: Visitor, place: number): void {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = slotOf(day, low) & mask;
    while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask;
    slots[slot * 2] = low;
    slots[slot * 2 + 1] = place;
  }
}

/** The id is a hash already. */
function slotOf(day: number, low: number): number {
  return low ^ Math.imul(day, 0x9e3779b1);
}
