import { pairNames } from '../../../../shared/reports/pairs.ts';
import { blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { pathTallies } from '../../../counting/tally.ts';
import { what } from '../../../counting/what.ts';
import type { ListedPath, PathMove, PathStore } from '../../counts/path-store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import {
  type CountedProject,
  findProject,
  inShards,
  ofProject,
  placeOf,
  preferIndexes,
} from './counted-project.ts';
import { searchableColumn } from './names/searchable.ts';
import { addedSums, countKey, orAdd, sumColumns } from './sums.ts';
import { moveVisits } from './visits.ts';

const pathKinds = `(${(['path', 'entry', 'exit', 'singlePage', 'goalPath', ...pairNames] as const).map((name) => what[name])})`;

/** A name, and the text that it is to have; null: it is deleted. */
interface Found {
  id: number;
  what: number;
  parent: number;
  to: string | null;
}

/** Names, each with the one that its counts go to; null: nowhere. */
interface Targets {
  ids: number[];
  targets: (number | null)[];
}

interface OpenDay {
  id: number;
  day: Day;
  bin: number;
  forgetAt: number | null;
}

/** Lists what a project's paths are called, and adds the counts of some to those of others. */
export class Paths implements PathStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(projectId: string, after: number, limit: number): Promise<ListedPath[]> {
    return this.#database.query<ListedPath>(
      `select n.id, n.text as path from names n join projects p on p.id = n.project
       where p.public_id = $1 and n.what in ${pathKinds} and n.id > $2 order by n.id limit $3`,
      [projectId, after, limit],
    );
  }

  async listTallied(projectId: string, after: string, limit: number): Promise<string[]> {
    const project = await findProject(this.#database, projectId);
    if (!project) return [];
    const rows = await this.#database.query<{ name: string }>(
      `select t.name from tallies t
       where ${ofProject('t', project)} and t.tally in (${pathTallies}) and t.name > $3
       union
       select name from search_numbers where project = $2 and kind = 'page' and name > $3
       order by name limit $4`,
      [...placeOf(project), after, limit],
    );
    return rows.map(({ name }) => name);
  }

  move(projectId: string, moves: PathMove[]): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      const project = await findProject(db, projectId);
      if (!project) return false;
      await preferIndexes(db);
      await db.query('select hold_counting($1)', [project.id]);
      await moveTallies(db, project, moves);
      await moveSearchNumbers(db, project, moves);
      const moved = await findTargets(db, project, moves);
      if (moved.ids.length === 0) return true;
      const days = await readOpenDays(db, project);
      for (const day of days) await moveSightings(db, project, day, moved);
      await moveVisits(db, project, days, moved);
      await moveCounts(db, project, moved);
      await db.query('delete from names where project = $1 and id = any($2)', [project.id, moved.ids]);
      await forgetImports(db, project);
      return true;
    });
  }

  /** What is deleted PostgreSQL overwrites in its own time, and in no copy. */
  async erase(): Promise<void> {}
}

async function moveTallies(db: Queryable, project: CountedProject, moves: PathMove[]): Promise<void> {
  const real = moves.filter(({ from, to }) => from !== to);
  await db.query(
    `with gone as (
       delete from tallies t using unnest($3::text[], $4::text[]) m ("from", "to")
       where ${ofProject('t', project)} and t.tally in (${pathTallies}) and t.name = m."from"
       returning t.*, m."to")
     insert into tallies as t (shard, project, tally, day, subject, name, slot, hits, amount)
     select shard, project, tally, day, subject, "to", 0, sum(hits), sum(amount) from gone where "to" is not null
     group by shard, project, tally, day, subject, "to"
     on conflict (shard, project, tally, day, subject, name, slot) do update set
       hits = t.hits + excluded.hits, amount = t.amount + excluded.amount`,
    [...placeOf(project), real.map(({ from }) => from), real.map(({ to }) => to)],
  );
}

/** What search engines tell of pages. */
async function moveSearchNumbers(db: Queryable, { id }: CountedProject, moves: PathMove[]): Promise<void> {
  const real = moves.filter(({ from, to }) => from !== to);
  const place = 'project, tool, kind, first_day, last_day';
  await db.query(
    `with gone as (
       delete from search_numbers s using unnest($2::text[], $3::text[]) m ("from", "to")
       where s.project = $1 and s.kind = 'page' and s.name = m."from" returning s.*, m."to")
     insert into search_numbers as s (${place}, name, clicks, impressions, positions, citations, pages)
     select ${place}, "to", sum(clicks), sum(impressions), sum(positions), sum(citations), null
     from gone where "to" is not null group by ${place}, "to"
     on conflict (project, tool, kind, last_day, first_day, name) do update set
       clicks = s.clicks + excluded.clicks, impressions = s.impressions + excluded.impressions,
       positions = s.positions + excluded.positions, citations = s.citations + excluded.citations`,
    [id, real.map(({ from }) => from), real.map(({ to }) => to)],
  );
}

async function findTargets(
  db: Queryable,
  { id: project }: CountedProject,
  moves: PathMove[],
): Promise<Targets> {
  const real = moves.filter(({ from, to }) => from !== to);
  const found = await db.query<Found>(
    `select n.id, n.what, n.parent, m."to" from unnest($2::text[], $3::text[]) m ("from", "to")
     join names n on n.project = $1 and n.text = m."from" and n.what in ${pathKinds} order by n.id`,
    [project, real.map(({ from }) => from), real.map(({ to }) => to)],
  );
  const targets: Targets['targets'] = [];
  for (const name of found) {
    targets.push(name.to === null ? null : await findOrAdd(db, project, name, name.to));
  }
  return { ids: found.map(({ id }) => id), targets };
}

async function findOrAdd(
  db: Queryable,
  project: number,
  { what, parent }: Pick<Found, 'what' | 'parent'>,
  text: string,
): Promise<number> {
  const place = [project, what, parent, text];
  const [known] = await db.query<{ id: number }>(
    `select id from names
     where project = $1 and what = $2 and parent = $3 and text_hash(text) = text_hash($4) and text = $4`,
    place,
  );
  if (known) return known.id;
  const [numbered] = await db.query<{ id: number }>(
    'update projects set last_name = last_name + 1 where id = $1 returning last_name as id',
    [project],
  );
  const id = numbered?.id as number;
  await db.query(
    'insert into names (project, what, parent, text, searchable, id) values ($1, $2, $3, $4, $5, $6)',
    [...place, searchableColumn(text), id],
  );
  return id;
}

function readOpenDays(db: Queryable, { id }: CountedProject): Promise<OpenDay[]> {
  return db.query<OpenDay>(
    `select id, day, bin, forget_at as "forgetAt" from days where project = $1 and salt is not null order by id`,
    [id],
  );
}

/** What logs added is recorded by the names that are moved: from here on it cannot be taken back. */
async function forgetImports(db: Queryable, { id }: CountedProject): Promise<void> {
  await db.query('delete from log_days where log in (select id from logs where project = $1)', [id]);
  await db.query('update logs set counted_at = null where project = $1', [id]);
}

/**
 * Whoever was seen on several names that become one is counted on it once: by how much their visitors are too many is taken
 * away before they are added up.
 */
async function moveSightings(
  db: Queryable,
  project: CountedProject,
  { id, day, bin, forgetAt }: OpenDay,
  { ids, targets }: Targets,
): Promise<void> {
  const blocks = blocksOf(day, { isSealed: forgetAt !== null });
  await db.query(
    `with moved as (select * from unnest($3::int[], $4::int[]) m (id, target)),
     affected as (
       select shard, visitor, sightings from seen s
       where ${inShards('s', project)} and s.bin = $5 and s.day = $6
         and s.sightings && (select array_agg(id * 4 + kind) from moved, unnest(array[1, 2]) kind)),
     sighting as (
       select shard, visitor, s >> 2 as name, s & 3 as kind, case when m.id is null then s >> 2 else m.target end as target
       from affected, unnest(sightings) s left join moved m on m.id = s >> 2),
     rewritten as (
       update seen s set sightings = n.sightings
       from (select shard, visitor, array_agg(distinct target * 4 + kind) as sightings
         from sighting where target is not null group by shard, visitor) n
       where s.shard = n.shard and s.bin = $5 and s.day = $6 and s.visitor = n.visitor),
     twice as (
       select shard, target, sum(greatest(human - 1, 0)) as human, sum(greatest(ai - 1, 0)) as ai, sum(names - 1) as names
       from (select shard, visitor, target, count(*) filter (where kind = 1) as human,
           count(*) filter (where kind = 2) as ai, count(distinct name) as names
         from sighting where target in (select target from moved) group by shard, visitor, target) v
       where names > 1 group by shard, target)
     insert into counts as c (${countKey}, ${sumColumns})
     select t.shard, $2, b.span, b.day, n.what, n.parent, t.target, 0, -t.human, -t.ai, -t.names, 0, 0
     from twice t join names n on n.project = $2 and n.id = t.target
       cross join unnest($7::smallint[], $8::int[]) b (span, day)
     ${orAdd}`,
    [
      ...placeOf(project),
      ids,
      targets,
      bin,
      id,
      blocks.map(({ span }) => span),
      blocks.map((block) => block.day),
    ],
  );
}

async function moveCounts(db: Queryable, project: CountedProject, { ids, targets }: Targets): Promise<void> {
  await db.query(
    `with gone as (
       delete from counts c using unnest($3::int[], $4::int[]) m (id, target)
       where ${ofProject('c', project)} and c.what in ${pathKinds} and c.name = m.id
       returning c.*, m.target)
     insert into counts as c (${countKey}, ${sumColumns})
     select shard, project, span, day, what, parent, target, 0, ${addedSums} from gone where target is not null
     group by shard, project, span, day, what, parent, target
     ${orAdd}`,
    [...placeOf(project), ids, targets],
  );
}
