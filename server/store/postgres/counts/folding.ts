import type { Log } from '../../../log.ts';
import type { Database } from '../database.ts';
import { Chore } from './chore.ts';

const everyMs = 250;
/** Of a shard at a time: a batch leaves one of each of its projects. */
const rowsPerFold = 500;
/** Numbers that wait in a shard before they are added up: the more, the fewer rows are written, and the more readers add up. */
const manyNumbers = 100_000;
/**
 * Few wait this long, or a second for each shard in which something waits where these are fewer: many small folds take longer
 * than few large ones, of which there is no need where one site is counted. Readers add up what waits each time.
 */
const longestWaitSeconds = 10;
/** Space of rows that are gone is used again. */
const vacuumEveryMs = 20_000;

/** What waits in a shard. */
interface Waiting {
  shard: number;
  numbers: number;
  rows: number;
  /** Of the oldest. */
  seconds: number;
}

/** Adds up what batches have appended, beside other nodes that do the same. */
export class Folding {
  readonly #database: Database;
  readonly #chore: Chore;
  #isClosed = false;
  #vacuumAt = 0;

  constructor(database: Database, log: Log | undefined) {
    this.#database = database;
    const failure = 'What waits to be added to the counts could not be, and reports take ever longer';
    this.#chore = new Chore({ everyMs, work: () => this.#fold(), failure, log });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#chore.close();
  }

  async #fold(): Promise<void> {
    const waiting = await this.#database.query<Waiting>(
      `select shard, sum(size) as numbers, count(*) as rows, extract(epoch from now() - min(at))::float8 as seconds
       from pending_counts group by shard order by random()`,
    );
    const longest = Math.min(waiting.length, longestWaitSeconds);
    const due = waiting.filter(
      ({ numbers, rows, seconds }) => numbers >= manyNumbers || rows >= rowsPerFold || seconds > longest,
    );
    for (const { shard } of due) await this.#foldShard(shard);
    if (due.length > 0) await this.#vacuum();
  }

  async #foldShard(shard: number): Promise<void> {
    while (!this.#isClosed) {
      const [folded] = await this.#database.query<{ rows: number }>('select fold_shard($1, $2) as rows', [
        shard,
        rowsPerFold,
      ]);
      if (!folded || folded.rows < rowsPerFold) return;
    }
  }

  async #vacuum(): Promise<void> {
    if (performance.now() < this.#vacuumAt || this.#isClosed) return;
    this.#vacuumAt = performance.now() + vacuumEveryMs;
    await this.#database.alone((connection) => connection.run('vacuum pending_counts'));
  }
}
