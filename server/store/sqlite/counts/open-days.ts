import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { DayOpening, KeptSalt, OpenDay, ProjectCalendar } from '../../counts/counting-store.ts';
import type { Connection } from '../connection.ts';

/** Opens days for live hits. */
export class OpenDays {
  readonly #db: Connection;
  readonly #note: Statement<[number, Day, number]>;
  readonly #project: Statement<[string], { id: number; sealed_through: number | null }>;
  readonly #add: Statement<[number, Day, Uint8Array]>;
  readonly #salt: Statement<[number, Day], { salt: Buffer | null }>;

  constructor(db: Connection) {
    this.#db = db;
    this.#note = db.prepare(
      'insert into rule_days (project, day, version) values (?, ?, ?) on conflict do nothing',
    );
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#add = db.prepare('insert into days (project, day, salt) values (?, ?, ?) on conflict do nothing');
    this.#salt = db.prepare('select salt from days where project = ? and day = ?');
  }

  /**
   * Without a sync of its own, which costs as much as the rest: what was committed before a view reaches the disk with it,
   * as both go to one log. A day without views may be lost with the power, and is opened again.
   */
  openDays(openings: readonly DayOpening[]): (OpenDay | null)[] {
    this.#db.pragma('synchronous = NORMAL');
    try {
      return this.#db.transaction(() => openings.map((opening) => this.#openDay(opening))).immediate();
    } finally {
      this.#db.pragma('synchronous = FULL');
    }
  }

  #openDay({ projectId, day, salt, rules }: DayOpening): OpenDay | null {
    const project = this.#project.get(projectId);
    if (!project) return null;
    const firstOpen = (project.sealed_through ?? Number.NEGATIVE_INFINITY) + 1;
    if (day < firstOpen) return { day: firstOpen, salt: null };
    this.#add.run(project.id, day, salt);
    const row = this.#salt.get(project.id, day);
    if (!row?.salt) return null;
    if (rules !== null) this.#note.run(project.id, day, rules);
    return { day, salt: row.salt };
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
