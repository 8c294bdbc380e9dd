import { counters } from '../../shared/reports/counters.ts';
import type { Day } from '../counting/calendar.ts';
import { isLasting } from '../counting/counter.ts';
import { historyGroups } from '../counting/history.ts';
import { what } from '../counting/what.ts';
import type { Sql } from '../database/sql.ts';
import { addEntry } from './admin/audit.ts';
import {
  type CountedProject,
  type CountingEngine,
  type CountTables,
  findProject,
  placeOf,
} from './counting-engine.ts';
import { type Besides, type DayRecord, type LoggedDay, recordsOf } from './counts/import-record.ts';
import type {
  DaySummary,
  ImportDay,
  KnownLog,
  LogBatch,
  LoggedViews,
  LogProgress,
  LogReceipt,
  OpenChunk,
  ViewBatch,
} from './counts/view-batch.ts';
import type { CounterSum } from './counts/view-table.ts';
import { isHistory } from './history.ts';

interface SummaryRow extends Omit<DaySummary, 'imported'> {
  importedHuman: number | null;
  importedAi: number | null;
  lastAt: number | null;
}

const dataSourceCounter = counters['data-sources'].number;

/** What is known of imports before one begins. @param waitingSite a table of what was counted and is not added up yet, by days */
export function importLists(
  sql: Sql,
  tables: CountTables,
  waitingSite?: (project: CountedProject) => string,
) {
  return {
    async listLogs(projectId: string): Promise<KnownLog[]> {
      const logs = await sql.query<KnownLog>(
        `select l.id, head_length as "headLength", head_hash as "headHash", bytes, lines, undone_at is not null as "isUndone"
         from logs l join projects p on p.id = l.project where p.public_id = $1 order by l.id`,
        [projectId],
      );
      return logs.map(({ isUndone, ...log }) => ({ ...log, ...(isUndone && { isUndone: true }) }));
    },

    /** The lines of a log that may still be counted. */
    readOpenLines: (logId: number): Promise<OpenChunk[]> =>
      sql.query<OpenChunk>('select chunk, bits from open_lines where log = $1 order by chunk', [logId]),

    /** Days that took note of hits, counted or not, or that another tool counted. */
    async listNotedDays(projectId: string): Promise<Day[]> {
      const project = await findProject(sql, tables, projectId);
      if (!project) return [];
      const rows = await sql.query<{ day: Day }>(
        `select distinct day from tallies t where ${tables.ofProject('t', project)} and tally = ${dataSourceCounter}`,
        placeOf(project),
      );
      return rows.map(({ day }) => day);
    },

    async listDays(projectId: string): Promise<DaySummary[]> {
      const project = await findProject(sql, tables, projectId);
      if (!project) return [];
      const rows = await sql.query<SummaryRow>(
        `select c.day, cast(c.human as bigint) as "humanViews", cast(c.ai as bigint) as "aiViews",
           i.human_views as "importedHuman", i.ai_views as "importedAi", i.last_at as "lastAt", h.history,
           exists (select 1 from days d where d.project = $2 and d.day = c.day and d.salt is not null) as "isOpen"
         from (
           select day, sum(human_views) as human, sum(ai_views) as ai from (
             select c.day, c.human_views, c.ai_views from counts c
             where ${tables.ofProject('c', project)} and span = 1 and what = ${what.site} and parent = 0 and name = 0
             ${waitingSite ? `union all select w.day, w.human_views, w.ai_views from ${waitingSite(project)} w` : ''}
           ) c group by day) c
           left join imported_days i on i.project = $2 and i.day = c.day
           left join (
             select day, min(substr(subject, ${historyGroups.toolFrom})) as history from tallies t
             where ${tables.ofProject('t', project)} and tally = ${dataSourceCounter} and subject like '${historyGroups.like}'
             group by day) h on h.day = c.day
         order by c.day`,
        placeOf(project),
      );
      return rows.map(({ importedHuman, importedAi, lastAt, isOpen, ...row }) => ({
        ...row,
        imported:
          lastAt === null ? null : { humanViews: importedHuman ?? 0, aiViews: importedAi ?? 0, lastAt },
        isOpen: Boolean(isOpen),
      }));
    },
  };
}

/** Opens days for imports. */
export function imports(sql: Sql, engine: CountingEngine) {
  return {
    /**
     * Opens any day, also a sealed one. The salt is for a day that has none; on a sealed day it is thrown away then. Waits
     * until the visitors of an earlier opening are deleted. `history`: another tool counted the day. Null: no such project.
     */
    async openDay(
      projectId: string,
      day: Day,
      given: { salt: Uint8Array; forgetAt: number },
    ): Promise<ImportDay | 'history' | null> {
      for (;;) {
        const opened = await sql.transaction(async (transaction) => {
          const project = await engine.holdDays(transaction, projectId);
          if (!project) return null;
          if (await isHistory(transaction, engine, project, day)) return 'history';
          return engine.openDay(transaction, project, day, { ...given, projectId });
        });
        if (typeof opened !== 'function') return opened;
        await opened();
      }
    },
  };
}

/** What is kept of imports. The rules of `Store` hold. */
export interface ImportStore extends ReturnType<typeof importLists>, ReturnType<typeof imports> {
  newBatch(): ViewBatch;
  /** Forgets the throw-away salts and visitors that are due at `now`, and those of the days that are done, as `Store.seal`. */
  seal(projectId: string, now: number, done: Day[]): Promise<void>;
}

/** What a batch of logs counts. */
interface CountedLogs {
  days: LoggedDay[];
  counters: (CounterSum & { day: Day })[];
}

/**
 * Counts a batch of logs, and notes how far they are counted, in a transaction.
 *
 * @param count is called with the log that this can be taken back with; null: none
 */
export async function countLogs(
  sql: Sql,
  project: number,
  batch: LoggedViews,
  count: (log: number | null) => Promise<CountedLogs>,
): Promise<LogReceipt> {
  if (await isMoved(sql, project, batch)) return { state: 'changed' };
  const { ids, recorded } = await noteLogs(sql, project, batch.logs);
  const { days, counters } = await count(recorded);
  for (const day of days) await addImportedDay(sql, project, day);
  if (recorded !== null)
    for (const record of recordsOf(batch, days, counters)) await addDayRecord(sql, recorded, record);
  for (const entry of batch.entries ?? []) await addEntry(sql, entry);
  return { state: 'counted', ids };
}

/** Whether somebody else reads one of the logs, or may have begun to. In the transaction that counts them. */
async function isMoved(
  sql: Sql,
  project: number,
  { logs, knownLogs }: Pick<LogBatch, 'logs' | 'knownLogs'>,
): Promise<boolean> {
  if (logs.some(({ id }) => id === null)) {
    const [all] = await sql.query<{ logs: number }>('select count(*) as logs from logs where project = $1', [
      project,
    ]);
    if (all?.logs !== knownLogs) return true;
  }
  const begun = logs.filter(({ id }) => id !== null);
  const known = await sql.query<{ id: number; bytes: number }>(
    `select id, bytes from logs where project = $1 and undone_at is null and id ${sql.dialect.isOneOf('$2')}`,
    [project, begun.map(({ id }) => id)],
  );
  const bytesOf = new Map(known.map(({ id, bytes }) => [id, bytes]));
  return begun.some(({ id, from }) => bytesOf.get(id as number) !== from);
}

/** Notes how far logs are counted. Answers their ids, and of one that can be taken back which it is. */
async function noteLogs(
  sql: Sql,
  project: number,
  logs: readonly LogProgress[],
): Promise<{ ids: number[]; recorded: number | null }> {
  const noted: { id: number; isRecorded: boolean }[] = [];
  for (const { id, headLength, headHash, bytes, lines, name = '', countedAt = null, open = [] } of logs) {
    const values = [headLength, headHash, bytes, lines, name, countedAt];
    const [log] = await sql.query<{ id: number; isRecorded: boolean }>(
      id === null
        ? `insert into logs (project, head_length, head_hash, bytes, lines, name, counted_at)
           values ($7, $1, $2, $3, $4, $5, $6) returning id, counted_at is not null as "isRecorded"`
        : `update logs set head_length = $1, head_hash = $2, bytes = $3, lines = $4, name = $5,
             counted_at = case when counted_at is not null then cast($6 as bigint) end
           where id = $7 returning id, counted_at is not null as "isRecorded"`,
      [...values, id ?? project],
    );
    if (!log) continue;
    noted.push(log);
    await noteOpenLines(sql, log.id, open);
  }
  const [only] = noted;
  const recorded = noted.length === 1 && only?.isRecorded ? only.id : null;
  return { ids: noted.map(({ id }) => id), recorded };
}

async function noteOpenLines(sql: Sql, log: number, open: readonly OpenChunk[]): Promise<void> {
  for (const { chunk, bits } of open) {
    await sql.query(
      bits.length > 0
        ? `insert into open_lines (log, chunk, bits) values ($1, $2, $3)
           on conflict (log, chunk) do update set bits = excluded.bits`
        : 'delete from open_lines where log = $1 and chunk = $2',
      bits.length > 0 ? [log, chunk, bits] : [log, chunk],
    );
  }
}

/** What logs counted on a day, of all of them together. */
async function addImportedDay(
  sql: Sql,
  project: number,
  { day, humanViews, aiViews, lastAt }: Pick<DayRecord, 'day' | 'humanViews' | 'aiViews' | 'lastAt'>,
): Promise<void> {
  await sql.query(
    `insert into imported_days as i (project, day, human_views, ai_views, last_at) values ($1, $2, $3, $4, $5)
     on conflict (project, day) do update set human_views = i.human_views + excluded.human_views,
       ai_views = i.ai_views + excluded.ai_views,
       last_at = case when i.last_at < excluded.last_at then excluded.last_at else i.last_at end`,
    [project, day, humanViews, aiViews, lastAt],
  );
}

/** What a log added to a day, for taking it back. */
async function addDayRecord(sql: Sql, log: number, record: DayRecord): Promise<void> {
  const { day, humanViews, aiViews, lastAt, sums, besides, visitors, dayId } = record;
  await sql.query(
    `insert into log_days (log, day, human_views, ai_views, last_at, sums, besides, visitors, day_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [log, day, humanViews, aiViews, lastAt, sums, JSON.stringify(besides), visitors, dayId],
  );
}

/** Of days whose details are forgotten, so that later counts of these days are not taken back with them. */
export async function forgetRecordedDetails(sql: Sql, project: CountedProject, before: Day): Promise<void> {
  const records = await sql.query<{ id: number; besides: string }>(
    `select id, besides from log_days where day < $2 and log in (select id from logs where project = $1)
       and (length(sums) > 0 or besides like '%"tallies":[{%')`,
    [project.id, before],
  );
  for (const { id, besides } of records) {
    const { tallies: sums, ...rest } = JSON.parse(besides) as Besides;
    const kept = { ...rest, tallies: sums.filter(({ tally }) => isLasting(tally)) };
    await sql.query('update log_days set sums = $2, besides = $3 where id = $1', [
      ...[id, new Uint8Array(), JSON.stringify(kept)],
    ]);
  }
}

/** Of days that are forgotten: only that the log counted there is left. */
export async function forgetRecorded(sql: Sql, project: CountedProject, before: Day): Promise<void> {
  await sql.query(
    `update log_days set sums = $3, besides = '', last_at = 0
     where day < $2 and besides <> '' and log in (select id from logs where project = $1)`,
    [project.id, before, new Uint8Array()],
  );
}
