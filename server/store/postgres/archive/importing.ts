import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import { largerSpans } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { parentOf } from '../../../counting/what.ts';
import { raiseVersion } from '../../../database/versions.ts';
import { addEntry } from '../../admin/audit.ts';
import type { ArchiveAdditions } from '../../archive/archive-store.ts';
import { takeIn } from '../../archive/records.ts';
import { insertKey } from '../../projects.ts';
import type { Connection } from '../connection.ts';
import { addedSums, countKey, sumColumns } from '../counts/sums.ts';
import { type Database, inTransaction } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { within } from '../sql.ts';
import { withTrouble } from '../trouble.ts';
import { dayOf, Staging } from './staging.ts';

type ProjectRecord = Extract<ArchiveRecord, { type: 'project' }>;

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
  /** Of the database, for people. */
  readonly #name: string;
  readonly #connection: Connection;
  readonly #staging: Staging;
  #project: ProjectRecord | undefined;

  static async begin(database: Database): Promise<ProjectImport> {
    const connection = await database.connect();
    return new ProjectImport(database.name, connection, await Staging.make(connection));
  }

  private constructor(name: string, connection: Connection, staging: Staging) {
    this.#name = name;
    this.#connection = connection;
    this.#staging = staging;
  }

  async add(records: ArchiveRecord[]): Promise<void> {
    this.#project ??= records.find((record) => record.type === 'project');
    await this.#staging.add(records);
  }

  openDays(): Promise<Day[]> {
    return this.#staging.siteDaysAfter(this.#sealedThrough() ?? noDay);
  }

  async finish(additions: ArchiveAdditions): Promise<'done' | 'exists'> {
    const project = this.#project;
    if (!project) throw new Error('There is no project to take in.');
    try {
      await this.#staging.analyze();
      return await this.#finish(project, additions);
    } catch (error) {
      throw withTrouble(error, this.#name);
    }
  }

  #finish(project: ProjectRecord, additions: ArchiveAdditions): Promise<'done' | 'exists'> {
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

  async #takeIn(db: Queryable, { id, settings, createdAt }: ProjectRecord, version: number): Promise<number> {
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
