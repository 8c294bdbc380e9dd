import type { TallyCount } from '../counting/tally.ts';
import { amountOf } from '../counting/tally.ts';
import type { DroppedTally, Uncounted } from '../store/counts/counting-store.ts';
import type { Drop } from './hit/hit.ts';

/** A hit that is not counted, of a project and day that are known. */
type TalliedDrop = Extract<Drop, { tally: object }>;

/** What a hit adds to that is no view, or none that counts. */
export type Tallied = TalliedDrop['tally'];

/** Adds up hits that are not counted: why, and what they add to besides. */
export class GatheredDrops {
  #dropped = new Map<string, DroppedTally>();
  #tallies = new Map<string, TallyCount>();

  get isEmpty(): boolean {
    return this.#dropped.size === 0 && this.#tallies.size === 0;
  }

  add({ dropped: reason, family, tally }: TalliedDrop): void {
    const { projectId, day } = tally;
    this.#addDropped({ projectId, day, reason, family, hits: 1 });
    this.addTallied(tally);
  }

  addTallied({ projectId, day, tallies, bytes }: Tallied): void {
    for (const entry of tallies) {
      this.#addTally({ ...entry, projectId, day, hits: 1, amount: amountOf(entry, bytes) });
    }
  }

  /** All that was added, which is forgotten here. */
  take(): Uncounted {
    const taken = { dropped: [...this.#dropped.values()], tallies: [...this.#tallies.values()] };
    this.#dropped = new Map();
    this.#tallies = new Map();
    return taken;
  }

  /** What could not be stored. */
  putBack({ dropped, tallies }: Uncounted): void {
    for (const one of dropped) this.#addDropped(one);
    for (const one of tallies) this.#addTally(one);
  }

  #addDropped(one: DroppedTally): void {
    const key = `${one.projectId} ${one.day} ${one.reason} ${one.family}`;
    const known = this.#dropped.get(key);
    if (known) known.hits += one.hits;
    else this.#dropped.set(key, { ...one });
  }

  #addTally(one: TallyCount): void {
    const key = `${one.projectId} ${one.day} ${one.tally}\n${one.group}\n${one.name}`;
    const known = this.#tallies.get(key);
    if (known) {
      known.hits += one.hits;
      known.amount += one.amount;
    } else this.#tallies.set(key, { ...one });
  }
}
