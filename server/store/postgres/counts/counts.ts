import { belongingTo } from '../../../database/tables/tables.ts';
import type { Log } from '../../../log.ts';
import { ThrottledLogger } from '../../../throttled-logger.ts';
import type { ForgetProject } from '../../projects.ts';
import { StoreError } from '../../store.ts';
import type { Database } from '../database.ts';
import { BatchIds, batchCounting } from './batch/counting.ts';
import { shardCount, shardsOf } from './counted-project.ts';
import { importCounting } from './import-counting.ts';
import { Names } from './names/names.ts';
import { calendar } from './open-days.ts';
import { tidyBins } from './sealing.ts';

/** What counts, and how to end it. @param keepsHouse for a server, which is there long enough */
export async function openCounts(
  database: Database,
  { keepsHouse, log }: { keepsHouse: boolean; log: Log | undefined },
) {
  const isDistributed = await findDistribution(database);
  const ids = new BatchIds();
  await ids.setClock(database);
  const names = new Names(database);
  const endMaintenance = keepsHouse ? maintain(database, ids, log) : undefined;
  return {
    calendar: calendar(database),
    counting: batchCounting(database, names, ids, isDistributed),
    countLogs: importCounting(database, names, isDistributed),
    close: async () => endMaintenance?.(),
  };
}

const allShards = shardsOf(0, shardCount);

/** What does not go with the project's row by itself. */
export const removeCounts: ForgetProject = async (session, project) => {
  // As everybody takes them: logs, names, sealing, the row, and then days.
  await session.query('select pg_advisory_xact_lock(x, $1) from unnest(array[7, 3, 2]) x', [project]);
  await session.query('select from projects where id = $1 for update', [project]);
  await session.query('select hold_counting($1)', [project]);
  // Visitors go with the partitions that they are in.
  await session.query('select forget_days(array(select id from days where project = $1))', [project]);
  for (const { name, postgres } of belongingTo('projects', 'postgres')) {
    const isSharded = postgres?.columns !== undefined && 'shard' in postgres.columns;
    if (isSharded)
      await session.query(`delete from ${name} where shard = any ($1) and project = $2`, [
        allShards,
        project,
      ]);
    else await session.query(`delete from ${name} where project = $1`, [project]);
  }
};

/** Whether shards are on several servers. */
async function findDistribution(database: Database): Promise<boolean> {
  const [found] = await database.query<{ isThere: boolean }>(
    `select to_regclass('shards') is not null as "isThere"`,
  );
  return found?.isThere === true;
}

const foldEveryMs = 250;
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
const tidyEveryMs = 60_000;

/** What a server does from time to time; another node may do the same at once without harm. Returns how to end it. */
export function maintain(database: Database, ids: BatchIds, log: Log | undefined): () => Promise<void> {
  let isClosed = false;
  let vacuumAt = 0;

  async function tidy(): Promise<void> {
    await ids.setClock(database);
    await tidyBins(database);
    await database.query('select tidy_batches()');
  }

  /** Adds up what batches have appended. */
  async function fold(): Promise<void> {
    const waiting = await database.query<{ shard: number; numbers: number; rows: number; seconds: number }>(
      `select shard, sum(size) as numbers, count(*) as rows, extract(epoch from now() - min(at))::float8 as seconds
       from pending_counts group by shard order by random()`,
    );
    const longest = Math.min(waiting.length, longestWaitSeconds);
    const due = waiting.filter(
      ({ numbers, rows, seconds }) => numbers >= manyNumbers || rows >= rowsPerFold || seconds > longest,
    );
    for (const { shard } of due) await foldShard(shard);
    if (due.length === 0 || isClosed || performance.now() < vacuumAt) return;
    vacuumAt = performance.now() + vacuumEveryMs;
    await database.alone((connection) => connection.run('vacuum pending_counts'));
  }

  async function foldShard(shard: number): Promise<void> {
    while (!isClosed) {
      const [folded] = await database.query<{ rows: number }>('select fold_shard($1, $2) as rows', [
        shard,
        rowsPerFold,
      ]);
      if (!folded || folded.rows < rowsPerFold) return;
    }
  }

  const tidying = repeat(tidy, tidyEveryMs, 'What is no longer needed could not be deleted', log);
  tidying.start();
  const folding = repeat(
    fold,
    foldEveryMs,
    'What waits to be added to the counts could not be, and reports take ever longer',
    log,
  );
  return async () => {
    isClosed = true;
    await folding.close();
    await tidying.close();
  };
}

/**
 * Never twice at once, and again where it failed.
 *
 * @param failure what could not be done then, as a sentence begins
 */
function repeat(work: () => Promise<void>, everyMs: number, failure: string, log: Log | undefined) {
  const failures =
    log &&
    new ThrottledLogger(log, (times) =>
      times === 1 ? `${failure}, which is tried again:` : `${failure}, tried ${times} times more:`,
    );
  let running: Promise<void> | undefined;
  const start = () => {
    running ??= work()
      .catch((error: unknown) => {
        // A database that cannot be used is reported by all that it keeps from working.
        if (!(error instanceof StoreError)) failures?.add(error);
      })
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(start, everyMs).unref();
  return {
    start,
    /** Waits for what is under way. */
    close: async () => {
      clearInterval(timer);
      await running;
      failures?.end();
    },
  };
}
