import type { ArchiveRecord, RecordType } from '../../../../shared/project/project-archive.ts';
import { largerSpans } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { numberOf, parentOf, what } from '../../../counting/what.ts';
import { raiseVersion } from '../../../database/versions.ts';
import { addEntry } from '../../admin/audit.ts';
import type { ArchiveAdditions } from '../../archive/archive-store.ts';
import { storable, takeIn, toStaged } from '../../archive/records.ts';
import { insertKey } from '../../projects.ts';
import type { Connection } from '../connection.ts';
import { searchableColumn } from '../counts/names/names.ts';
import { addedSums, countKey, sumColumns, sumNames } from '../counts/sums.ts';
import { type Database, inTransaction } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { within } from '../sql.ts';

type Of<T extends RecordType> = Extract<ArchiveRecord, { type: T }>;

/** Sums by name as they are gathered; names are texts until they get their numbers. */
const ofCounts = `(day int, what int, client text, client_searchable text, name text, searchable text,
  ${sumNames.map((name) => `${name} bigint`)})`;

/** Records as they are gathered, in tables that nobody else sees, and that end with the connection. */
const staging = `create temp table staged_counts ${ofCounts};
  create temp table staged (place bigint generated always as identity primary key, type text, row json)`;

const stage = `insert into staged (type, row) select x.type, x.row from json_to_recordset($1::json) x (type text, row json)`;
const stageCounts = `insert into staged_counts select * from json_to_recordset($1::json) x ${ofCounts}`;

function toStagedCount({ day, of, ...count }: Of<'count'>) {
  const client = storable(count.client);
  const name = storable(count.name);
  return {
    ...{ day: dayOf(day), what: numberOf(of), client, name },
    client_searchable: client === null ? null : searchableColumn(client),
    searchable: name === null ? null : searchableColumn(name),
    ...{ human_visitors: count.humanVisitors, ai_visitors: count.aiVisitors, visitors: count.visitors },
    ...{ human_views: count.humanViews, ai_views: count.aiViews },
  };
}

/** Before the first day that a date tells. */
const noDay = -2_000_000;

/** What names of this kind are under. */
const parentOfKind = (kind: string) =>
  `case ${kind} ${Array.from(parentOf, (parent, what) => (parent === undefined ? '' : `when ${what} then ${parent}`)).join(' ')} end`;

/** AI clients and others first, as the paths of pairs are named under them. */
const takeInNames = [
  `insert into names (project, id, what, parent, text, searchable)
   select $1::int, row_number() over (order by what, text), what, 0, text, searchable
   from (
     select distinct on (what, text) what, text, searchable
     from (
       select what, name as text, searchable from staged_counts where client is null and name is not null
       union all
       select ${parentOfKind('what')}, client, client_searchable from staged_counts where client is not null
     ) named
   ) numbered`,
  `insert into names (project, id, what, parent, text, searchable)
   select $1::int, (select coalesce(max(id), 0) from names where project = $1::int)
       + row_number() over (order by what, parent, text), what, parent, text, searchable
   from (
     select distinct on (s.what, c.id, s.name) s.what, c.id as parent, s.name as text, s.searchable
     from staged_counts s join names c on c.project = $1::int and c.what = ${parentOfKind('s.what')} and c.parent = 0
       and text_hash(c.text) = text_hash(s.client)
     where s.name is not null
   ) numbered`,
];

/** What makes the gathered sums those of a project, given its number. */
const takeInSums = [
  `insert into counts (${countKey}, ${sumColumns})
   select $1::int & 63, $1::int, 1, s.day, s.what, coalesce(c.id, 0), coalesce(n.id, 0), 0, ${sumColumns}
   from staged_counts s
     left join names c on c.project = $1::int and c.what = ${parentOfKind('s.what')} and c.parent = 0
       and text_hash(c.text) = text_hash(s.client)
     left join names n on n.project = $1::int and n.what = s.what and n.parent = coalesce(c.id, 0)
       and text_hash(n.text) = text_hash(s.name)`,
];

const cells: Record<string, (column: string) => string> = {
  text: (column) => `s.row ->> '${column}'`,
  bytea: (column) => `decode(s.row ->> '${column}', 'hex')`,
  'text[]': (column) => `array(select json_array_elements_text(s.row -> '${column}'))`,
};

const takeInRecords = takeIn({
  into: '',
  ofSums: { shard: 'cast($1 as int) & 63', slot: '0' },
  cell: (column, type) => cells[type]?.(column) ?? `(s.row ->> '${column}')::${type}`,
});

/** Adds sealed days to a larger block, as sealing does. */
const takeInBlock = `
  insert into counts (${countKey}, ${sumColumns})
  select shard, project, $2::smallint, floor(day::numeric / $2::int)::int * $2::int, what, parent, name, 0, ${addedSums}
  from counts where shard = $1::int & 63 and project = $1::int and span = 1 and day <= $3
  group by 1, 2, 4, 5, 6, 7`;

/** Gathers the records of a project on a connection of its own, and takes them in with one transaction. */
export class ProjectImport {
  readonly #connection: Connection;
  #project: Of<'project'> | undefined;

  static async begin(database: Database): Promise<ProjectImport> {
    const connection = await database.connect();
    await connection.run(staging);
    return new ProjectImport(connection);
  }

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  async add(records: ArchiveRecord[]): Promise<void> {
    this.#project ??= records.find((record) => record.type === 'project');
    const counts = records.filter((record) => record.type === 'count').map(toStagedCount);
    const others = records.flatMap((record) => toStaged(record) ?? []);
    if (counts.length > 0) await this.#connection.query(stageCounts, [JSON.stringify(counts)]);
    if (others.length > 0) await this.#connection.query(stage, [JSON.stringify(others)]);
  }

  /** Days of the site that are not sealed, from the first. */
  async openDays(): Promise<Day[]> {
    const rows = await this.#connection.query<{ day: Day }>(
      `select distinct day from staged_counts where what = ${what.site} and day > $1 order by day`,
      [this.#sealedThrough() ?? noDay],
    );
    return rows.map(({ day }) => day);
  }

  async finish(additions: ArchiveAdditions): Promise<'done' | 'exists'> {
    const project = this.#project;
    if (!project) throw new Error('There is no project to take in.');
    // So that what reads them knows how much there is.
    await this.#connection.run('analyze staged_counts; analyze staged');
    return inTransaction(this.#connection, 'begin', async (db) => {
      const [row] = await db.query<{ version: number }>(
        `select version + 1 as version from versions where what = 'directory' for update`,
      );
      if (await exists(db, project.id)) return 'exists';
      const version = row?.version ?? 0;
      const number = await this.#takeIn(db, project, version);
      for (const key of additions.keys) await insertKey(within(db), key, version);
      for (const { day, salt } of additions.salts) await openDay(db, number, day, salt);
      for (const entry of additions.entries) await addEntry(within(db), entry);
      await raiseVersion(within(db), 'directory');
      return 'done';
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #takeIn(db: Queryable, { id, settings, createdAt }: Of<'project'>, version: number): Promise<number> {
    const sealed = this.#sealedThrough();
    const [project] = await db.query<{ number: number }>(
      `insert into projects (public_id, settings, created_at, sealed_through, closed_through, changed)
       values ($1, $2, $3, $4, $4, $5) returning id as number`,
      [id, JSON.stringify(settings), createdAt, sealed, version],
    );
    const number = project?.number as number;
    for (const statement of takeInNames) await db.query(statement, [number]);
    await noteLastName(db, number);
    for (const statement of [...takeInSums, ...takeInRecords]) await db.query(statement, [number]);
    if (sealed !== null) {
      for (const span of largerSpans) await db.query(takeInBlock, [number, span, sealed]);
    }
    return number;
  }

  #sealedThrough(): Day | null {
    const date = this.#project?.sealedThrough ?? null;
    return date === null ? null : dayOf(date);
  }
}

function dayOf(date: string): Day {
  return Date.parse(date) / 86_400_000;
}

async function exists(db: Queryable, projectId: string): Promise<boolean> {
  const found = await db.query(
    `select from projects where public_id = $1
     union all select from jobs where public_id in (select row ->> 'public_id' from staged where type = 'job')`,
    [projectId],
  );
  return found.length > 0;
}

/** One after the other, as Citus would look for projects where the names are. */
async function noteLastName(db: Queryable, project: number): Promise<void> {
  const [names] = await db.query<{ last: number }>(
    'select coalesce(max(id), 0) as last from names where project = $1',
    [project],
  );
  await db.query('update projects set last_name = $2 where id = $1', [project, names?.last ?? 0]);
}

/** With its partition, which nobody drops before the day has it. */
async function openDay(db: Queryable, project: number, day: Day, salt: Uint8Array): Promise<void> {
  await db.query('select pg_advisory_xact_lock(6, 0)');
  await db.query('select make_bin(bin_of($1))', [day]);
  await db.query('insert into days (project, day, bin, buckets, salt) values ($1, $2, bin_of($2), 1, $3)', [
    project,
    day,
    salt,
  ]);
}
