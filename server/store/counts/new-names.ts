import {
  type Contributor,
  findNameCap,
  leastShare,
  type NameCap,
  type NameSource,
  nameSourcesOf,
} from '../../counting/names/name-cap.ts';

/** New names of a kind on a day (by its row): of somebody, or of everybody, where there is no taker. */
export interface Taken {
  readonly day: number;
  readonly what: number;
  readonly taker: NameSource | undefined;
  /** Before this transaction; undefined: not read yet. */
  before: number | undefined;
  /** In this transaction. */
  added: number;
}

/** Counts the new names of active days by contributor, for the length of a transaction. */
export class NewNames {
  readonly #taken = new Map<string, Taken>();
  readonly #countBefore: (taken: Taken) => number;

  /** @param countBefore how many there were before the transaction */
  constructor(countBefore: (taken: Taken) => number) {
    this.#countBefore = countBefore;
  }

  /** Counts a new name, or returns the limit that it exceeds. */
  take(day: number, what: number, sender: Contributor): NameCap | undefined {
    const sources = nameSourcesOf(sender);
    const everybody = this.#takenBy(day, what);
    const all = this.#count(everybody);
    const cap = findNameCap(sources, (taker) =>
      taker && all >= leastShare ? this.#count(this.#takenBy(day, what, taker)) : all,
    );
    if (cap !== undefined) return cap;
    everybody.added++;
    for (const taker of sources) this.#takenBy(day, what, taker).added++;
    return undefined;
  }

  added(): Taken[] {
    return [...this.#taken.values()].filter(({ added }) => added > 0);
  }

  forget(): void {
    this.#taken.clear();
  }

  #takenBy(day: number, what: number, taker?: NameSource): Taken {
    const key = takenKey(day, what, taker);
    const known = this.#taken.get(key);
    if (known) return known;
    const taken = { day, what, taker, before: undefined, added: 0 };
    this.#taken.set(key, taken);
    return taken;
  }

  #count(taken: Taken): number {
    taken.before ??= this.#countBefore(taken);
    return taken.before + taken.added;
  }
}

export function takenKey(day: number, what: number, taker?: NameSource): string {
  return taker ? `${day} ${what} ${taker.kind} ${taker.id}` : `${day} ${what}`;
}
