import type { BatchReply } from '../../shared/hit.ts';
import type { CounterIncrement } from '../counting/counter.ts';
import type { ReportedBy } from '../counting/hit/duplicate.ts';
import type { RefusedReason } from '../counting/hit/refused-views.ts';
import type { View } from '../counting/view.ts';
import type { Sql } from '../database/sql.ts';
import type { DroppedCounter } from './counts/counting-store.ts';
import { type Idempotency, idempotencyMs } from './page.ts';

/** Between two such steps views are counted. */
const forgottenAtATime = 2000;

/** With the time of the batch that it is of. */
export interface FoundReceipt extends Receipt {
  at: number;
}

/** Receipts of counted batches. */
export function receipts(sql: Sql) {
  return {
    /** Of a batch that was counted less than `idempotencyMs` ago. `now`: milliseconds since 1970. */
    async findReceipt(projectId: string, key: string, now: number): Promise<Receipt | null> {
      const [found] = await findReceipts(sql, [{ projectId, key }], now);
      return found ? { requestHash: found.requestHash, dropped: found.dropped } : null;
    },
    /** Deletes some receipts and reservations that are too old; answers whether there may be more. */
    async forgetReceipts(now: number): Promise<boolean> {
      const forgotten = await sql.query(
        `delete from receipts where (project, key) in (
           select project, key from receipts where at <= $1
           order by at limit ${forgottenAtATime} ${sql.dialect.skipLocked('receipts')}
         ) returning key`,
        [now - idempotencyMs],
      );
      return forgotten.length === forgottenAtATime;
    },
  };
}

/**
 * In the order of the keys. They are locked, which PostgreSQL writes: so an answer waits for the standbys that the first one may
 * not have reached.
 */
export async function findReceipts(
  sql: Sql,
  keys: readonly { projectId: string; key: string }[],
  now: number,
): Promise<(FoundReceipt | undefined)[]> {
  const { dialect } = sql;
  const asked = dialect.rows('$1', { projectId: 'text', key: 'text' });
  const rows = await sql.query<
    Record<'projectId' | 'key' | 'requestHash' | 'dropped', string> & { at: number }
  >(
    `select (select public_id from projects where id = r.project) as "projectId", r.key,
       r.request_hash as "requestHash", r.dropped, r.at
     from receipts r
     where (r.project, r.key) in (
       select p.id, x.key from ${asked} x join projects p on p.public_id = x."projectId"
     ) and r.at > $2
     order by r.project, r.key ${dialect.forUpdate}`,
    [JSON.stringify(keys), now - idempotencyMs],
  );
  const found = new Map(rows.map(({ projectId, key, ...receipt }) => [`${projectId} ${key}`, receipt]));
  return keys.map(({ projectId, key }) => {
    const receipt = found.get(`${projectId} ${key}`);
    return receipt && { ...receipt, dropped: JSON.parse(receipt.dropped) };
  });
}

/** A hit of a batch that was not counted, by its place. */
export type DroppedHit = BatchReply['dropped'][number];

/** A view that was not counted: its day was sealed, or another node reserved it first. */
export interface RefusedView {
  /** Its index. */
  view: number;
  reason: RefusedReason;
}

/** The keys by which a view is counted once among all nodes. */
export interface ViewReservation {
  /** Its index. */
  view: number;
  /** The page and a report may both send the view with this hash: the second one is not counted. */
  report?: { of: string; by: ReportedBy };
  /** Hash of the nonce of a signature; a second request with it is a copy. */
  nonce?: string;
}

/** A batch of hits that may be sent again under its key. */
export interface KeyedBatch {
  projectId: string;
  idempotency: Idempotency;
  views: View[];
  /** Of the views among its hits; all others are dropped. */
  places: number[];
  dropped: DroppedHit[];
  droppedCounters: DroppedCounter[];
  /** What the dropped hits add to besides. */
  counters?: CounterIncrement[];
  /** None where one server alone counts, which knows by itself. */
  reservations: ViewReservation[];
  /** Milliseconds since 1970. */
  at: number;
}

/** The receipt of a counted batch. */
export interface Receipt {
  requestHash: string;
  dropped: DroppedHit[];
}

export interface CountedBatch extends Receipt {
  /** The key was known: nothing was counted, and this is the receipt of the first batch under it. */
  isRepeated: boolean;
}

/** Batches of hits that count once, however often they are sent. The rules of `Store` hold. */
export interface ReceiptStore extends ReturnType<typeof receipts> {
  /**
   * Counts each batch whose key is not known, and keeps its receipt and reservations, in one transaction. Views are refused as by
   * `countViews`, and for their reservations; they are among the dropped hits then, and counted as such. Of batches with one key
   * that come at once, one counts and the others repeat it.
   */
  countBatches(batches: KeyedBatch[]): Promise<CountedBatch[]>;
}
