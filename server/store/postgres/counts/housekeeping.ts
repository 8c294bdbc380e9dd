import type { Database } from '../database.ts';
import type { BatchIds } from './batch/batch-ids.ts';
import { tidyBins } from './sealing.ts';

const everyMs = 60_000;

/** What has to be done from time to time, by whichever node is there; another one does it again without harm. */
export class Housekeeping {
  readonly #database: Database;
  readonly #ids: BatchIds;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  constructor(database: Database, ids: BatchIds) {
    this.#database = database;
    this.#ids = ids;
    this.#timer = setInterval(() => this.#keep(), everyMs).unref();
    this.#keep();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #keep(): void {
    // The database has told that it cannot be used; a minute later is early enough.
    this.#running ??= this.#tidy()
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #tidy(): Promise<void> {
    await this.#ids.setClock(this.#database);
    await tidyBins(this.#database);
    await this.#database.query('select tidy_batches()');
  }
}
