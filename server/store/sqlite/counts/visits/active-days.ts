import type { Day } from '../../../../counting/calendar.ts';
import type { Connection } from '../../connection.ts';

/** Days by their rows, some of which may have no views. */
export interface VisitDay {
  id: number;
  day: Day;
}

/** Some 16,000 views of a busy server. */
export const rowsAtATime = 64;

/** Lists a project's active days from the first, inclusive, to the last, exclusive. */
export function activeDays(db: Connection): (project: number, from: Day, to: Day) => VisitDay[] {
  const days = db.prepare<[number, Day, Day], VisitDay>(
    'select id, day from days where project = ? and salt is not null and day >= +? and day < +? order by day',
  );
  return (project, from, to) => days.all(project, from, to);
}

/** A process that moves paths becomes the one that counted last. */
export function seenHolder(db: Connection): () => number | undefined {
  const holder = db.prepare<[], number>('select holder from seen_holder').pluck();
  return () => holder.get();
}

/** Dropped when unused for so long, as are closed days. */
const keptMs = 60_000;

/** Of which project it is, what was read, and what for. */
interface Kept<Read> {
  project: number;
  read: Read;
  asked: string;
  holder: number | undefined;
}

/**
 * What was read of active days: a report goes on from there, as a busy day has views by the million.
 *
 * @param sizeOf how much of `maxHeld` it takes
 */
export function keptDays<Read>(db: Connection, sizeOf: (read: Read) => number, maxHeld: number) {
  /** By the numbers of days, the last that was asked for at the end. */
  const days = new Map<number, Kept<Read> & { end: NodeJS.Timeout }>();
  const holder = seenHolder(db);

  function forget(day: number): void {
    clearTimeout(days.get(day)?.end);
    days.delete(day);
  }

  /** In place of days of other projects, if need be, but not of the same one, whose reports read both. */
  function keep(day: number, kept: Kept<Read>): void {
    const { own = [], others = [] } = Object.groupBy(days, ([, { project }]) =>
      project === kept.project ? 'own' : 'others',
    );
    const sum = (all: typeof own) => all.reduce((size, [, { read }]) => size + sizeOf(read), 0);
    let free = maxHeld - sizeOf(kept.read) - sum(own);
    if (free < 0) return;
    free -= sum(others);
    for (const [oldest, { read }] of others) {
      if (free >= 0) break;
      free += sizeOf(read);
      forget(oldest);
    }
    days.set(day, { ...kept, end: setTimeout(() => days.delete(day), keptMs).unref() });
  }

  /**
   * Reads on, or anew where anything but new views may be different. Where reading fails nothing is kept.
   *
   * @param asked what it is read for
   */
  return <Answer>(
    { id, project, asked }: { id: number; project: number; asked: string },
    begin: () => Read,
    readOn: (read: Read) => Answer,
  ): Answer => {
    const known = days.get(id);
    forget(id);
    const now = { project, asked, holder: holder() };
    const isSame = known?.asked === asked && known.holder === now.holder;
    const read = isSame ? known.read : begin();
    const answer = readOn(read);
    keep(id, { ...now, read });
    return answer;
  };
}
