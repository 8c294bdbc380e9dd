import type { Sql } from '../database/sql.ts';
import type { Receipt, ReceiptStore } from './counts/receipt-store.ts';
import { idempotencyMs } from './idempotency.ts';

/** Between two such steps views are counted. */
const forgottenAtATime = 2000;

/** With the time of the batch that it is of. */
export interface FoundReceipt extends Receipt {
  at: number;
}

/** What is kept of batches that were counted. */
export function receipts(sql: Sql): Omit<ReceiptStore, 'countBatches'> {
  return {
    async findReceipt(projectId, key, now) {
      const [found] = await findReceipts(sql, [{ projectId, key }], now);
      return found ? { requestHash: found.requestHash, dropped: found.dropped } : null;
    },
    async forgetReceipts(now) {
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
