import type { Statement } from 'better-sqlite3';
import type { DroppedTally } from '../../counting-store.ts';
import { cellsPerView, type LiveViews } from '../../view-table.ts';
import type { Connection } from '../connection.ts';
import { Counts } from './counts.ts';
import { type DayParts, type DayRow, DayTable } from './day-table.ts';
import { Dictionary } from './dictionary.ts';
import { NameCaps } from './name-caps.ts';
import { Seen } from './seen.ts';

/** Adds to a day's tally: day, reason, family, hits, project. */
export const addDroppedSql = `
  insert into dropped (project, day, reason, family, hits)
  select id, ?, ?, ?, ? from projects where public_id = ?
  on conflict do update set hits = hits + excluded.hits`;

/** Counts batches of views, each in one transaction. */
export class Counting {
  readonly #parts: DayParts;
  readonly #findDay: Statement<[string, number], DayRow>;
  readonly #counts: Counts;
  readonly #addDropped: Statement<[number, string, string, number, string]>;
  readonly #count: (views: LiveViews, dropped: DroppedTally[]) => number[];

  constructor(db: Connection) {
    this.#parts = { dictionary: new Dictionary(db), caps: new NameCaps(db), seen: new Seen(db) };
    this.#findDay = db.prepare(
      `select d.id, d.project, d.day from days d join projects p on p.id = d.project
       where p.public_id = ? and d.day = ? and d.salt is not null`,
    );
    this.#counts = new Counts(db);
    this.#addDropped = db.prepare(addDroppedSql);
    const transaction = db.transaction(this.#countAll.bind(this));
    this.#count = transaction.immediate.bind(transaction);
  }

  /** Answers the indexes of the views whose day is not open. */
  count(views: LiveViews, dropped: DroppedTally[]): number[] {
    try {
      return this.#count(views, dropped);
    } catch (error) {
      this.#parts.dictionary.forget();
      this.#parts.caps.forget();
      this.#parts.seen.forget();
      throw error;
    }
  }

  /** Clears the memory of visitors of days that were sealed. */
  forgetSealed(): void {
    this.#parts.seen.forgetSealed();
  }

  #countAll({ days, views }: LiveViews, dropped: DroppedTally[]): number[] {
    const { dictionary, caps, seen } = this.#parts;
    if (seen.begin()) dictionary.forget();
    const tables = days.map(({ projectId, day }) => {
      const row = this.#findDay.get(projectId, day);
      return row && new DayTable(row, views, this.#parts);
    });
    const refused: number[] = [];
    for (let i = 0; i < views.visitors.length; i++) {
      const table = tables[views.cells[i * cellsPerView] as number];
      if (table) table.count(i);
      else refused.push(i);
    }
    for (const table of tables) {
      if (!table) continue;
      const { project, day } = table.row;
      const block = { span: 1, day };
      for (const delta of table.deltas()) this.#counts.add(project, block, delta);
      caps.save(project, day, table.capped());
    }
    this.#counts.save();
    caps.saveTaken();
    seen.save();
    for (const tally of dropped) {
      this.#addDropped.run(tally.day, tally.reason, tally.family, tally.hits, tally.projectId);
    }
    return refused;
  }
}
