/** The first of many rows in an order, without holding all of them. */
export class Largest<Row> {
  readonly #count: number;
  readonly #compare: (one: Row, other: Row) => number;
  #rows: Row[] = [];

  constructor(count: number, compare: (one: Row, other: Row) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(row: Row): void {
    this.#rows.push(row);
    // Rarely, so that a row costs no more than its part in sorting them once.
    if (this.#rows.length >= 2 * this.#count + 1_000) this.#rows = this.rows();
  }

  /** In their order. */
  rows(): Row[] {
    return this.#rows.sort(this.#compare).slice(0, this.#count);
  }
}
