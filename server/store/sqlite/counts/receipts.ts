import type { Statement } from 'better-sqlite3';
import type { Receipt } from '../../counts/receipt-store.ts';
import { type Idempotency, idempotencyMs } from '../../idempotency.ts';
import type { Connection } from '../connection.ts';

interface ReceiptRow {
  request_hash: string;
  dropped: string;
}

/** Forgotten at a time: between two such steps views are counted. */
const forgottenAtATime = 2000;

/** What is kept of batches that were counted. */
export class Receipts {
  readonly #keep: Statement<[string, string, string, number, string]>;
  readonly #forget: Statement<[number]>;
  readonly #find: Statement<[string, string, number], ReceiptRow>;

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
    this.#forget = db.prepare(
      `delete from receipts where (project, key) in
         (select project, key from receipts where at <= ? order by at limit ${forgottenAtATime})`,
    );
  }

  findReceipt(projectId: string, key: string, now: number): Receipt | null {
    const row = this.#find.get(projectId, key, now - idempotencyMs);
    return row ? { requestHash: row.request_hash, dropped: JSON.parse(row.dropped) } : null;
  }

  /** Used inside transactions. */
  keep(projectId: string, { key, requestHash }: Idempotency, dropped: Receipt['dropped'], now: number): void {
    this.#keep.run(key, requestHash, JSON.stringify(dropped), now, projectId);
  }

  forgetReceipts(now: number): boolean {
    return this.#forget.run(now - idempotencyMs).changes === forgottenAtATime;
  }
}
