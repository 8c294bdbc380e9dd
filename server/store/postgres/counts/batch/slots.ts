/** As many as rows of counts may have of one name. */
const slots = 8;

/**
 * Gives each call of a node a slot that no other has, so that calls do not wait for each other's rows. Other nodes begin
 * with others.
 */
export class Slots {
  readonly #first = Math.floor(Math.random() * slots);
  readonly #taken = new Set<number>();

  async use<T>(work: (slot: number) => Promise<T>): Promise<T> {
    const free = Array.from({ length: slots }, (_, i) => (this.#first + i) % slots);
    const slot = free.find((each) => !this.#taken.has(each)) ?? this.#first;
    this.#taken.add(slot);
    try {
      return await work(slot);
    } finally {
      this.#taken.delete(slot);
    }
  }
}
