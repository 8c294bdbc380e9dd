/** Sums over visitors. A visitor that changes is taken out of the sum, and added again when it is next read. */
export class AddedUp<Of extends { isInSums: boolean }> {
  readonly #begin: () => Of;
  readonly #addToSums: (one: Of, by: 1 | -1) => void;
  readonly #known = new Map<bigint, Of>();
  /** Visitors that are not in the sums. */
  #changed: Of[] = [];

  /** @param begin a new one, not in the sums */
  constructor(begin: () => Of, addToSums: (one: Of, by: 1 | -1) => void) {
    this.#begin = begin;
    this.#addToSums = addToSums;
  }

  get size(): number {
    return this.#known.size;
  }

  /** A visitor's state, which the caller changes at once. */
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
