import type { Statement } from 'better-sqlite3';
import { tallies } from '../../../../shared/reports/tallies.ts';
import type { Day } from '../../../counting/calendar.ts';
import { otherName } from '../../../counting/names/name-cap.ts';
import {
  admittedEntry,
  type StoredSighting,
  sharedNames,
  sightedTallies,
} from '../../../counting/sighting.ts';
import type { TallyCount } from '../../../counting/tally.ts';
import type { TallySum } from '../../counts/tally-sums.ts';
import type { Connection } from '../connection.ts';

type TallyDay = [project: number, tally: number, day: Day];

/** Adds to the sums by day that are no views; inside transactions. */
export class Tallies {
  readonly #findProject: Statement<[string], number>;
  readonly #raise: Statement<[hits: number, amount: number, ...TallyDay, string, string]>;
  readonly #add: Statement<[...TallyDay, string, string, number, number]>;
  readonly #countAll: Statement<TallyDay, number>;
  readonly #countOf: Statement<[...TallyDay, string], number>;

  readonly #forgetSightings: Statement<[project: number, day: Day], StoredSighting>;

  constructor(db: Connection) {
    const ofDay = 'project = ? and tally = ? and day = ?';
    const named = `select count(*) from tallies where ${ofDay} and name <> '${otherName}'`;
    this.#findProject = db.prepare<[string], number>('select id from projects where public_id = ?').pluck();
    this.#raise = db.prepare(
      `update tallies set hits = hits + ?, amount = amount + ? where ${ofDay} and subject = ? and name = ?`,
    );
    this.#add = db.prepare(
      `insert into tallies (project, tally, day, subject, name, hits, amount) values (?, ?, ?, ?, ?, ?, ?)
       on conflict do update set hits = hits + excluded.hits, amount = amount + excluded.amount`,
    );
    this.#forgetSightings = db.prepare(
      `delete from tallies where project = ? and tally in (${sightedTallies}) and day = ?
       returning day, subject as "group", name`,
    );
    this.#countAll = db.prepare<TallyDay, number>(named).pluck();
    this.#countOf = db.prepare<[...TallyDay, string], number>(`${named} and subject = ?`).pluck();
  }

  /** `project`: its row. Answers them under the names that they got. */
  add(project: number, day: Day, sums: readonly TallySum[]): TallySum[] {
    return sums.map((sum) => this.#addOne(project, day, sum));
  }

  /** Of a day that is being sealed. `project`: its row. */
  seal(project: number, day: Day): void {
    for (const { group, name, hits } of sharedNames(this.#forgetSightings.all(project, day))) {
      this.#add.run(project, tallies.quoted.number, day, group, name, hits, 0);
    }
  }

  /** Those of projects that are not there are left out. Answers the others under the names that they got. */
  addCounts(counts: readonly TallyCount[]): TallySum[] {
    return counts.flatMap(({ projectId, day, ...sum }) => {
      const project = this.#findProject.get(projectId);
      return project === undefined ? [] : this.#addOne(project, day, sum);
    });
  }

  #addOne(project: number, day: Day, sum: TallySum): TallySum {
    const { tally, group, name, hits, amount } = sum;
    const of: TallyDay = [project, tallies[tally].number, day];
    if (this.#raise.run(hits, amount, ...of, group, name).changes > 0) return sum;
    const admitted = admittedEntry(
      { tally, group, name },
      {
        all: this.#countAll.get(...of) ?? 0,
        ofGroup: this.#countOf.get(...of, group) ?? 0,
      },
    );
    this.#add.run(...of, admitted.group, admitted.name, hits, amount);
    return { ...sum, ...admitted };
  }
}
