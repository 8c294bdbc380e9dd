import { tallies } from '../../../../../shared/reports/tallies.ts';
import { what } from '../../../../counting/what.ts';
import type { SqlValue } from '../../../../database/sql.ts';
import { type KeptDay, toDayCounts } from '../../../counts/analytics-rows.ts';
import type { DaysQuery, Glance, WayDays } from '../../../counts/analytics-store.ts';
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import { findProjects } from '../counted-project.ts';
import { sumNames } from '../sums.ts';

const sums = sumNames.map((name) => `sum(${name})::bigint as ${name}`).join(', ');

/** The site has number 0, and no text. */
const isSite = `c.what = ${what.site} and c.parent = 0 and c.name = 0`;

const asked = 'unnest($2::int[], $3::int[], $4::int[], $5::int[]) a (place, project, first, past)';

/** Lateral: one search in the index for each day, instead of reading what else was counted on it. */
const daysOfShard = `
  select place, day, ${sums} from (
    select a.place, d.day, c.* from ${asked}
      cross join lateral generate_series(a.first, a.past - 1) d (day)
      cross join lateral (
        select ${sums} from counts c
        where c.shard = $1 and c.project = a.project and c.span = 1 and c.day = d.day and ${isSite}
        having count(*) > 0) c
    union all
    select a.place, p.day, ${sumNames.map((name) => `i.${name}`).join(', ')} from ${asked}
      join pending_counts p on p.shard = $1 and p.project = a.project and p.day >= a.first and p.day < a.past
      cross join lateral increments(p.views, p.sightings) i
    where i.name = 0) c
  group by place, day`;

const waysOfShard = `
  select a.place, t.subject as "group", t.name, array_agg(distinct t.day) as days from ${asked}
    join tallies t on t.shard = $1 and t.project = a.project and t.tally = ${tallies['ways-in'].number}
      and t.day >= a.first and t.day < a.past
  group by a.place, t.subject, t.name`;

/** What is asked of the projects that have counts in one shard. */
interface Asked {
  /** Of the question. */
  place: number;
  project: number;
  from: number;
  to: number;
}

/** Tells of several projects at once how many came to them. */
export class Glances {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Shard by shard, each of which its own server answers; that of a project that has several is added up. */
  readGlances(queries: readonly DaysQuery[]): Promise<Glance[]> {
    return this.#database.snapshot(async (db) => {
      const glances = queries.map(() => new Gathered());
      for (const [shard, asked] of await findShards(db, queries)) {
        const values: SqlValue[] = [
          shard,
          asked.map(({ place }) => place),
          asked.map(({ project }) => project),
          asked.map(({ from }) => from),
          asked.map(({ to }) => to),
        ];
        const days = await db.query<KeptDay & { place: number }>(daysOfShard, values);
        for (const { place, ...day } of days) glances[place]?.addDay(day);
        const ways = await db.query<WayDays & { place: number }>(waysOfShard, values);
        for (const { place, ...way } of ways) glances[place]?.ways.push(way);
      }
      return glances.map((glance) => glance.toGlance());
    });
  }
}

async function findShards(db: Queryable, queries: readonly DaysQuery[]): Promise<Map<number, Asked[]>> {
  const projects = await findProjects(
    db,
    queries.map(({ projectId }) => projectId),
  );
  const shards = new Map<number, Asked[]>();
  for (const [place, { projectId, from, to }] of queries.entries()) {
    const project = projects.get(projectId);
    for (const shard of project?.shards ?? []) {
      const asked = shards.get(shard) ?? [];
      shards.set(shard, [...asked, { place, project: project?.id as number, from, to }]);
    }
  }
  return shards;
}

/** What the shards of one project have told so far. */
class Gathered {
  readonly ways: Glance['ways'] = [];
  readonly #days = new Map<number, KeptDay>();

  addDay(day: KeptDay): void {
    const known = this.#days.get(day.day);
    if (known) for (const name of sumNames) known[name] += day[name];
    else this.#days.set(day.day, day);
  }

  toGlance(): Glance {
    const days = [...this.#days.values()].sort((a, b) => a.day - b.day);
    return { days: days.map(toDayCounts), ways: this.ways };
  }
}
