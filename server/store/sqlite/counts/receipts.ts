import type { Statement } from 'better-sqlite3';
import type { Receipt } from '../../counts/receipt-store.ts';
import { type Idempotency, idempotencyMs } from '../../idempotency.ts';
import type { Connection } from '../connection.ts';

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
