import type { Visitor } from './visitor.ts';

const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

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
