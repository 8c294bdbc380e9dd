import type { DroppedTally, Uncounted } from '../store/counts/counting-store.ts';
import { GatheredTallies } from './gathered-tallies.ts';
import type { Drop } from './hit/hit.ts';

/** A hit that is not counted, of a project and day that are known. */
type TalliedDrop = Extract<Drop, { tally: object }>;

/** Adds up hits that are not counted: why, and what they add to besides. */
export class GatheredDrops {
  #dropped = new Map<string, DroppedTally>();
  readonly #tallies = new GatheredTallies();

  get isEmpty(): boolean {
    return this.#dropped.size === 0 && this.#tallies.isEmpty;
  }

  add({ dropped: reason, family, tally }: TalliedDrop): void {
    const { projectId, day } = tally;
    this.#addDropped({ projectId, day, reason, family, hits: 1 });
    this.#tallies.add(tally);
  }

  /** All that was added, which is forgotten here. */
  take(): Uncounted {
    const dropped = [...this.#dropped.values()];
    this.#dropped = new Map();
    return { dropped, tallies: this.#tallies.take() };
  }

  /** What could not be stored. */
  putBack({ dropped, tallies }: Uncounted): void {
    for (const one of dropped) this.#addDropped(one);
    for (const one of tallies) this.#tallies.addCount(one);
  }

  #addDropped(one: DroppedTally): void {
    const key = `${one.projectId} ${one.day} ${one.reason} ${one.family}`;
    const known = this.#dropped.get(key);
    if (known) known.hits += one.hits;
    else this.#dropped.set(key, { ...one });
  }
}
