import type { Database } from '../database.ts';

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
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #vacuumAt = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#timer = setInterval(() => this.#start(), everyMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #start(): void {
    // The database has told that it cannot be used; the next time is early enough.
    this.#running ??= this.#fold()
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
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
