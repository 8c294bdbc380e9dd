import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../../counting/calendar.ts';
import type { Aims } from '../../../../counting/goal/goal.ts';
import type { Connection } from '../../connection.ts';
import { type MeasuredDay, OpenVisits, type Progress } from './visit-views.ts';

/** Where nobody asks for so long it is let go of, as is what was sealed meanwhile. */
const keptMs = 60_000;
/** Visitors of all days together: some 100 MB. */
const maxHeld = 200_000;

interface Kept {
  project: number;
  progress: Progress;
  /** What they were looked at for. */
  aims: string;
  /** Whoever moves paths takes the place of the one who counted last. */
  holder: number | undefined;
  end: NodeJS.Timeout;
}

/**
 * The visits of open days as far as they were read, with their visitors: a report goes on from there, as a busy day has views
 * by the million.
 */
export class KeptVisits extends OpenVisits {
  /** By the numbers of days, the last that was asked for at the end. */
  readonly #days = new Map<number, Kept>();
  readonly #holder: Statement<[], number>;

  constructor(db: Connection) {
    super(db);
    this.#holder = db.prepare<[], number>('select holder from seen_holder').pluck();
  }

  override read(project: number, from: Day, to: Day, aims: Aims): MeasuredDay[] {
    return this.daysOf(project, from, to).flatMap((day) => {
      const kept = this.#take(project, day.id, aims);
      const measured = this.readDay(project, day, kept.progress);
      this.#keep(day.id, kept);
      return measured ?? [];
    });
  }

  /** Anew where anything but new views may be different. Where reading fails nothing is kept. */
  #take(project: number, day: number, aims: Aims): Omit<Kept, 'end'> {
    const known = this.#days.get(day);
    if (known) this.#forget(day, known);
    const now = { project, aims: JSON.stringify(aims), holder: this.#holder.get() };
    const isSame = known?.aims === now.aims && known.holder === now.holder;
    return { ...now, progress: isSame ? known.progress : this.begin(aims) };
  }

  /** In place of days of other projects, if need be, but not of the same one, whose reports read both. */
  #keep(day: number, kept: Omit<Kept, 'end'>): void {
    const isOfSame = ([, { project }]: [number, Kept]) => project === kept.project;
    const others = [...this.#days].filter((each) => !isOfSame(each));
    let free = maxHeld - heldBy(kept) - sumOf([...this.#days].filter(isOfSame));
    if (free < 0) return;
    free -= sumOf(others);
    for (const [oldest, each] of others) {
      if (free >= 0) break;
      free += heldBy(each);
      this.#forget(oldest, each);
    }
    this.#days.set(day, { ...kept, end: setTimeout(() => this.#days.delete(day), keptMs).unref() });
  }

  #forget(day: number, { end }: Kept): void {
    clearTimeout(end);
    this.#days.delete(day);
  }
}

/** As visitors: what they did that is a step of a funnel takes an eighth of one. */
function heldBy({ progress: { visits, goals } }: Pick<Kept, 'progress'>): number {
  return visits.visitors + (goals?.deeds ?? 0) / 8;
}

const sumOf = (days: [number, Kept][]) => days.reduce((sum, [, kept]) => sum + heldBy(kept), 0);
