import { randomBytes } from 'node:crypto';
import type { Database } from '../../database.ts';
import type { BatchId } from './batch-call.ts';

const hourMs = 3_600_000;

/** Ids of a node's batches, one after the other, so that an index of them grows at few places. */
export class BatchIds {
  readonly #node = randomBytes(8).toString('hex');
  #last = 0;
  /** From the clock of this process, which nobody sets, to that of the database. */
  #offsetMs = 0;

  /** Nodes need the same turns, whatever their clocks say. */
  async setClock(database: Database): Promise<void> {
    const [row] = await database.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
    );
    if (row) this.#offsetMs = row.now - performance.now();
  }

  next(): BatchId {
    const digits = this.#node + (++this.#last).toString(16).padStart(16, '0');
    return {
      turn: Math.floor((performance.now() + this.#offsetMs) / hourMs) & 3,
      id: digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    };
  }
}
