import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { DayOpening, KeptSalt, OpenDay, ProjectCalendar } from '../../counts/counting-store.ts';
import type { Connection } from '../connection.ts';

/** Opens days for live hits. */
export function dayOpening(db: Connection) {
  const note = db.prepare<[number, Day, number]>(
    'insert into rule_days (project, day, version) values (?, ?, ?) on conflict do nothing',
  );
  const findProject = db.prepare<[string], { id: number; sealed_through: number | null }>(
    'select id, sealed_through from projects where public_id = ?',
  );
  const addDay = db.prepare<[number, Day, Uint8Array]>(
    'insert into days (project, day, salt) values (?, ?, ?) on conflict do nothing',
  );
  const readSalt = db.prepare<[number, Day], { salt: Buffer | null }>(
    'select salt from days where project = ? and day = ?',
  );

  /**
   * Without a sync of its own, which costs as much as the rest: what was committed before a view reaches the disk with it,
   * as both go to one log. A day without views may be lost with the power, and is opened again.
   */
  function openDays(openings: readonly DayOpening[]): (OpenDay | null)[] {
    db.pragma('synchronous = NORMAL');
    try {
      return db.transaction(() => openings.map((opening) => openDay(opening))).immediate();
    } finally {
      db.pragma('synchronous = FULL');
    }
  }

  function openDay({ projectId, day, salt, rules }: DayOpening): OpenDay | null {
    const project = findProject.get(projectId);
    if (!project) return null;
    const firstOpen = (project.sealed_through ?? Number.NEGATIVE_INFINITY) + 1;
    if (day < firstOpen) return { day: firstOpen, salt: null };
    addDay.run(project.id, day, salt);
    const row = readSalt.get(project.id, day);
    if (!row?.salt) return null;
    if (rules !== null) note.run(project.id, day, rules);
    return { day, salt: row.salt };
  }

  return { openDays };
}

/** Which days there are. */
export function dayLists(db: Connection) {
  return {
    listSalts: (): KeptSalt[] =>
      db
        .prepare<[], KeptSalt>(
          `select p.public_id as projectId, d.day, d.salt, d.forget_at as forgetAt from days d join projects p on p.id = d.project
           where d.salt is not null order by d.id`,
        )
        .all(),

    listCalendars: (): ProjectCalendar[] =>
      db
        .prepare<[], ProjectCalendar>(
          `select public_id as projectId, sealed_through as sealedThrough,
             (select max(day) from counts
              where project = p.id and what = ${what.site} and parent = 0 and span = 1) as newestDay
           from projects p order by id`,
        )
        .all(),
  };
}
