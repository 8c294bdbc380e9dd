import { blocksOf } from '../../counting/blocks.ts';
import type { Day } from '../../counting/calendar.ts';
import type { Queryable, Sql } from '../../database/sql.ts';
import {
  addRows,
  type CountedProject,
  type CountingEngine,
  type CountRow,
  type NameCount,
} from '../counting-engine.ts';
import { pathKinds } from '../paths.ts';
import { bigintArray, intsOf } from './counts/arrays.ts';
import {
  addedSums,
  countKey,
  findProject,
  inShards,
  ofProject,
  orAdd,
  placeOf,
  postgresTables,
  preferIndexes,
  sumColumns,
  sumNames,
} from './counts/counted-project.ts';
import { removeCounts } from './counts/counts.ts';
import { findNames, findOrAddNames } from './counts/names/names.ts';
import { openDay } from './counts/open-days.ts';
import { forgetNames, forgetSome, forgetViews, holdDays, removeDay } from './counts/retention.ts';
import type { Sealing } from './counts/sealing.ts';
import { moveVisits, readViews, sealVisits } from './counts/visits.ts';
import type { Database } from './database.ts';

const names: Readonly<Record<(typeof sumNames)[number], keyof NameCount>> = {
  human_visitors: 'humanVisitors',
  ai_visitors: 'aiVisitors',
  visitors: 'visitors',
  human_views: 'humanViews',
  ai_views: 'aiViews',
};
const summed = sumNames.map((name) => `sum(${name})::bigint as "${names[name]}"`).join(', ');

/** How PostgreSQL counts: in shards and slots, of which what is left goes to the first. */
export function postgresEngine(database: Database, sealing: Sealing): CountingEngine {
  return {
    ...postgresTables,
    calendarColumns: ['sealed_through', 'closed_through'],
    forgetProject: [removeCounts],
    holdDays,
    hold: async (sql, projectId) => {
      await preferIndexes(sql);
      const found = await findProject(sql, projectId);
      if (!found) return undefined;
      await sql.query('select pg_advisory_xact_lock(7, $1)', [found.id]);
      await sql.query('select hold_counting($1)', [found.id]);
      return found;
    },
    openDay: async (sql, _project, day, { projectId, salt, forgetAt }) => {
      const opened = await openDay(sql, projectId, day, salt, forgetAt);
      if (opened.state === 'none') return null;
      if (opened.state === 'open' && opened.salt) return { id: opened.id, day, salt: opened.salt };
      if (opened.state === 'unmade') return () => database.query('select make_bin($1)', [opened.day]);
      // It is about to be sealed or deleted: a process may have been killed while doing so.
      if (opened.state === 'ending') return () => sealing.seal(projectId, opened.day);
      return () => sealing.sealImported(projectId, 0, [day]);
    },
    findNames: async (sql, { id }, names) => {
      const asked = names.map((name) => ({ ...name, project: id }));
      const found = await findNames(sql, asked);
      return asked.map((name) => found.get(name));
    },
    findOrAddNames: (sql, { id }, names) => findOrAddNames(sql, id, names),
    forgetSome,
    forgetDay: removeDay,
    forgetViews,
    forgetNames,
    moveNames: async (sql, project, targets) => {
      const moved = { ids: [...targets.keys()], targets: [...targets.values()] };
      const days = await readOpenDays(sql, project);
      for (const day of days) await moveVisitorKeys(sql, project, day, moved);
      await moveVisits(sql, project, days, moved);
      await moveCounts(sql, project, moved);
    },
    sealVisits: (sql, project, day) => sealVisits(sql, project, [day], day),
    forgetDays: async (sql, days) => {
      await sql.query('select forget_days($1)', [days]);
    },
    reopenDay: (sql, { id }, day, salt) => reopenDay(sql, id, day, salt),
    readCounts: (sql, project, day) =>
      sql.query<NameCount>(
        `select what, parent, name, ${summed}
       from counts c where ${ofProject('c', project)} and span = 1 and day = $3 group by what, parent, name`,
        [...placeOf(project), day],
      ),
    subtract: async (sql, project, blocks, counts) => {
      const keyOf = ({ what, parent, name }: NameCount) => `${what} ${parent} ${name}`;
      const taken = new Map(counts.map((row) => [keyOf(row), row]));
      for (const { span, day } of blocks) {
        const gone = await sql.query<NameCount>(
          `with gone as (
             -- A hash table of the names (is true: no join), whatever is known of the table: a loop over both takes minutes.
             delete from counts c where ${ofProject('c', project)} and c.span = $3 and c.day = $4
               and ((c.what, c.parent, c.name) in (select * from unnest($5::int[], $6::int[], $7::int[]))) is true
             returning c.*)
           select what, parent, name, ${summed} from gone group by what, parent, name`,
          [...placeOf(project), span, day, ...intsOf(counts, 'what', 'parent', 'name')],
        );
        const left = gone.map((row) => {
          const less = taken.get(keyOf(row)) as NameCount;
          const sums = sumNames.map((sum) => [sum, row[names[sum]] - less[names[sum]]]);
          const { what, parent, name } = row;
          return { span, day, what, parent, name, ...Object.fromEntries(sums) };
        });
        const hasViews = (row: CountRow) => Number(row.human_views) > 0 || Number(row.ai_views) > 0;
        await addRows(sql, postgresTables, project, 'counts', left.filter(hasViews));
      }
    },
    readViews: (sql, project, { id }) => readViews(sql, project, id),
    removeViews: async (sql, project, { id }, log) => {
      const [shards] = placeOf(project);
      await sql.query(
        `delete from visit_views v where ${inShards('v', project)} and v.day = $2 and v.log = $3`,
        [shards, id, log],
      );
    },
    readSeen: async (sql, project, { id }, visitors) => {
      const [shards] = placeOf(project);
      const rows = await sql.query<{ visitor: string; visitorKeys: number[] }>(
        `select s.visitor::text as visitor, s.sightings as "visitorKeys" from seen s
       where ${inShards('s', project)} and s.bin = (select bin from days where id = $2) and s.day = $2
         and s.visitor = any ($3)`,
        [shards, id, bigintArray(visitors)],
      );
      return new Map(rows.map(({ visitor, visitorKeys }) => [BigInt(visitor), visitorKeys]));
    },
    writeSeen: async (sql, project, { id }, seen) => {
      const [shards] = placeOf(project);
      const isOne = `${inShards('s', project)} and s.bin = (select bin from days where id = $2) and s.day = $2`;
      const gone = [...seen].flatMap(([visitor, visitorKeys]) => (visitorKeys.length === 0 ? [visitor] : []));
      await sql.query(`delete from seen s where ${isOne} and s.visitor = any ($3)`, [
        shards,
        id,
        bigintArray(gone),
      ]);
      for (const [visitor, visitorKeys] of seen) {
        if (visitorKeys.length === 0) continue;
        await sql.query(`update seen s set sightings = $4, kinds = $5 where ${isOne} and s.visitor = $3`, [
          ...[shards, id, visitor, [...visitorKeys]],
          visitorKeys.reduce((kinds, visitorKey) => kinds | (visitorKey & 3), 0),
        ]);
      }
    },
  };
}

export async function reopenDay(sql: Sql, project: number, day: Day, salt: Uint8Array): Promise<void> {
  // Keeps the partition from being dropped until the day has it.
  await sql.query('select pg_advisory_xact_lock(6, 0)');
  await sql.query('select make_bin(bin_of($1))', [day]);
  await sql.query(
    `insert into days (project, day, bin, buckets, salt) select id, $2, bin_of($2), buckets, $3 from projects where id = $1
     on conflict (project, day) do update set forget_at = null where days.salt is not null`,
    [project, day, salt],
  );
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

function readOpenDays(db: Queryable, { id }: CountedProject): Promise<OpenDay[]> {
  return db.query<OpenDay>(
    `select id, day, bin, forget_at as "forgetAt" from days where project = $1 and salt is not null order by id`,
    [id],
  );
}

/**
 * A visitor of several names that become one is counted once: the surplus is subtracted before the names are added up.
 */
async function moveVisitorKeys(
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
     visitor_key as (
       select shard, visitor, s >> 2 as name, s & 3 as kind, case when m.id is null then s >> 2 else m.target end as target
       from affected, unnest(sightings) s left join moved m on m.id = s >> 2),
     rewritten as (
       update seen s set sightings = n.sightings
       from (select shard, visitor, array_agg(distinct target * 4 + kind) as sightings
         from visitor_key where target is not null group by shard, visitor) n
       where s.shard = n.shard and s.bin = $5 and s.day = $6 and s.visitor = n.visitor),
     twice as (
       select shard, target, sum(greatest(human - 1, 0)) as human, sum(greatest(ai - 1, 0)) as ai, sum(names - 1) as names
       from (select shard, visitor, target, count(*) filter (where kind = 1) as human,
           count(*) filter (where kind = 2) as ai, count(distinct name) as names
         from visitor_key where target in (select target from moved) group by shard, visitor, target) v
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
