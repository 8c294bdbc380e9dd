import type { Statement } from 'better-sqlite3';
import { blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { kindBits } from '../../../counting/sum.ts';
import { type DayRecord, emptyRecord, followedVisitors, packViews } from '../../counts/import-record.ts';
import type { ImportDay, LogProgress, LogReceipt } from '../../counts/import-store.ts';
import type { TallySum } from '../../counts/tally-sums.ts';
import type { LoggedViews } from '../../counts/view-batch.ts';
import { cellsPerView } from '../../counts/view-table.ts';
import type { Connection } from '../connection.ts';
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
  readonly #parts: DayParts;
  readonly #findDay: Statement<[number, string], ImportDayRow>;
  readonly #keep: Statement<[number, number]>;
  readonly #counts: Counts;
  readonly #tallies: Tallies;
  readonly #visits: VisitViews;
  readonly #addDropped: Statement<[number, string, string, number, string]>;
  readonly #addImported: Statement<[number, number, number, number, number]>;
  readonly #countLogs: Statement<[string], { logs: number }>;
  readonly #findLog: Statement<[number], { bytes: number }>;
  readonly #addLog: Statement<[number, Uint8Array, number, number, string, number | null, string]>;
  readonly #moveLog: Statement<[number, Uint8Array, number, number, string, number | null, number]>;
  readonly #setOpen: Statement<[number, number, Uint8Array]>;
  readonly #deleteOpen: Statement<[number, number]>;
  readonly #isRecorded: Statement<[number]>;
  readonly #addRecord: Statement<
    [number, number, number, number, number, Uint8Array, string, string | null, number | null]
  >;
  readonly #count: (batch: LoggedViews) => LogReceipt;

  constructor(db: Connection) {
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
    this.#addImported = db.prepare(
      `insert into imported_days (project, day, human_views, ai_views, last_at) values (?, ?, ?, ?, ?)
       on conflict do update set
         human_views = human_views + excluded.human_views,
         ai_views = ai_views + excluded.ai_views,
         last_at = max(last_at, excluded.last_at)`,
    );
    this.#countLogs = db.prepare(
      'select count(*) as logs from logs l join projects p on p.id = l.project where p.public_id = ?',
    );
    this.#findLog = db.prepare('select bytes from logs where id = ? and undone_at is null');
    this.#addLog = db.prepare(
      `insert into logs (project, head_length, head_hash, bytes, lines, name, counted_at)
       select id, ?, ?, ?, ?, ?, ? from projects where public_id = ?`,
    );
    this.#moveLog = db.prepare(
      `update logs set head_length = ?, head_hash = ?, bytes = ?, lines = ?, name = ?,
         counted_at = case when counted_at is null then null else ? end where id = ?`,
    );
    this.#setOpen = db.prepare(
      'insert into open_lines (log, chunk, bits) values (?, ?, ?) on conflict do update set bits = excluded.bits',
    );
    this.#isRecorded = db.prepare('select 1 from logs where id = ? and counted_at is not null');
    this.#addRecord = db.prepare(
      `insert into log_days (log, day, human_views, ai_views, last_at, sums, besides, visitors, day_id)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#deleteOpen = db.prepare('delete from open_lines where log = ? and chunk = ?');
    const transaction = db.transaction(this.#countAll.bind(this));
    this.#count = transaction.immediate.bind(transaction);
  }

  count(batch: LoggedViews): LogReceipt {
    try {
      return this.#count(batch);
    } catch (error) {
      this.#parts.dictionary.forget();
      this.#parts.caps.forget();
      this.#parts.seen.forget();
      throw error;
    }
  }

  #countAll(batch: LoggedViews): LogReceipt {
    const { views } = batch;
    const days = this.#openDays(batch);
    if (!days || this.#isMoved(batch)) return { state: 'changed' };
    const ids = batch.logs.map((log) => this.#note(log, batch.projectId));
    const log = batch.logs.length === 1 && this.#isRecorded.get(ids[0] as number) ? (ids[0] as number) : null;
    const records = new Records(batch);
    if (this.#parts.seen.begin()) this.#parts.dictionary.forget();
    for (let i = 0; i < views.visitors.length; i++) {
      (days[views.cells[i * cellsPerView] as number] as DayTable).count(i);
    }
    for (const [i, day] of days.entries()) {
      const { lastAt } = batch.days[i] as LoggedViews['days'][number];
      const tallies = this.#write(day, { forgetAt: batch.forgetAt, lastAt, log });
      if (log !== null) records.addDay(day, { lastAt, tallies, place: i });
    }
    this.#parts.caps.saveTaken();
    this.#parts.seen.save();
    for (const { day, reason, family, hits } of batch.dropped) {
      this.#addDropped.run(day, reason, family, hits, batch.projectId);
    }
    for (const { day, ...sum } of batch.tallies ?? []) {
      const [admitted] = this.#tallies.addCounts([{ ...sum, day, projectId: batch.projectId }]);
      if (admitted) records.addTally(day, admitted);
    }
    if (log !== null) for (const record of records.list()) this.#record(log, record);
    return { state: 'counted', ids };
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

  /** Somebody else reads one of the logs, or may have begun to. */
  #isMoved({ logs, knownLogs, projectId }: LoggedViews): boolean {
    const beginsLog = logs.some(({ id }) => id === null);
    if (beginsLog && this.#countLogs.get(projectId)?.logs !== knownLogs) return true;
    return logs.some(({ id, from }) => id !== null && this.#findLog.get(id)?.bytes !== from);
  }

  #record(
    log: number,
    { day, humanViews, aiViews, lastAt, sums, besides, visitors, dayId }: DayRecord,
  ): void {
    this.#addRecord.run(
      log,
      day,
      humanViews,
      aiViews,
      lastAt,
      sums,
      JSON.stringify(besides),
      visitors,
      dayId,
    );
  }

  /** Answers the tallies under the names that were admitted. */
  #write(
    table: DayTable<ImportDayRow>,
    { forgetAt, lastAt, log }: { forgetAt: number; lastAt: number; log: number | null },
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
    this.#addImported.run(project, day, table.site.humanViews, table.site.aiViews, lastAt);
    return tallies;
  }

  #note(log: LogProgress, projectId: string): number {
    const id = this.#noteProgress(log, projectId);
    for (const { chunk, bits } of log.open ?? []) {
      if (bits.length > 0) this.#setOpen.run(id, chunk, bits);
      else this.#deleteOpen.run(id, chunk);
    }
    return id;
  }

  #noteProgress(log: LogProgress, projectId: string): number {
    const { id, headLength, headHash, bytes, lines, name = '', countedAt = null } = log;
    if (id === null) {
      const added = this.#addLog.run(headLength, headHash, bytes, lines, name, countedAt, projectId);
      return Number(added.lastInsertRowid);
    }
    this.#moveLog.run(headLength, headHash, bytes, lines, name, countedAt, id);
    return id;
  }
}

/** What a batch adds to each day, so that it can be taken back. */
class Records {
  readonly #batch: LoggedViews;
  readonly #days = new Map<Day, DayRecord>();

  constructor(batch: LoggedViews) {
    this.#batch = batch;
    for (const { day, ...dropped } of batch.dropped) this.#of(day).besides.dropped.push(dropped);
  }

  addDay(
    table: DayTable<ImportDayRow>,
    { lastAt, tallies, place }: { lastAt: number; tallies: TallySum[]; place: number },
  ): void {
    const { id, day, forget_at } = table.row;
    const record = this.#of(day);
    Object.assign(record, {
      humanViews: table.site.humanViews,
      aiViews: table.site.aiViews,
      lastAt,
      sums: packViews(
        Array.from(table.deltas(), ({ name, humanViews, aiViews }) => ({
          id: name.id,
          human: humanViews,
          ai: aiViews,
        })),
      ),
      ...(forget_at === null && {
        visitors: JSON.stringify(followedVisitors(this.#batch.views, place)),
        dayId: id,
      }),
    });
    record.besides.tallies.push(...tallies);
    for (const { what, cap, kind, client, views } of table.capped())
      record.besides.caps.push({ what, cap, kind: kindBits[kind], client, views });
  }

  addTally(day: Day, tally: TallySum): void {
    this.#of(day).besides.tallies.push(tally);
  }

  list(): Iterable<DayRecord> {
    return this.#days.values();
  }

  #of(day: Day): DayRecord {
    const known = this.#days.get(day);
    if (known) return known;
    const record = emptyRecord(day);
    this.#days.set(day, record);
    return record;
  }
}
