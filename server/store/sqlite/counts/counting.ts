import type { Statement } from 'better-sqlite3';
import { tallyOfRefused, tooOld, withRefused } from '../../../counting/hit/refused-views.ts';
import type { TallyCount } from '../../../counting/tally.ts';
import type { DroppedTally } from '../../counts/counting-store.ts';
import type { CountedBatch, KeyedBatch, Receipt } from '../../counts/receipt-store.ts';
import { cellsPerView, type LiveViews } from '../../counts/view-table.ts';
import { type Idempotency, idempotencyMs } from '../../idempotency.ts';
import type { Connection } from '../connection.ts';
import { Counts, type Delta } from './counts.ts';
import { type DayParts, DayTable, type OpenDayRow } from './day-table.ts';
import { Dictionary } from './dictionary.ts';
import { NameCaps } from './name-caps.ts';
import { PendingCounts } from './pending-counts.ts';
import { Tallies } from './tallies.ts';
import { Seen } from './visitors/seen.ts';
import { VisitViews } from './visits/visit-views.ts';

/** Adds to a day's tally: day, reason, family, hits, project. */
export const addDroppedSql = `
  insert into dropped (project, day, reason, family, hits)
  select id, ?, ?, ?, ? from projects where public_id = ?
  on conflict do update set hits = hits + excluded.hits`;

/** A batch under a key, with its views in few pieces. */
export interface KeyedViews extends Omit<KeyedBatch, 'views'> {
  live: LiveViews;
}

/** Counts batches of views, each in one transaction. */
export class Counting {
  readonly #db: Connection;
  readonly #parts: DayParts;
  readonly #findDay: Statement<[string, number], OpenDayRow>;
  readonly #counts: Counts;
  readonly #pending: PendingCounts;
  readonly #receipts: Receipts;
  readonly #tallies: Tallies;
  readonly #visits: VisitViews;
  readonly #addDropped: Statement<[number, string, string, number, string]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#parts = { dictionary: new Dictionary(db), caps: new NameCaps(db), seen: new Seen(db) };
    // As a join it would be planned anew for each batch, which takes ten times as long as the look-up.
    this.#findDay = db.prepare(
      `select id, project, day from days
       where project = (select id from projects where public_id = ?) and day = ? and salt is not null`,
    );
    this.#counts = new Counts(db);
    this.#pending = new PendingCounts(db);
    this.#receipts = new Receipts(db);
    this.#tallies = new Tallies(db);
    this.#visits = new VisitViews(db);
    this.#addDropped = db.prepare(addDroppedSql);
  }

  /** Answers the indexes of the views whose day is not open. */
  count(views: LiveViews, dropped: DroppedTally[], tallies: TallyCount[] = []): number[] {
    return this.#transact(() => {
      this.#tally(dropped, tallies);
      return this.#countAll(views);
    });
  }

  /** Those whose key is not known. */
  countBatches(batches: KeyedViews[]): CountedBatch[] {
    return this.#transact(() => batches.map((batch) => this.#countBatch(batch)));
  }

  #transact<Result>(count: () => Result): Result {
    const { dictionary, caps, seen } = this.#parts;
    const transaction = this.#db.transaction(() => {
      if (seen.begin()) dictionary.forget();
      const result = count();
      this.#counts.save();
      this.#pending.mergeMany();
      caps.saveTaken();
      seen.save();
      return result;
    });
    try {
      return transaction.immediate();
    } catch (error) {
      this.#counts.forget();
      dictionary.forget();
      caps.forget();
      seen.forget();
      throw error;
    }
  }

  /** Whoever reads counts from here on finds those of pairs, too. */
  mergePending(): void {
    if (!this.#pending.isEmpty) this.#db.transaction(() => this.#pending.merge()).immediate();
  }

  /** Clears the memory of visitors of days that were sealed. */
  forgetSealed(): void {
    this.#parts.seen.forgetSealed();
  }

  #countBatch({ live, ...batch }: KeyedViews): CountedBatch {
    const { projectId, idempotency, places, dropped, tallies, tallyCounts, at } = batch;
    const known = this.#receipts.find(projectId, idempotency.key, at);
    if (known) return { ...known, isRepeated: true };
    this.#tally(tallies, tallyCounts);
    const refused = tooOld(this.#countAll(live));
    this.#tally(refused.map(({ view, reason }) => tallyOfRefused(refusedIn(live, view), reason)));
    const all = withRefused(dropped, places, refused);
    this.#receipts.keep(projectId, idempotency, all, at);
    return { requestHash: idempotency.requestHash, dropped: all, isRepeated: false };
  }

  #countAll({ days, views, count }: LiveViews): number[] {
    const tables = days.map(({ projectId, day, hasGoals }) => {
      const row = this.#findDay.get(projectId, day);
      return row && new DayTable(row, views, this.#parts, hasGoals);
    });
    const refused: number[] = [];
    for (let i = 0; i < views.visitors.length; i++) {
      const table = tables[views.cells[i * cellsPerView] as number];
      if (table) table.count(i);
      else if (i < count) refused.push(i);
    }
    for (const table of tables) if (table) this.#add(table);
    return refused;
  }

  #add(table: DayTable): void {
    const { project, day } = table.row;
    const ofPairs: Delta[] = [];
    for (const delta of table.deltas()) {
      if (delta.name.parent === 0) this.#counts.add(project, { span: 1, day }, delta);
      else ofPairs.push(delta);
    }
    this.#pending.add(project, day, ofPairs);
    this.#parts.caps.save(project, day, table.capped());
    this.#tallies.add(project, day, table.tallies());
    this.#visits.add(table);
  }

  #tally(dropped: DroppedTally[], tallies: TallyCount[] = []): void {
    for (const { day, reason, family, hits, projectId } of dropped) {
      this.#addDropped.run(day, reason, family, hits, projectId);
    }
    this.#tallies.addCounts(tallies);
  }
}

/** What of a view its tally tells; the client only where it is spoofed, which nothing here finds out. */
function refusedIn({ days, views }: LiveViews, view: number): Parameters<typeof tallyOfRefused>[0] {
  const day = days[views.cells[view * cellsPerView] as number] as LiveViews['days'][number];
  return { ...day, client: null };
}

interface ReceiptRow {
  request_hash: string;
  dropped: string;
}

/** Receipts of batches, inside transactions that count these. */
export class Receipts {
  readonly #find: Statement<[string, string, number], ReceiptRow>;
  readonly #keep: Statement<[string, string, string, number, string]>;

  constructor(db: Connection) {
    this.#find = db.prepare(
      `select request_hash, dropped from receipts
       where project = (select id from projects where public_id = ?) and key = ? and at > ?`,
    );
    this.#keep = db.prepare(
      `insert into receipts (project, key, request_hash, dropped, at)
       select id, ?, ?, ?, ? from projects where public_id = ?
       on conflict do update set request_hash = excluded.request_hash, dropped = excluded.dropped, at = excluded.at`,
    );
  }

  find(projectId: string, key: string, now: number): Receipt | null {
    const row = this.#find.get(projectId, key, now - idempotencyMs);
    return row ? { requestHash: row.request_hash, dropped: JSON.parse(row.dropped) } : null;
  }

  keep(projectId: string, { key, requestHash }: Idempotency, dropped: Receipt['dropped'], now: number): void {
    this.#keep.run(key, requestHash, JSON.stringify(dropped), now, projectId);
  }
}
