import type { LoggedDay } from '../../counts/import-record.ts';
import type { LoggedViews, LogReceipt } from '../../counts/view-batch.ts';
import { countLogs } from '../../imports.ts';
import type { Database } from '../database.ts';
import { within } from '../sql.ts';
import { callBatch, isOutdated } from './batch/batch-call.ts';
import { BatchColumns } from './batch/batch-columns.ts';
import { type CounterAddition, CounterNames } from './counter-rows.ts';
import { findDays, type OpenDayRow } from './day-rows.ts';
import type { Names } from './names/names.ts';
import { divide, type Piece } from './pieces.ts';

/** Other nodes add to slots during an import only briefly. */
const slot = 0;

/** The columns of a call, and the counters that go with them. */
interface Prepared extends Pick<Piece, 'shard' | 'dropped'> {
  columns: BatchColumns;
  counters: CounterAddition[];
}

/** Ends a transaction in which a day turned out to be closed. */
class Changed extends Error {}

/** Counts what was read of logs. On sealed days sums go to all blocks at once, as sealing will not come again. */
export function importCounting(
  database: Database,
  names: Names,
  isDistributed: boolean,
): (batch: LoggedViews) => Promise<LogReceipt> {
  const counterNames = new CounterNames();

  async function count(batch: LoggedViews): Promise<LogReceipt> {
    const ids = batch.days.map(({ id }) => id);
    const rows = await findDays(database, batch.projectId, ids);
    const [project] = await database.query<{ id: number }>('select id from projects where public_id = $1', [
      batch.projectId,
    ]);
    if (!project || !rows.every((row) => row !== undefined)) return { state: 'changed' };
    const prepared = await prepare(batch, project.id, rows);
    return database.transaction(async (db) => {
      await db.query('select pg_advisory_xact_lock(7, $1)', [project.id]);
      return countLogs(within(db), project.id, batch, async (log) => {
        // What the views are kept with, for the length of the transaction.
        if (log !== null) await db.query("select set_config('headcount.log', $1, true)", [String(log)]);
        for (const call of prepared) {
          const alone = { id: undefined, isKeptLater: false, mayAppend: false };
          const closed = await callBatch(db, { ...call, ...alone, isDistributed, slot });
          if (closed.length > 0) throw new Changed();
        }
        const sealed = rows.filter(({ isSealed }) => isSealed).map(({ id }) => id);
        await db.query('update days set forget_at = $1 where id = any ($2)', [batch.forgetAt, sealed]);
        return {
          days: rows.map((row, i) => toLoggedDay(prepared, row, batch.days[i]?.lastAt ?? 0)),
          counters: prepared.flatMap(({ counters }) => counters),
        };
      });
    });
  }

  async function prepare(
    batch: LoggedViews,
    project: number,
    rows: readonly OpenDayRow[],
  ): Promise<Prepared[]> {
    const { views, projectId, hasGoals = false } = batch;
    const days = batch.days.map(({ day }) => ({ projectId, day, hasGoals }));
    const live = { days, views, count: views.visitors.length };
    const uncounted = {
      dropped: batch.dropped.map((counter) => ({ ...counter, project })),
      counters: (batch.counters ?? []).map((counter) => ({ ...counter, project })),
    };
    const prepared: Prepared[] = [];
    for (const piece of divide(live, rows, uncounted, isDistributed)) {
      const named = await names.name(views, rows, piece.views);
      const columns = new BatchColumns(views, named, piece.views, days);
      const counters = await counterNames.admit(database, [...columns.counters(), ...piece.counters]);
      prepared.push({ ...piece, columns, counters });
    }
    return prepared;
  }

  return async (batch) => {
    for (;;) {
      try {
        return await count(batch);
      } catch (error) {
        if (error instanceof Changed) return { state: 'changed' };
        if (!isOutdated(error)) throw error;
        names.forget();
      }
    }
  };
}

function toLoggedDay(prepared: readonly Prepared[], row: OpenDayRow, lastAt: number): LoggedDay {
  const { id, day, isSealed } = row;
  const of = prepared.map(({ columns }) => ({ columns, place: columns.days.indexOf(row) }));
  const site = of.map(({ columns, place }) => columns.siteViews(place));
  return {
    ...{ id, day, isSealed, lastAt },
    humanViews: site.reduce((sum, { human }) => sum + human, 0),
    aiViews: site.reduce((sum, { ai }) => sum + ai, 0),
    views: of.flatMap(({ columns, place }) => columns.namedViews(place)),
    caps: of.flatMap(({ columns, place }) => columns.cappedViews(place)),
  };
}
