import { randomBytes } from 'node:crypto';
import type { Day } from '../../../counting/calendar.ts';
import type { OpenDay } from '../../counting-store.ts';
import type { Connection } from '../connection.ts';

/** Opens days for live hits. */
export class OpenDays {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  openDay(projectId: string, day: Day): OpenDay | null {
    return this.#db
      .transaction(() => {
        const project = this.#db
          .prepare<[string], { id: number; sealed_through: number | null }>(
            'select id, sealed_through from projects where public_id = ?',
          )
          .get(projectId);
        if (!project) return null;
        const open = Math.max(day, (project.sealed_through ?? Number.NEGATIVE_INFINITY) + 1);
        this.#db
          .prepare('insert into days (project, day, salt) values (?, ?, ?) on conflict do nothing')
          .run(project.id, open, randomBytes(16));
        const row = this.#db
          .prepare<[number, number], { salt: Buffer }>('select salt from days where project = ? and day = ?')
          .get(project.id, open);
        return row ? { day: open, salt: row.salt } : null;
      })
      .immediate();
  }
}
