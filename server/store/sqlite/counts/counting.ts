import type { Day } from '../../../counting/calendar.ts';
import type { CounterIncrement } from '../../../counting/counter.ts';
import { counterOfRefused, tooOld, withRefused } from '../../../counting/hit/refused-views.ts';
import type { DroppedCounter } from '../../counts/counting-store.ts';
import { cellsPerView, type LiveViews } from '../../counts/view-table.ts';
import { type Idempotency, idempotencyMs } from '../../page.ts';
import type { CountedBatch, KeyedBatch, Receipt } from '../../receipts.ts';
import type { Connection } from '../connection.ts';
import { counterRows } from './counters.ts';
import { countRows, type Delta } from './counts.ts';
import { DayTable, type OpenDayRow } from './day-table.ts';
import { Dictionary } from './dictionary.ts';
import { nameCaps } from './name-caps.ts';
import { pendingCounts } from './pending-counts.ts';
import { Seen } from './visitors/seen.ts';
import { viewKeeper } from './visits/visit-views.ts';

/** What views are counted with, live ones and those of logs. */
export function countingParts(db: Connection) {
  const parts = { dictionary: new Dictionary(db), caps: nameCaps(db), seen: new Seen(db) };
  const counts = countRows(db);
  return {
    parts,
    counts,
    besides: counterRows(db),
    keepViews: viewKeeper(db),
    /** Adds to a day's counter. */
    addDropped: db.prepare<[Day, reason: string, family: string, hits: number, projectId: string]>(
      `insert into dropped (project, day, reason, family, hits)
       select id, ?, ?, ?, ? from projects where public_id = ?
       on conflict do update set hits = hits + excluded.hits`,
    ),
    /** After a rollback. */
    forget(): void {
      for (const part of [counts, ...Object.values(parts)]) part.forget();
    },
  };
}

/** A batch under a key, with its views in few pieces. */
export interface KeyedViews extends Omit<KeyedBatch, 'views'> {
  live: LiveViews;
}

/** Counts batches of views, each in one transaction. */
export function liveCounting(db: Connection) {
  const { parts, counts, besides, keepViews, addDropped, forget } = countingParts(db);
  // As a join it would be planned anew for each batch, which takes ten times as long as the look-up.
  const findDay = db.prepare<[string, number], OpenDayRow>(
    `select id, project, day from days
     where project = (select id from projects where public_id = ?) and day = ? and salt is not null`,
  );
  const pending = pendingCounts(db);
  const receipts = keptReceipts(db);

  /** Answers the indexes of the views whose day is not open. */
  function count(views: LiveViews, dropped: DroppedCounter[], counters: CounterIncrement[] = []): number[] {
    return transact(() => {
      countRest(dropped, counters);
      return countAll(views);
    });
  }

  /** Those whose key is not known. */
  function countBatches(batches: KeyedViews[]): CountedBatch[] {
    return transact(() => batches.map((batch) => countBatch(batch)));
  }

  function transact<Result>(count: () => Result): Result {
    const { dictionary, caps, seen } = parts;
    const transaction = db.transaction(() => {
      if (seen.begin()) dictionary.forget();
      const result = count();
      counts.save();
      pending.mergeMany();
      caps.saveTaken();
      seen.save();
      return result;
    });
    try {
      return transaction.immediate();
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** Reads of counts from here on find those of pairs, too. */
  function mergePending(): void {
    if (!pending.isEmpty()) db.transaction(() => pending.merge()).immediate();
  }

  /** Clears the memory of visitors of days that were sealed. */
  function forgetSealed(): void {
    parts.seen.forgetSealed();
  }

  function countBatch({ live, ...batch }: KeyedViews): CountedBatch {
    const { projectId, idempotency, places, dropped, droppedCounters, counters, at } = batch;
    const known = receipts.find(projectId, idempotency.key, at);
    if (known) return { ...known, isRepeated: true };
    countRest(droppedCounters, counters);
    const refused = tooOld(countAll(live));
    countRest(refused.map(({ view, reason }) => counterOfRefused(refusedIn(live, view), reason)));
    const all = withRefused(dropped, places, refused);
    receipts.keep(projectId, idempotency, all, at);
    return { requestHash: idempotency.requestHash, dropped: all, isRepeated: false };
  }

  function countAll({ days, views, count }: LiveViews): number[] {
    const tables = days.map(({ projectId, day, hasGoals }) => {
      const row = findDay.get(projectId, day);
      return row && new DayTable(row, views, parts, hasGoals);
    });
    const refused: number[] = [];
    for (let i = 0; i < views.visitors.length; i++) {
      const table = tables[views.cells[i * cellsPerView] as number];
      if (table) table.count(i);
      else if (i < count) refused.push(i);
    }
    for (const table of tables) if (table) add(table);
    return refused;
  }

  function add(table: DayTable): void {
    const { project, day } = table.row;
    const ofPairs: Delta[] = [];
    for (const delta of table.deltas()) {
      if (delta.name.parent === 0) counts.add(project, { span: 1, day }, delta);
      else ofPairs.push(delta);
    }
    pending.add(project, day, ofPairs);
    parts.caps.save(project, day, table.capped());
    besides.add(project, day, table.counters());
    keepViews(table);
  }

  function countRest(dropped: DroppedCounter[], counters: CounterIncrement[] = []): void {
    for (const { day, reason, family, hits, projectId } of dropped) {
      addDropped.run(day, reason, family, hits, projectId);
    }
    besides.addCounts(counters);
  }

  return { count, countBatches, mergePending, forgetSealed };
}

/** The parts of a view that its counter has; the client only where it is spoofed, which is not known here. */
function refusedIn({ days, views }: LiveViews, view: number): Parameters<typeof counterOfRefused>[0] {
  const day = days[views.cells[view * cellsPerView] as number] as LiveViews['days'][number];
  return { ...day, client: null };
}

interface ReceiptRow {
  request_hash: string;
  dropped: string;
}

/** Receipts of batches, inside transactions that count these. */
function keptReceipts(db: Connection) {
  const findRow = db.prepare<[string, string, number], ReceiptRow>(
    `select request_hash, dropped from receipts
     where project = (select id from projects where public_id = ?) and key = ? and at > ?`,
  );
  const keepRow = db.prepare<[string, string, string, number, string]>(
    `insert into receipts (project, key, request_hash, dropped, at)
     select id, ?, ?, ?, ? from projects where public_id = ?
     on conflict do update set request_hash = excluded.request_hash, dropped = excluded.dropped, at = excluded.at`,
  );

  function find(projectId: string, key: string, now: number): Receipt | null {
    const row = findRow.get(projectId, key, now - idempotencyMs);
    return row ? { requestHash: row.request_hash, dropped: JSON.parse(row.dropped) } : null;
  }

  function keep(
    projectId: string,
    { key, requestHash }: Idempotency,
    dropped: Receipt['dropped'],
    now: number,
  ): void {
    keepRow.run(key, requestHash, JSON.stringify(dropped), now, projectId);
  }

  return { find, keep };
}
