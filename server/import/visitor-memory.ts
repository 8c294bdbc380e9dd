/** 2^17 entries of 20 bytes. */
const slots = 1 << 17;

/**
 * The visitors that were hashed last, by day, address and user agent. Each number has one place, which it takes from
 * another: a Map of as many entries would make V8 keep several times their size.
 */
export class VisitorMemory {
  readonly #keys = new Float64Array(slots);
  readonly #days = new Int32Array(slots);
  readonly #visitors = new BigInt64Array(slots);

  /** @param day above 0 */
  get(day: number, key: number): bigint | undefined {
    const slot = slotOf(day, key);
    return this.#keys[slot] === key && this.#days[slot] === day ? this.#visitors[slot] : undefined;
  }

  set(day: number, key: number, visitor: bigint): void {
    const slot = slotOf(day, key);
    this.#keys[slot] = key;
    this.#days[slot] = day;
    this.#visitors[slot] = visitor;
  }
}

function slotOf(day: number, key: number): number {
  const low = key | 0;
  const high = (key / 2 ** 26) | 0;
  return (Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b) ^ day) & (slots - 1);
}
