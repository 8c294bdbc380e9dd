import { addEntry } from '../../admin/audit.ts';
import { type LoggedDay, recordsOf } from '../../counts/import-record.ts';
import type { LogReceipt } from '../../counts/import-store.ts';
import type { LoggedViews } from '../../counts/view-batch.ts';
import { addDayRecord, addImportedDay, isMoved, noteLogs } from '../../imports.ts';
import { callBatch, isOutdated } from '../counts/batch/batch-call.ts';
import { BatchColumns } from '../counts/batch/batch-columns.ts';
import { findDays, type OpenDayRow } from '../counts/day-rows.ts';
import type { Names } from '../counts/names/names.ts';
import { divide, type Piece } from '../counts/pieces.ts';
import { type TallyAddition, TallyNames } from '../counts/tally-rows.ts';
import type { Database } from '../database.ts';
import { within } from '../sql.ts';

/** Nobody adds to slots beside an import for long. */
const slot = 0;

/** The columns of a call, and the tallies that go with them. */
interface Prepared extends Pick<Piece, 'shard' | 'dropped'> {
  columns: BatchColumns;
  tallies: TallyAddition[];
}

/** Ends a transaction in which something turned out to have changed. */
class Changed extends Error {}

/** Counts what was read of logs. On sealed days sums go to all blocks at once, as sealing will not come again. */
export class ImportCounting {
  readonly #database: Database;
  readonly #names: Names;
  readonly #tallyNames = new TallyNames();
  readonly #isDistributed: boolean;

  constructor(database: Database, names: Names, isDistributed: boolean) {
    this.#database = database;
    this.#names = names;
    this.#isDistributed = isDistributed;
  }

  async count(batch: LoggedViews): Promise<LogReceipt> {
    for (;;) {
      try {
        return await this.#count(batch);
      } catch (error) {
        if (error instanceof Changed) return { state: 'changed' };
        if (!isOutdated(error)) throw error;
        this.#names.forget();
      }
    }
  }

  async #count(batch: LoggedViews): Promise<LogReceipt> {
    const project = await this.#findProject(batch.projectId);
    const rows = await findDays(
      this.#database,
      batch.projectId,
      batch.days.map(({ id }) => id),
    );
    if (!rows.every((row) => row !== undefined)) throw new Changed();
    const prepared = await this.#prepare(batch, project, rows);
    const ids = await this.#database.transaction(async (db) => {
      await db.query('select pg_advisory_xact_lock(7, $1)', [project]);
      const sql = within(db);
      if (await isMoved(sql, project, batch)) throw new Changed();
      const { ids, recorded } = await noteLogs(sql, project, batch.logs);
      // What the views are kept with, for the length of the transaction.
      if (recorded !== null)
        await db.query("select set_config('headcount.log', $1, true)", [String(recorded)]);
      for (const call of prepared) {
        const alone = {
          id: undefined,
          isKeptLater: false,
          mayAppend: false,
          isDistributed: this.#isDistributed,
        };
        const closed = await callBatch(db, { ...call, ...alone, slot });
        if (closed.length > 0) throw new Changed();
      }
      const sealed = rows.filter(({ isSealed }) => isSealed).map(({ id }) => id);
      await db.query('update days set forget_at = $1 where id = any ($2)', [batch.forgetAt, sealed]);
      const days = rows.map((row, i) => toLoggedDay(prepared, row, batch.days[i]?.lastAt ?? 0));
      for (const day of days) await addImportedDay(sql, project, day);
      const tallies = prepared.flatMap((one) => one.tallies);
      if (recorded !== null)
        for (const record of recordsOf(batch, days, tallies)) await addDayRecord(sql, recorded, record);
      for (const entry of batch.entries ?? []) await addEntry(sql, entry);
      return ids;
    });
    return { state: 'counted', ids };
  }

  async #findProject(projectId: string): Promise<number> {
    const [project] = await this.#database.query<{ id: number }>(
      'select id from projects where public_id = $1',
      [projectId],
    );
    if (!project) throw new Changed();
    return project.id;
  }

  async #prepare(batch: LoggedViews, project: number, rows: readonly OpenDayRow[]): Promise<Prepared[]> {
    const { views, projectId, hasGoals = false } = batch;
    const days = batch.days.map(({ day }) => ({ projectId, day, hasGoals }));
    const live = { days, views, count: views.visitors.length };
    const uncounted = {
      dropped: batch.dropped.map((tally) => ({ ...tally, project })),
      tallies: (batch.tallies ?? []).map((tally) => ({ ...tally, project })),
    };
    const prepared: Prepared[] = [];
    for (const piece of divide(live, rows, uncounted, this.#isDistributed)) {
      const named = await this.#names.name(views, rows, piece.views);
      const columns = new BatchColumns(views, named, piece.views, days);
      const tallies = await this.#tallyNames.admit(this.#database, [...columns.tallies(), ...piece.tallies]);
      prepared.push({ ...piece, columns, tallies });
    }
    return prepared;
  }
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
