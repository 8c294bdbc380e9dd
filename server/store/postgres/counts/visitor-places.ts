/** Visitors of a batch by day and id, each with a place: a hash table, as a Map of BigInts takes three times as long. */
export class VisitorPlaces {
  readonly days: number[] = [];
  readonly ids: bigint[] = [];
  readonly #visitors: BigInt64Array;
  readonly #words: Int32Array;
  /** The place plus one; 0: the slot is free. */
  readonly #slots: Int32Array;
  /** By place: the first view of the visitor. */
  readonly #views: number[] = [];

  /** @param visitors of all views */
  constructor(visitors: BigInt64Array) {
    this.#visitors = visitors;
    this.#words = new Int32Array(visitors.buffer, visitors.byteOffset, visitors.length * 2);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(visitors.length * 2 + 2)));
  }

  /** Of the visitor of a view on a day. */
  of(view: number, day: number): number {
    const low = this.#words[view * 2] as number;
    const high = this.#words[view * 2 + 1] as number;
    const mask = this.#slots.length - 1;
    // The id is a hash already.
    for (let slot = (low ^ Math.imul(day, 0x9e3779b1)) & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] as number) - 1;
      if (place === -1) return this.#add(view, day, slot);
      const first = this.#views[place] as number;
      if (this.#words[first * 2] !== low || this.#words[first * 2 + 1] !== high) continue;
      if (this.days[place] === day) return place;
    }
  }

  #add(view: number, day: number, slot: number): number {
    const place = this.#views.push(view) - 1;
    this.#slots[slot] = place + 1;
    this.days.push(day);
    this.ids.push(this.#visitors[view] as bigint);
    return place;
  }
}
