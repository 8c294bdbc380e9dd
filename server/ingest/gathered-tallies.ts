import { amountOf, type TallyCount } from '../counting/tally.ts';
import type { DayTallies } from './hit/hit.ts';

/** Adds up what hits add to beside views. */
export class GatheredTallies {
  #counts = new Map<string, TallyCount>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add({ projectId, day, tallies, bytes }: DayTallies): void {
    for (const entry of tallies) {
      this.addCount({ ...entry, projectId, day, hits: 1, amount: amountOf(entry, bytes) });
    }
  }

  addCount(one: TallyCount): void {
    const key = `${one.projectId} ${one.day} ${one.tally}\n${one.group}\n${one.name}`;
    const known = this.#counts.get(key);
    if (known) {
      known.hits += one.hits;
      known.amount += one.amount;
    } else this.#counts.set(key, { ...one });
  }

  /** All that was added, which is forgotten here. */
  take(): TallyCount[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }
}
