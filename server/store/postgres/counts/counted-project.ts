import type { Day } from '../../../counting/calendar.ts';
import type { SqlValue } from '../../../database/sql.ts';
import type { Queryable } from '../queryable.ts';
import { shardsOf } from './shards.ts';

/** A project by its row. */
export interface CountedProject {
  id: number;
  /** Days up to this one are sealed; null: none yet. */
  sealedThrough: Day | null;
  /** Days up to this one are sealed or just being so, which begins with what they have besides counts; null: none yet. */
  closedThrough: Day | null;
  /** Where its counts are. */
  shards: number[];
}

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

/** `$1` and `$2` of such a statement. */
export function placeOf({ id, shards }: CountedProject): [SqlValue, SqlValue] {
  return [shards.length === 1 ? (shards[0] as number) : shards, id];
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
