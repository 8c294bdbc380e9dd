import type { Log } from '../../../log.ts';
import type { Database } from '../database.ts';
import { Chore } from './chore.ts';

const everyMs = 250;
/** Of a shard at a time: a batch leaves one of each of its projects. */
const rowsPerFold = 500;
/** Numbers that wait in a shard before they are added up: the more, the fewer rows are written, and the more readers add up. */
const manyNumbers = 100_000;
/** Few wait this long, so that a node of the release before, which does not read them, is hardly late. */
const longestWait = '5 seconds';
/** Space of rows that are gone is used again. */
const vacuumEveryMs = 20_000;

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
    const due = await this.#database.query<{ shard: number }>(
      `select shard from pending_counts group by shard
       having sum(size) >= ${manyNumbers} or count(*) >= ${rowsPerFold} or min(at) < now() - interval '${longestWait}'
       order by random()`,
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
