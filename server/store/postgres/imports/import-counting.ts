import type { Day } from '../../../counting/calendar.ts';
import { type DayRecord, emptyRecord, followedVisitors, packViews } from '../../counts/import-record.ts';
import type { ImportDay, LogProgress, LogReceipt, OpenChunk } from '../../counts/import-store.ts';
import type { LoggedViews } from '../../counts/view-batch.ts';
import { callBatch, isOutdated } from '../counts/batch/batch-call.ts';
import { BatchColumns } from '../counts/batch/batch-columns.ts';
import { findDays, type OpenDayRow } from '../counts/day-rows.ts';
import type { Names } from '../counts/names/names.ts';
import { divide, type Piece } from '../counts/pieces.ts';
import { type TallyAddition, TallyNames } from '../counts/tally-rows.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';

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
      await requireUnmoved(db, project, batch);
      const ids = await noteLogs(db, project, batch.logs);
      const log = ids.length === 1 ? await findRecorded(db, ids[0] as number) : null;
      // What the views are kept with, for the length of the transaction.
      if (log !== null) await db.query("select set_config('headcount.log', $1, true)", [String(log)]);
      for (const call of prepared) {
        const within = {
          id: undefined,
          isKeptLater: false,
          mayAppend: false,
          isDistributed: this.#isDistributed,
        };
        const closed = await callBatch(db, { ...call, ...within, slot });
        if (closed.length > 0) throw new Changed();
      }
      await noteDays(db, batch, prepared, rows);
      if (log !== null) await record(db, log, recordsOf(batch, prepared, rows));
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

/** Somebody else reads one of the logs, or may have begun to. */
async function requireUnmoved(
  db: Queryable,
  project: number,
  { logs, knownLogs }: LoggedViews,
): Promise<void> {
  const known = await db.query<{ id: number; bytes: number }>(
    'select id, case when undone_at is null then bytes end as bytes from logs where project = $1',
    [project],
  );
  const beginsLog = logs.some(({ id }) => id === null);
  if (beginsLog && known.length !== knownLogs) throw new Changed();
  const bytesOf = new Map(known.map(({ id, bytes }) => [id, bytes]));
  if (logs.some(({ id, from }) => id !== null && bytesOf.get(id) !== from)) throw new Changed();
}

async function noteDays(
  db: Queryable,
  { days, forgetAt }: LoggedViews,
  prepared: readonly Prepared[],
  rows: readonly OpenDayRow[],
): Promise<void> {
  const sealed = rows.filter(({ isSealed }) => isSealed).map(({ id }) => id);
  await db.query('update days set forget_at = $1 where id = any ($2)', [forgetAt, sealed]);
  const views = rows.map((row, i) => ({
    row,
    lastAt: (days[i] as ImportDay & { lastAt: number }).lastAt,
    ...viewsOn(prepared, row),
  }));
  await db.query(
    `insert into imported_days as i (project, day, human_views, ai_views, last_at)
     select * from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[]) order by 1, 2
     on conflict (project, day) do update set
       human_views = i.human_views + excluded.human_views,
       ai_views = i.ai_views + excluded.ai_views,
       last_at = greatest(i.last_at, excluded.last_at)`,
    [
      views.map(({ row }) => row.project),
      views.map(({ row }) => row.day),
      views.map(({ human }) => human),
      views.map(({ ai }) => ai),
      views.map(({ lastAt }) => lastAt),
    ],
  );
}

function viewsOn(prepared: readonly Prepared[], row: OpenDayRow): { human: number; ai: number } {
  const those = prepared.map(({ columns }) => columns.siteViews(columns.days.indexOf(row)));
  return {
    human: those.reduce((sum, { human }) => sum + human, 0),
    ai: those.reduce((sum, { ai }) => sum + ai, 0),
  };
}

async function noteLogs(db: Queryable, project: number, logs: readonly LogProgress[]): Promise<number[]> {
  const ids: number[] = [];
  for (const { id, headLength, headHash, bytes, lines, name = '', countedAt = null, open = [] } of logs) {
    const values = [headLength, headHash, bytes, lines, name, countedAt];
    const [log] = await db.query<{ id: number }>(
      id === null
        ? `insert into logs (project, head_length, head_hash, bytes, lines, name, counted_at)
           values ($7, $1, $2, $3, $4, $5, $6) returning id`
        : `update logs set head_length = $1, head_hash = $2, bytes = $3, lines = $4, name = $5,
             counted_at = case when counted_at is not null then $6::bigint end
           where id = $7 returning id`,
      [...values, id ?? project],
    );
    ids.push((log as { id: number }).id);
    await noteOpenLines(db, (log as { id: number }).id, open);
  }
  return ids;
}

async function noteOpenLines(db: Queryable, log: number, open: readonly OpenChunk[]): Promise<void> {
  for (const { chunk, bits } of open) {
    if (bits.length > 0)
      await db.query(
        `insert into open_lines (log, chunk, bits) values ($1, $2, $3)
         on conflict (log, chunk) do update set bits = excluded.bits`,
        [log, chunk, bits],
      );
    else await db.query('delete from open_lines where log = $1 and chunk = $2', [log, chunk]);
  }
}

/** Null: nothing is kept to take the log back. */
async function findRecorded(db: Queryable, log: number): Promise<number | null> {
  const rows = await db.query('select from logs where id = $1 and counted_at is not null', [log]);
  return rows.length > 0 ? log : null;
}

function recordsOf(
  batch: LoggedViews,
  prepared: readonly Prepared[],
  rows: readonly OpenDayRow[],
): Iterable<DayRecord> {
  const records = new Map<Day, DayRecord>();
  const recordOf = (day: Day) => {
    const known = records.get(day);
    if (known) return known;
    const record = emptyRecord(day);
    records.set(day, record);
    return record;
  };
  for (const { day, ...dropped } of batch.dropped) recordOf(day).besides.dropped.push(dropped);
  for (const [place, row] of rows.entries()) {
    const record = recordOf(row.day);
    const { human, ai } = viewsOn(prepared, row);
    const of = prepared.map(({ columns }) => ({ columns, place: columns.days.indexOf(row) }));
    Object.assign(record, {
      humanViews: human,
      aiViews: ai,
      lastAt: (batch.days[place] as ImportDay & { lastAt: number }).lastAt,
      sums: packViews(of.flatMap(({ columns, place }) => columns.namedViews(place))),
      ...(!row.isSealed && {
        visitors: JSON.stringify(followedVisitors(batch.views, place)),
        dayId: row.id,
      }),
    });
    record.besides.caps.push(...of.flatMap(({ columns, place }) => columns.cappedViews(place)));
  }
  for (const { tallies } of prepared) {
    for (const { day, tally, group, name, hits, amount } of tallies)
      recordOf(day).besides.tallies.push({ tally, group, name, hits, amount });
  }
  return records.values();
}

async function record(db: Queryable, log: number, records: Iterable<DayRecord>): Promise<void> {
  for (const { day, humanViews, aiViews, lastAt, sums, besides, visitors, dayId } of records) {
    await db.query(
      `insert into log_days (log, day, human_views, ai_views, last_at, sums, besides, visitors, day_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [log, day, humanViews, aiViews, lastAt, sums, JSON.stringify(besides), visitors, dayId],
    );
  }
}
