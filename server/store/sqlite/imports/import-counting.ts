import type { Statement } from 'better-sqlite3';
import { blocksOf } from '../../../counting/blocks.ts';
import type { ImportDay, LogProgress, LogReceipt } from '../../counts/import-store.ts';
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
  readonly #addLog: Statement<[number, Uint8Array, number, number, string]>;
  readonly #moveLog: Statement<[number, Uint8Array, number, number, number]>;
  readonly #setOpen: Statement<[number, number, Uint8Array]>;
  readonly #deleteOpen: Statement<[number, number]>;
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
    this.#findLog = db.prepare('select bytes from logs where id = ?');
    this.#addLog = db.prepare(
      `insert into logs (project, head_length, head_hash, bytes, lines)
       select id, ?, ?, ?, ? from projects where public_id = ?`,
    );
    this.#moveLog = db.prepare(
      'update logs set head_length = ?, head_hash = ?, bytes = ?, lines = ? where id = ?',
    );
    this.#setOpen = db.prepare(
      'insert into open_lines (log, chunk, bits) values (?, ?, ?) on conflict do update set bits = excluded.bits',
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
    if (this.#parts.seen.begin()) this.#parts.dictionary.forget();
    for (let i = 0; i < views.visitors.length; i++) {
      (days[views.cells[i * cellsPerView] as number] as DayTable).count(i);
    }
    for (const [i, day] of days.entries()) {
      this.#write(day, batch.forgetAt, (batch.days[i] as LoggedViews['days'][number]).lastAt);
    }
    this.#parts.caps.saveTaken();
    this.#parts.seen.save();
    for (const { day, reason, family, hits } of batch.dropped) {
      this.#addDropped.run(day, reason, family, hits, batch.projectId);
    }
    this.#tallies.addCounts((batch.tallies ?? []).map((tally) => ({ ...tally, projectId: batch.projectId })));
    return { state: 'counted', ids: batch.logs.map((log) => this.#note(log, batch.projectId)) };
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

  #write(table: DayTable<ImportDayRow>, forgetAt: number, lastAt: number): void {
    const { id, project, day, forget_at } = table.row;
    const isSealed = forget_at !== null;
    if (isSealed) this.#keep.run(forgetAt, id);
    const blocks = blocksOf(day, { isSealed });
    for (const delta of table.deltas()) {
      for (const block of blocks) this.#counts.add(project, block, delta);
    }
    this.#counts.save();
    this.#parts.caps.save(project, day, table.capped());
    this.#tallies.add(project, day, table.tallies());
    this.#visits.add(table);
    this.#addImported.run(project, day, table.site.humanViews, table.site.aiViews, lastAt);
  }

  #note(log: LogProgress, projectId: string): number {
    const id = this.#noteProgress(log, projectId);
    for (const { chunk, bits } of log.open ?? []) {
      if (bits.length > 0) this.#setOpen.run(id, chunk, bits);
      else this.#deleteOpen.run(id, chunk);
    }
    return id;
  }

  #noteProgress({ id, headLength, headHash, bytes, lines }: LogProgress, projectId: string): number {
    if (id === null) {
      return Number(this.#addLog.run(headLength, headHash, bytes, lines, projectId).lastInsertRowid);
    }
    this.#moveLog.run(headLength, headHash, bytes, lines, id);
    return id;
  }
}
