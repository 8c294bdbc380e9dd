import type { Count } from '../../shared/reports/analytics.ts';

/** What came of a hit, as its sender saw it. */
export type Acknowledgement = 'counted' | 'refused' | 'unanswered' | 'late' | 'unexpected';

/** What senders were answered, to be compared with what the reports say. */
export class Ledger {
  readonly outcomes: Record<Acknowledgement, number> = {
    counted: 0,
    refused: 0,
    unanswered: 0,
    late: 0,
    unexpected: 0,
  };
  /** By path: views that were acknowledged, and views that may have been counted besides. */
  readonly #certain = new Map<string, number>();
  readonly #possible = new Map<string, number>();
  readonly #certainVisitors = new Set<string>();
  readonly #possibleVisitors = new Set<string>();
  /** The last acknowledgement, in milliseconds of `performance.now()`. */
  lastCountedAt = 0;

  note(outcome: Acknowledgement, path: string, visitor: string): void {
    this.outcomes[outcome]++;
    if (outcome === 'counted') {
      this.lastCountedAt = performance.now();
      add(this.#certain, path);
      this.#certainVisitors.add(visitor);
    } else if (outcome === 'unanswered' || outcome === 'late') {
      add(this.#possible, path);
      this.#possibleVisitors.add(visitor);
    }
  }

  /** Views that were acknowledged and are missing, and such that nobody can have sent. */
  compare(views: ReadonlyMap<string, number>): { lost: number; invented: number } {
    let lost = 0;
    let invented = 0;
    for (const path of new Set([...views.keys(), ...this.#certain.keys()])) {
      const beyond = (views.get(path) ?? 0) - (this.#certain.get(path) ?? 0);
      lost += Math.max(0, -beyond);
      invented += Math.max(0, beyond - (this.#possible.get(path) ?? 0));
    }
    return { lost, invented };
  }

  /** How many visitors the total is too few or too many. */
  visitorsOff({ total }: Count): number {
    const atMost = this.#certainVisitors.union(this.#possibleVisitors).size;
    return Math.max(0, this.#certainVisitors.size - total, total - atMost);
  }
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
