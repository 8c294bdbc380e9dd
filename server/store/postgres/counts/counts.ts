import { belongingTo } from '../../../database/tables/tables.ts';
import type { Log } from '../../../log.ts';
import type { ForgetProject } from '../../projects.ts';
import type { Database } from '../database.ts';
import { importCounting } from '../imports/import-counting.ts';
import { BatchIds } from './batch/batch-ids.ts';
import { Counting } from './batch/counting.ts';
import { maintain } from './maintenance.ts';
import { Names } from './names/names.ts';
import { OpenDays } from './open-days.ts';
import { shardCount, shardsOf } from './shards.ts';

/** What counts, and how to end it. */
export interface Counts {
  calendar: OpenDays;
  counting: Counting;
  countLogs: ReturnType<typeof importCounting>;
  close(): Promise<void>;
}

/** @param keepsHouse for a server, which is there long enough */
export async function openCounts(
  database: Database,
  { keepsHouse, log }: { keepsHouse: boolean; log: Log | undefined },
): Promise<Counts> {
  const isDistributed = await findDistribution(database);
  const ids = new BatchIds();
  await ids.setClock(database);
  const names = new Names(database);
  const endMaintenance = keepsHouse ? maintain(database, ids, log) : undefined;
  return {
    calendar: new OpenDays(database),
    counting: new Counting(database, names, ids, isDistributed),
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
