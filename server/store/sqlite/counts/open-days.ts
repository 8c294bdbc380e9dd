import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { KeptSalt, OpenDay, ProjectCalendar } from '../../counts/counting-store.ts';
import type { Connection } from '../connection.ts';

/** Opens days for live hits. */
export class OpenDays {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  openDay(projectId: string, day: Day, salt: Uint8Array): OpenDay | null {
    return this.#db
      .transaction(() => {
        const project = this.#db
          .prepare<[string], { id: number; sealed_through: number | null }>(
            'select id, sealed_through from projects where public_id = ?',
          )
          .get(projectId);
        if (!project) return null;
        const firstOpen = (project.sealed_through ?? Number.NEGATIVE_INFINITY) + 1;
        if (day < firstOpen) return { day: firstOpen, salt: null };
        this.#db
          .prepare('insert into days (project, day, salt) values (?, ?, ?) on conflict do nothing')
          .run(project.id, day, salt);
        const row = this.#db
          .prepare<[number, number], { salt: Buffer | null }>(
            'select salt from days where project = ? and day = ?',
          )
          .get(project.id, day);
        return row?.salt ? { day, salt: row.salt } : null;
      })
      .immediate();
  }
}

/** Reads which days there are. */
export class DayReader {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  listSalts(): KeptSalt[] {
    return this.#db
      .prepare<[], KeptSalt>(
        `select p.public_id as projectId, d.day, d.salt, d.forget_at as forgetAt from days d join projects p on p.id = d.project
         where d.salt is not null order by d.id`,
      )
      .all();
  }

  listCalendars(): ProjectCalendar[] {
    return this.#db
      .prepare<[], ProjectCalendar>(
        `select public_id as projectId, sealed_through as sealedThrough,
           (select max(day) from counts
            where project = p.id and what = ${what.site} and parent = 0 and span = 1) as newestDay
         from projects p order by id`,
      )
      .all();
  }
}
