import type { Day } from '../../../counting/calendar.ts';
import { readRenames } from '../../../counting/page/renamed.ts';
import { what } from '../../../counting/what.ts';
import type { Queryable } from '../../../database/sql.ts';
import { counts } from '../../../database/tables/counts.ts';
import { type CountedProject, type CountTables, placeOf, sumNames } from '../../counts/count-tables.ts';

export { type CountedProject, placeOf, sumNames } from '../../counts/count-tables.ts';

type ProjectRow = Omit<CountedProject, 'shards' | 'renamed'> & { buckets: number; renames: string | null };

const columns = `id, sealed_through as "sealedThrough", closed_through as "closedThrough", buckets,
  settings ->> 'renamedPaths' as renames`;

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

function toCounted({ buckets, renames, ...project }: ProjectRow): CountedProject {
  return { ...project, renamed: readRenames(renames), shards: shardsOf(project.id, buckets) };
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

/** The columns that say what a row of `counts` is of. */
export const countKey = counts.postgres.key.join(', ');

export const sumColumns = sumNames.join(', ');

export const addedSums = sumNames.map((name) => `sum(${name})`).join(', ');

/** Ends an `insert into counts as c` that adds to what is there. */
export const orAdd = `
  on conflict (${countKey}) do update set ${sumNames.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}`;

/** A day by its row. */
export interface VisitDay {
  id: number;
  day: Day;
}

/** What the visits of a day count under a name. */
export interface VisitSum extends Record<(typeof sumNames)[number], number> {
  day: Day;
  what: number;
  /** The goal; null: it is under none. */
  under: string | null;
  text: string;
}

/** What a count `c` is of, and its sums. */
export const countColumns = ['shard', 'day', 'what', 'parent', 'name', ...sumNames]
  .map((name) => `c.${name}`)
  .join(', ');
const addedUp = sumNames.map((name) => `sum(i.${name}) as ${name}`).join(', ');

const increments = 'pending_counts p cross join lateral increments(p.views, p.sightings) i';

/** An aggregate, of which the planner knows nothing: of a constant it expects one block, and adds all up again for each. */
const span = 'max(1)::smallint as span';

/** Of these, the site: it has number 0, and no text. */
export function pendingSite(project: CountedProject): string {
  return `(select p.shard, ${span}, p.day, ${what.site}::smallint as what, 0 as parent, 0 as name, ${addedUp}
      from ${increments} where ${ofProject('p', project)} and i.name = 0 group by p.shard, p.day)`;
}

/**
 * What batches of the project have appended and nobody has added up yet, in the form of rows of `counts`: tables of a statement
 * or snapshot that reads `counts` too. Two, as Citus takes no union in a union where its rows get their names.
 *
 * @param names only those, as in `CountRows`: read once (offset 0) where one server has all of it, and not looked up each
 */
export function pendingCounts(project: CountedProject, names?: string): string[] {
  const named =
    names !== undefined && project.shards.length === 1
      ? `(select p.shard, ${span}, p.day, o.what, o.parent, i.name, ${addedUp}
      from ${increments} join (select o.* from names o where o.project = $2 and ${names} offset 0) o on o.id = i.name
      where ${ofProject('p', project)} group by p.shard, p.day, o.what, o.parent, i.name)`
      : `(select a.shard, a.span, a.day, o.what, o.parent, a.name, ${sumColumns}
      from (
        select p.shard, p.project, ${span}, p.day, i.name, ${addedUp} from ${increments}
        where ${ofProject('p', project)} group by p.shard, p.project, p.day, i.name
      ) a join names o on o.project = a.project and o.id = a.name)`;
  return [named, pendingSite(project)];
}

/** Rows of `counts` and what waits, as a table. @param is about `c`. @param from what `c` is joined with */
export function allCounts(project: CountedProject, is: string, from?: string): string {
  const rows = (counts: string, where: string) =>
    `select ${countColumns} from ${from === undefined ? `${counts} c where` : `${from} join ${counts} c on`} ${where}`;
  const pending = pendingCounts(project).map((table) => rows(table, is));
  return `(${[rows('counts', `${ofProject('c', project)} and ${is}`), ...pending].join(' union all ')})`;
}

/** Of each table of counts; never changed. */
export const shardCount = 64;

/** Where the counts of a project's bucket are. */
export function shardOf(project: number, bucket: number): number {
  return (project + bucket) & (shardCount - 1);
}

/** Of a visitor. */
export function bucketOf({ buckets }: { buckets: number }, visitor: bigint): number {
  return buckets === 1 ? 0 : Number(BigInt.asUintN(6, visitor)) & (buckets - 1);
}

/** Where everything of a visitor is. */
export function shardOfVisitor(row: { project: number; buckets: number }, visitor: bigint): number {
  return shardOf(row.project, bucketOf(row, visitor));
}

/** Where the counts of a project are. */
export function shardsOf(project: number, buckets: number): number[] {
  return Array.from({ length: buckets }, (_, bucket) => shardOf(project, bucket));
}
