import type { Log } from '../../../log.ts';
import type { Database } from '../database.ts';
import type { BatchIds } from './batch/batch-ids.ts';
import { Chore } from './chore.ts';
import { tidyBins } from './sealing.ts';

const everyMs = 60_000;

/** What has to be done from time to time, by whichever node is there; another one does it again without harm. */
export class Housekeeping {
  readonly #database: Database;
  readonly #ids: BatchIds;
  readonly #chore: Chore;

  constructor(database: Database, ids: BatchIds, log: Log | undefined) {
    this.#database = database;
    this.#ids = ids;
    const failure = 'What is no longer needed could not be deleted';
    this.#chore = new Chore({ everyMs, work: () => this.#tidy(), failure, log });
    this.#chore.start();
  }

  close(): Promise<void> {
    return this.#chore.close();
  }

  async #tidy(): Promise<void> {
    await this.#ids.setClock(this.#database);
    await tidyBins(this.#database);
    await this.#database.query('select tidy_batches()');
  }
}
