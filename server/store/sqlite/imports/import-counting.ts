import type { Statement } from 'better-sqlite3';
import { blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { kindBits } from '../../../counting/sum.ts';
import type { Sql } from '../../../database/sql.ts';
import { findProject } from '../../counts/count-tables.ts';
import type { LoggedDay } from '../../counts/import-record.ts';
import type { ImportDay, LogReceipt } from '../../counts/import-store.ts';
import type { TallySum } from '../../counts/tally-sums.ts';
import type { LoggedViews } from '../../counts/view-batch.ts';
import { cellsPerView } from '../../counts/view-table.ts';
import { countLogs } from '../../imports.ts';
import type { Connection } from '../connection.ts';
import { sqliteTables } from '../counts/count-tables.ts';
import { addDroppedSql } from '../counts/counting.ts';
import { Counts } from '../counts/counts.ts';
import { type DayParts, DayTable, type OpenDayRow } from '../counts/day-table.ts';
import { Dictionary } from '../counts/dictionary.ts';
import { NameCaps } from '../counts/name-caps.ts';
import { Tallies } from '../counts/tallies.ts';
import { Seen } from '../counts/visitors/seen.ts';
import { VisitViews } from '../counts/visits/visit-views.ts';

interface ImportDayRow extends OpenDayRow {
  forget_at: number | null;
}

/** Counts what was read of logs. On sealed days sums go to all blocks at once, as sealing will not come again. */
export class ImportCounting {
  readonly #sql: Sql;
  readonly #parts: DayParts;
  readonly #findDay: Statement<[number, string], ImportDayRow>;
  readonly #keep: Statement<[number, number]>;
  readonly #counts: Counts;
  readonly #tallies: Tallies;
  readonly #visits: VisitViews;
  readonly #addDropped: Statement<[number, string, string, number, string]>;
  constructor(db: Connection, sql: Sql) {
    this.#sql = sql;
    this.#parts = { dictionary: new Dictionary(db), caps: new NameCaps(db), seen: new Seen(db) };
    this.#findDay = db.prepare(
      `select d.id, d.project, d.day, d.forget_at from days d join projects p on p.id = d.project
       where d.id = ? and p.public_id = ? and d.salt is not null`,
    );
    this.#keep = db.prepare('update days set forget_at = ? where id = ?');
    this.#counts = new Counts(db);
    this.#tallies = new Tallies(db);
    this.#visits = new VisitViews(db);
    this.#addDropped = db.prepare(addDroppedSql);
  }

  async count(batch: LoggedViews): Promise<LogReceipt> {
    try {
      return await this.#sql.transaction((sql) => this.#countAll(sql, batch));
    } catch (error) {
      this.#counts.forget();
      this.#parts.dictionary.forget();
      this.#parts.caps.forget();
      this.#parts.seen.forget();
      throw error;
    }
  }

  async #countAll(sql: Sql, batch: LoggedViews): Promise<LogReceipt> {
    const project = await findProject(sql, sqliteTables, batch.projectId);
    const days = project && this.#openDays(batch);
    if (!days) return { state: 'changed' };
    return countLogs(sql, project.id, batch, async (log) => this.#countDays(project.id, batch, days, log));
  }

  #countDays(
    project: number,
    { views, ...batch }: LoggedViews,
    days: readonly DayTable<ImportDayRow>[],
    log: number | null,
  ) {
    if (this.#parts.seen.begin()) this.#parts.dictionary.forget();
    for (let i = 0; i < views.visitors.length; i++) {
      (days[views.cells[i * cellsPerView] as number] as DayTable).count(i);
    }
    const counted: LoggedDay[] = [];
    const tallies: (TallySum & { day: Day })[] = [];
    for (const [i, table] of days.entries()) {
      const { lastAt } = batch.days[i] as LoggedViews['days'][number];
      for (const sum of this.#write(table, { forgetAt: batch.forgetAt, log }))
        tallies.push({ ...sum, day: table.row.day });
      counted.push(toLoggedDay(table, lastAt));
    }
    this.#parts.caps.saveTaken();
    this.#parts.seen.save();
    for (const { day, reason, family, hits } of batch.dropped) {
      this.#addDropped.run(day, reason, family, hits, batch.projectId);
    }
    for (const { day, ...sum } of batch.tallies ?? []) {
      const [admitted] = this.#tallies.add(project, day, [sum]);
      if (admitted) tallies.push({ ...admitted, day });
    }
    return { days: counted, tallies };
  }

  #openDays({ days, projectId, views, hasGoals }: LoggedViews): DayTable<ImportDayRow>[] | undefined {
    const tables: DayTable<ImportDayRow>[] = [];
    for (const { id } of days satisfies ImportDay[]) {
      const row = this.#findDay.get(id, projectId);
      if (!row) return undefined;
      tables.push(new DayTable(row, views, this.#parts, hasGoals));
    }
    return tables;
  }

  /** Answers the tallies under the names that were admitted. */
  #write(
    table: DayTable<ImportDayRow>,
    { forgetAt, log }: { forgetAt: number; log: number | null },
  ): TallySum[] {
    const { id, project, day, forget_at } = table.row;
    const isSealed = forget_at !== null;
    if (isSealed) this.#keep.run(forgetAt, id);
    const blocks = blocksOf(day, { isSealed });
    for (const delta of table.deltas()) {
      for (const block of blocks) this.#counts.add(project, block, delta);
    }
    this.#counts.save();
    this.#parts.caps.save(project, day, table.capped());
    const tallies = this.#tallies.add(project, day, table.tallies());
    this.#visits.add(table, log);
    return tallies;
  }
}

function toLoggedDay(table: DayTable<ImportDayRow>, lastAt: number): LoggedDay {
  const { id, day, forget_at } = table.row;
  const { humanViews, aiViews } = table.site;
  const views = Array.from(table.deltas(), ({ name, humanViews, aiViews }) => {
    return { id: name.id, human: humanViews, ai: aiViews };
  });
  const caps = Array.from(table.capped(), ({ kind, ...cap }) => ({ ...cap, kind: kindBits[kind] }));
  return { id, day, isSealed: forget_at !== null, humanViews, aiViews, lastAt, views, caps };
}
