import type { Day } from '../../../counting/calendar.ts';
import { type CountedProject, type CountTables, placeOf } from '../../counts/count-tables.ts';
import type { Queryable } from '../queryable.ts';
import { shardsOf } from './shards.ts';

export { type CountedProject, placeOf } from '../../counts/count-tables.ts';

type ProjectRow = Omit<CountedProject, 'shards'> & { buckets: number };

const columns = 'id, sealed_through as "sealedThrough", closed_through as "closedThrough", buckets';

export async function findProject(db: Queryable, projectId: string): Promise<CountedProject | undefined> {
  const [found] = await db.query<ProjectRow>(`select ${columns} from projects where public_id = $1`, [
    projectId,
  ]);
  return found && toCounted(found);
}

/** Those of them that there are, by their ids. */
export async function findProjects(
  db: Queryable,
  projectIds: readonly string[],
): Promise<Map<string, CountedProject>> {
  const found = await db.query<ProjectRow & { projectId: string }>(
    `select public_id as "projectId", ${columns} from projects where public_id = any($1::text[])`,
    [projectIds],
  );
  return new Map(found.map(({ projectId, ...row }) => [projectId, toCounted(row)]));
}

function toCounted({ buckets, ...project }: ProjectRow): CountedProject {
  return { ...project, shards: shardsOf(project.id, buckets) };
}

/** Rows of the project in a table of counts, by `$1` and `$2`. */
export function ofProject(table: string, project: CountedProject): string {
  return `${inShards(table, project)} and ${table}.project = $2`;
}

/** The same by `$1` alone; where one shard has them all, its server is asked alone. */
export function inShards(table: string, { shards }: CountedProject): string {
  return `${table}.shard = ${shards.length === 1 ? '$1' : 'any($1::int[])'}`;
}

/** The first and the last day with a count; where there is one shard, it alone is asked. */
export async function findDays(
  db: Queryable,
  project: CountedProject,
): Promise<{ first: Day; last: Day } | undefined> {
  const end = (order: string) =>
    `(select c.day from counts c where c.shard = $1 and c.project = $2 and c.span = 1 order by c.day ${order} limit 1)`;
  const pending = (end: string) =>
    `(select ${end}(p.day) from pending_counts p where p.shard = $1 and p.project = $2)`;
  const [days] = await db.query<{ first: Day | null; last: Day | null }>(
    project.shards.length === 1
      ? `select least(${end('asc')}, ${pending('min')}) as first, greatest(${end('desc')}, ${pending('max')}) as last`
      : 'select first, last from counted_days($1, $2)',
    placeOf(project),
  );
  return days && days.first !== null && days.last !== null
    ? { first: days.first, last: days.last }
    : undefined;
}

/**
 * Until the end of the transaction its statements search in indexes, which all of these tables have for it: of what was
 * written a moment ago the planner knows nothing yet, and would read all of it for each row.
 */
export async function preferIndexes(db: Queryable): Promise<void> {
  await db.query("select set_config('enable_seqscan', 'off', true)");
}

/**
 * Until the end of the transaction its statements add up in memory, by hash: how many rows blocks of days have no prepared plan
 * knows, and it would sort them on disk before it adds them up.
 */
export async function preferHashes(db: Queryable): Promise<void> {
  await db.query("select set_config('enable_sort', 'off', true)");
}

export const postgresTables: CountTables = {
  isDivided: true,
  findProjects,
  ofProject,
};
