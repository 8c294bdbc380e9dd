import { blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { kindBits } from '../../../counting/sum.ts';
import type { Sql } from '../../../database/sql.ts';
import { findProject } from '../../counts/count-tables.ts';
import type { LoggedDay } from '../../counts/import-record.ts';
import type { ImportDay, LoggedViews, LogReceipt } from '../../counts/view-batch.ts';
import { type CounterSum, cellsPerView } from '../../counts/view-table.ts';
import { countLogs } from '../../imports.ts';
import type { Connection } from '../connection.ts';
import { sqliteTables } from './count-tables.ts';
import { countingParts } from './counting.ts';
import { DayTable, type OpenDayRow } from './day-table.ts';

interface ImportDayRow extends OpenDayRow {
  forget_at: number | null;
}

/** Counts what was read of logs. On sealed days sums go to all blocks at once, as sealing will not come again. */
export function logCounting(db: Connection, sql: Sql) {
  const { parts, counts, besides, keepViews, addDropped, forget } = countingParts(db);
  const findDay = db.prepare<[number, string], ImportDayRow>(
    `select d.id, d.project, d.day, d.forget_at from days d join projects p on p.id = d.project
     where d.id = ? and p.public_id = ? and d.salt is not null`,
  );
  const keep = db.prepare<[number, number]>('update days set forget_at = ? where id = ?');

  async function count(batch: LoggedViews): Promise<LogReceipt> {
    try {
      return await sql.transaction((sql) => countAll(sql, batch));
    } catch (error) {
      forget();
      throw error;
    }
  }

  async function countAll(sql: Sql, batch: LoggedViews): Promise<LogReceipt> {
    const project = await findProject(sql, sqliteTables, batch.projectId);
    const days = project && openDays(batch);
    if (!days) return { state: 'changed' };
    return countLogs(sql, project.id, batch, async (log) => countDays(project.id, batch, days, log));
  }

  function countDays(
    project: number,
    { views, ...batch }: LoggedViews,
    days: readonly DayTable<ImportDayRow>[],
    log: number | null,
  ) {
    if (parts.seen.begin()) parts.dictionary.forget();
    for (let i = 0; i < views.visitors.length; i++) {
      (days[views.cells[i * cellsPerView] as number] as DayTable).count(i);
    }
    const counted: LoggedDay[] = [];
    const counters: (CounterSum & { day: Day })[] = [];
    for (const [i, table] of days.entries()) {
      const { lastAt } = batch.days[i] as LoggedViews['days'][number];
      for (const sum of write(table, { forgetAt: batch.forgetAt, log }))
        counters.push({ ...sum, day: table.row.day });
      counted.push(toLoggedDay(table, lastAt));
    }
    parts.caps.saveTaken();
    parts.seen.save();
    for (const { day, reason, family, hits } of batch.dropped) {
      addDropped.run(day, reason, family, hits, batch.projectId);
    }
    for (const { day, ...sum } of batch.counters ?? []) {
      const [admitted] = besides.add(project, day, [sum]);
      if (admitted) counters.push({ ...admitted, day });
    }
    return { days: counted, counters };
  }

  function openDays({ days, projectId, views, hasGoals }: LoggedViews): DayTable<ImportDayRow>[] | undefined {
    const tables: DayTable<ImportDayRow>[] = [];
    for (const { id } of days satisfies ImportDay[]) {
      const row = findDay.get(id, projectId);
      if (!row) return undefined;
      tables.push(new DayTable(row, views, parts, hasGoals));
    }
    return tables;
  }

  /** Answers the counters under the names that were admitted. */
  function write(
    table: DayTable<ImportDayRow>,
    { forgetAt, log }: { forgetAt: number; log: number | null },
  ): CounterSum[] {
    const { id, project, day, forget_at } = table.row;
    const isSealed = forget_at !== null;
    if (isSealed) keep.run(forgetAt, id);
    const blocks = blocksOf(day, { isSealed });
    for (const delta of table.deltas()) {
      for (const block of blocks) counts.add(project, block, delta);
    }
    counts.save();
    parts.caps.save(project, day, table.capped());
    const counters = besides.add(project, day, table.counters());
    keepViews(table, log);
    return counters;
  }

  return count;
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
