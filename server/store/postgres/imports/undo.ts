import type { Sql } from '../../../database/sql.ts';
import type { KeptViews, Lowered, NameCount, UndoEngine, UndoneProject } from '../../import-undo.ts';
import { bigintArray, intArray } from '../counts/arrays.ts';
import {
  type CountedProject,
  findProject,
  inShards,
  ofProject,
  placeOf,
  preferIndexes,
} from '../counts/counted-project.ts';
import { shardOf } from '../counts/shards.ts';
import { countKey, sumColumns, sumNames } from '../counts/sums.ts';

const names: Readonly<Record<(typeof sumNames)[number], keyof NameCount>> = {
  human_visitors: 'humanVisitors',
  ai_visitors: 'aiVisitors',
  visitors: 'visitors',
  human_views: 'humanViews',
  ai_views: 'aiViews',
};

const counted = (project: UndoneProject) => project as CountedProject;

/** How PostgreSQL keeps what an import added: in shards and slots, of which what is left goes to the first. */
export const postgresUndo: UndoEngine = {
  hold: async (sql, projectId) => {
    await preferIndexes(sql);
    const found = await findProject(sql, projectId);
    if (!found) return undefined;
    await sql.query('select pg_advisory_xact_lock(7, $1)', [found.id]);
    await sql.query('select hold_counting($1)', [found.id]);
    return found;
  },
  findDay: async (sql, project, day) => {
    const [row] = await sql.query<{ id: number; isSealed: boolean }>(
      `select id, forget_at is not null as "isSealed" from days where project = $1 and day = $2 and salt is not null`,
      [project.id, day],
    );
    return row;
  },
  readCounts: (sql, project, day) =>
    sql.query<NameCount>(
      `select what, parent, name, ${sumNames.map((name) => `sum(${name})::bigint as "${names[name]}"`).join(', ')}
       from counts c where ${ofProject('c', counted(project))} and span = 1 and day = $3 group by what, parent, name`,
      [...placeOf(counted(project)), day],
    ),
  subtract: async (sql, project, blocks, counts) => {
    const of = counted(project);
    const lists = [
      counts.map((row) => row.what),
      counts.map(({ parent }) => parent),
      counts.map(({ name }) => name),
    ];
    for (const { span, day } of blocks) {
      const gone = await sql.query<NameCount>(
        `with gone as (
           delete from counts c using unnest($5::int[], $6::int[], $7::int[]) x (what, parent, name)
           where ${ofProject('c', of)} and c.span = $3 and c.day = $4
             and c.what = x.what and c.parent = x.parent and c.name = x.name
           returning c.*)
         select what, parent, name, ${sumNames.map((name) => `sum(${name})::bigint as "${names[name]}"`).join(', ')}
         from gone group by what, parent, name`,
        [...placeOf(of), span, day, ...lists.map(intArray)],
      );
      const taken = new Map(counts.map((row) => [`${row.what} ${row.parent} ${row.name}`, row]));
      const left = gone
        .map((row) => lessen(row, taken.get(`${row.what} ${row.parent} ${row.name}`) as NameCount))
        .filter(({ humanViews, aiViews }) => humanViews > 0 || aiViews > 0);
      await sql.query(
        `insert into counts (${countKey}, ${sumColumns})
         select $1::int, $2::int, $3::smallint, $4::int, x.what, x.parent, x.name, 0, ${sumNames.map((name) => `x.${name}`).join(', ')}
         from unnest($5::int[], $6::int[], $7::int[], ${sumNames.map((_, i) => `$${i + 8}::bigint[]`).join(', ')})
           as x(what, parent, name, ${sumColumns})`,
        [
          ...[shardOf(of.id, 0), of.id, span, day],
          ...[left.map((row) => row.what), left.map(({ parent }) => parent), left.map(({ name }) => name)],
          ...sumNames.map((name) => left.map((row) => row[names[name]])),
        ],
      );
    }
  },
  lower: async (sql, project, table, day, rows) => {
    for (const row of rows) await lowerOne(sql, counted(project), table, day, row);
  },
  readViews: (sql, project, { id }) => readViews(sql, counted(project), id),
  removeViews: async (sql, project, { id }, log) => {
    const [shards] = placeOf(counted(project));
    await sql.query(
      `delete from visit_views v where ${inShards('v', counted(project))} and v.day = $2 and v.log = $3`,
      [shards, id, log],
    );
  },
  readSeen: async (sql, project, { id }, visitors) => {
    const [shards] = placeOf(counted(project));
    const rows = await sql.query<{ visitor: string; sightings: number[] }>(
      `select s.visitor::text as visitor, s.sightings from seen s
       where ${inShards('s', counted(project))} and s.bin = (select bin from days where id = $2) and s.day = $2
         and s.visitor = any ($3)`,
      [shards, id, bigintArray(visitors)],
    );
    return new Map(rows.map(({ visitor, sightings }) => [BigInt(visitor), sightings]));
  },
  writeSeen: async (sql, project, { id }, seen) => {
    const [shards] = placeOf(counted(project));
    const isOne = `${inShards('s', counted(project))} and s.bin = (select bin from days where id = $2) and s.day = $2`;
    const gone = [...seen].flatMap(([visitor, sightings]) => (sightings.length === 0 ? [visitor] : []));
    await sql.query(`delete from seen s where ${isOne} and s.visitor = any ($3)`, [
      shards,
      id,
      bigintArray(gone),
    ]);
    for (const [visitor, sightings] of seen) {
      if (sightings.length === 0) continue;
      await sql.query(`update seen s set sightings = $4, kinds = $5 where ${isOne} and s.visitor = $3`, [
        ...[shards, id, visitor, [...sightings]],
        sightings.reduce((kinds, sighting) => kinds | (sighting & 3), 0),
      ]);
    }
  },
};

function lessen(row: NameCount, taken: NameCount): NameCount {
  const less = (name: keyof NameCount) => row[name] - taken[name];
  return {
    ...row,
    humanVisitors: less('humanVisitors'),
    aiVisitors: less('aiVisitors'),
    visitors: less('visitors'),
    humanViews: less('humanViews'),
    aiViews: less('aiViews'),
  };
}

async function lowerOne(
  sql: Sql,
  project: CountedProject,
  table: string,
  day: number,
  { key, by }: Lowered,
): Promise<void> {
  const keys = Object.keys(key);
  const sums = Object.keys(by);
  const isRow = keys.map((name, i) => `t.${name} = $${i + 4}`).join(' and ');
  const [gone] = await sql.query<Record<string, number | null>>(
    `with gone as (delete from ${table} t where ${ofProject('t', project)} and t.day = $3 and ${isRow} returning t.*)
     select ${sums.map((name) => `sum(${name})::bigint as "${name}"`).join(', ')} from gone`,
    [...placeOf(project), day, ...Object.values(key)],
  );
  const left = sums.map((name) => (gone?.[name] ?? 0) - (by[name] as number));
  if ((left[0] as number) <= 0) return;
  const columns = ['shard', 'project', 'day', 'slot', ...keys, ...sums];
  await sql.query(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
    [shardOf(project.id, 0), project.id, day, 0, ...Object.values(key), ...left],
  );
}

async function* readViews(sql: Sql, project: CountedProject, day: number): AsyncIterable<KeptViews> {
  const [shards] = placeOf(project);
  const rows = await sql.query<{ log: number | null; visitors: bigint[]; views: bigint[] }>(
    `select v.log, v.visitors, v.views from visit_views v where ${inShards('v', project)} and v.day = $2`,
    [shards, day],
  );
  for (const { log, visitors, views } of rows) {
    yield {
      ...{ log, visitors },
      kinds: views.map((view) => Number(view & 3n)),
      paths: views.map((view) => Number((view >> 2n) & 536_870_911n)),
    };
  }
}
