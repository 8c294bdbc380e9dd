import { amountOf, type TallyEntry } from '../../counting/tally.ts';
import { bytesCell, cellsPerView, tallyCell, type ViewTable } from './view-table.ts';

/** What is added to a tally of a day. */
export interface TallySum extends TallyEntry {
  hits: number;
  amount: number;
}

/** Adds up what views of a day add to besides: a number each, and names only at the end. */
export class TallySums {
  readonly #views: ViewTable;
  /** By the index of the set. */
  readonly #hits: number[] = [];
  readonly #bytes: number[] = [];

  constructor(views: ViewTable) {
    this.#views = views;
  }

  add(view: number): void {
    const { cells } = this.#views;
    const set = cells[view * cellsPerView + tallyCell] as number;
    if (set < 0) return;
    this.#hits[set] = (this.#hits[set] ?? 0) + 1;
    this.#bytes[set] = (this.#bytes[set] ?? 0) + (cells[view * cellsPerView + bytesCell] as number);
  }

  /** Each once. */
  sums(): TallySum[] {
    const sums = new Map<string, TallySum>();
    // Sets without a view are holes, which this passes over.
    this.#hits.forEach((hits, set) => {
      for (const entry of this.#views.tallies[set] ?? []) {
        addTo(sums, entry, hits, amountOf(entry, this.#bytes[set] ?? 0));
      }
    });
    return [...sums.values()];
  }
}

function addTo(sums: Map<string, TallySum>, entry: TallyEntry, hits: number, amount: number): void {
  const key = `${entry.tally}\n${entry.group}\n${entry.name}`;
  const known = sums.get(key);
  if (known) {
    known.hits += hits;
    known.amount += amount;
  } else sums.set(key, { tally: entry.tally, group: entry.group, name: entry.name, hits, amount });
}
