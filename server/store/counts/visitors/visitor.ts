const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

/** A visitor of a day (by the day's row), and where `Sightings` has what it was seen on. */
export class Visitor {
  readonly day: number;
  readonly low: number;
  readonly high: number;
  first = 0;
  count = 0;
  /** Words of the last block, where its next sighting goes, and how many more find room there. */
  block = 0;
  next = 0;
  room = 0;
  index: Map<number, number> | undefined;
  /** Some of its sightings are not in its own row yet. */
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
