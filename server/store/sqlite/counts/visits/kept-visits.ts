import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../../counting/calendar.ts';
import type { Aims } from '../../../../counting/goal/goal.ts';
import type { Connection } from '../../connection.ts';
import { type MeasuredDay, OpenVisits, type Progress } from './visit-views.ts';

/** Where nobody asks for so long it is let go of, as is what was sealed meanwhile. */
const keptMs = 60_000;
/** Of all days together: some 100 MB. */
const maxVisitors = 200_000;

interface Kept {
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
  static readonly #byConnection = new WeakMap<Connection, KeptVisits>();
  /** By the numbers of days, the last that was asked for at the end. */
  readonly #days = new Map<number, Kept>();
  readonly #holder: Statement<[], number>;

  /** One for all reports of a connection. */
  static of(db: Connection): KeptVisits {
    const known = KeptVisits.#byConnection.get(db) ?? new KeptVisits(db);
    KeptVisits.#byConnection.set(db, known);
    return known;
  }

  private constructor(db: Connection) {
    super(db);
    this.#holder = db.prepare<[], number>('select holder from seen_holder').pluck();
  }

  override read(project: number, from: Day, to: Day, aims: Aims): MeasuredDay[] {
    return this.daysOf(project, from, to).flatMap((day) => {
      const kept = this.#take(day.id, aims);
      const measured = this.readDay(project, day, kept.progress);
      this.#keep(day.id, kept);
      return measured ?? [];
    });
  }

  /** Anew where anything but new views may be different. Where reading fails nothing is kept. */
  #take(day: number, aims: Aims): Kept {
    const known = this.#days.get(day);
    if (known) this.#forget(day, known);
    const now = { aims: JSON.stringify(aims), holder: this.#holder.get() };
    const isSame = known?.aims === now.aims && known.holder === now.holder;
    const progress = isSame ? known.progress : this.begin(aims);
    return { ...now, progress, end: setTimeout(() => this.#days.delete(day), keptMs).unref() };
  }

  #keep(day: number, kept: Kept): void {
    this.#days.set(day, kept);
    let visitors = this.#days.values().reduce((sum, { progress }) => sum + progress.visits.visitors, 0);
    for (const [oldest, { progress, end }] of this.#days) {
      if (visitors <= maxVisitors) return;
      visitors -= progress.visits.visitors;
      this.#forget(oldest, { end });
    }
  }

  #forget(day: number, { end }: Pick<Kept, 'end'>): void {
    clearTimeout(end);
    this.#days.delete(day);
  }
}
