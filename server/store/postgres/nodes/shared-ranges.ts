import { type RangeStore, refreshMs, type SharedCopy } from '../../range-store.ts';
import type { Database } from '../database.ts';
import type { StoreClock } from '../store-clock.ts';

/** Lists of addresses that one node fetches for all. */
export class SharedRanges implements RangeStore {
  readonly #database: Database;
  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  readCopies(): Promise<SharedCopy[]> {
    return this.#database.query<SharedCopy>('select feed, as_of as "asOf", text from range_copies');
  }

  async keepCopy({ feed, asOf, text }: SharedCopy): Promise<void> {
    await this.#database.query(
      `insert into range_copies as r (feed, as_of, text) values ($1, $2, $3)
       on conflict (feed) do update set as_of = excluded.as_of, text = excluded.text
         where r.as_of <= excluded.as_of`,
      [feed, asOf, text],
    );
  }

  async claimRefresh(node: string): Promise<boolean> {
    const claimed = await this.#database.query(
      `update range_refresh set node = $1, until = store_clock($2) + $3
       where until <= store_clock($2) or node = $1 returning node`,
      [node, this.#clock(), refreshMs],
    );
    return claimed.length > 0;
  }

  async endRefresh(node: string): Promise<void> {
    await this.#database.query('update range_refresh set until = 0 where node = $1', [node]);
  }
}
