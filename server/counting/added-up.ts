/** Keeps sums of visitors who may do more: whoever does is taken out of them, and added up again when they are asked for. */
export class AddedUp<Of extends { isInSums: boolean }> {
  readonly #begin: () => Of;
  readonly #addToSums: (one: Of, by: 1 | -1) => void;
  readonly #known = new Map<bigint, Of>();
  /** Who is not in the sums. */
  #changed: Of[] = [];

  /** @param begin a new one, not in the sums */
  constructor(begin: () => Of, addToSums: (one: Of, by: 1 | -1) => void) {
    this.#begin = begin;
    this.#addToSums = addToSums;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Of a visitor, to be changed at once. */
  toChange(visitor: bigint): Of {
    let one = this.#known.get(visitor);
    if (!one) {
      one = this.#begin();
      this.#known.set(visitor, one);
      this.#changed.push(one);
    } else if (one.isInSums) {
      this.#addToSums(one, -1);
      one.isInSums = false;
      this.#changed.push(one);
    }
    return one;
  }

  addUp(): void {
    for (const one of this.#changed) {
      this.#addToSums(one, 1);
      one.isInSums = true;
    }
    this.#changed = [];
  }
}
