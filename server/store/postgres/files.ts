import type { ArchiveRecord } from '../../../shared/project/project-archive.ts';
import { type ImportWords, recordsAtATime } from '../archive/archive-store.ts';
import { type GatheredProject, gatherProject } from '../archive/importing.ts';
import { archiveSections } from '../archive/records.ts';
import { StoreError } from '../store.ts';
import type { FileState, StoreFiles } from '../store-files.ts';
import { type Connection, readInParts } from './connection.ts';
import { reopenDay } from './counting-engine.ts';
import { columnsOf } from './counts/arrays.ts';
import {
  allCounts,
  type CountedProject,
  findProject,
  ofProject,
  placeOf,
  sumColumns,
  sumNames,
  type VisitDay,
} from './counts/counted-project.ts';
import { searchableColumn } from './counts/names/names.ts';
import { readAllSums } from './counts/visits.ts';
import type { Database } from './database.ts';
import { readVersions } from './schema.ts';
import { alone, dialect, listOf } from './sql.ts';
import { openDatabase } from './store.ts';
import { withTrouble } from './trouble.ts';

/** What a command does with files of the store, of which there are none here. */
export function openPostgresFiles(url: string): StoreFiles {
  const database = openDatabase(url);
  const refuse = async () => {
    throw new StoreError(
      'unusable',
      `The database ${database.name} is a PostgreSQL, which has its own means for this: back it up and restore it with pg_dump and pg_restore, or with pg_basebackup and its archive of the log.`,
    );
  };
  /** On connections of their own, whose failures nobody else puts in words. */
  const inWords = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw withTrouble(error, database.name);
    }
  };
  let exporting: ProjectExport | undefined;
  let importing: GatheredProject | undefined;
  let connection: Connection | undefined;
  const imported = () => {
    if (!importing) throw new Error('The import has to begin first.');
    return importing;
  };
  return {
    describe: async (): Promise<FileState> => {
      const versions = await readVersions(database);
      const [size] = await database.query<{ bytes: number }>('select database_size() as bytes');
      return { ...versions, bytes: size?.bytes ?? 0 };
    },
    findHurt: async () => null,
    copy: refuse,
    copyUnnamed: refuse,
    hold: refuse,
    inspectDraft: refuse,
    useDraft: refuse,
    archive: {
      beginExport: (projectId) =>
        inWords(async () => {
          exporting = await beginExport(database, projectId);
          return exporting !== undefined;
        }),
      nextRecords: () => inWords(async () => exporting?.next() ?? []),
      beginImport: () =>
        inWords(async () => {
          connection = await database.connect();
          importing = await gatherInto(connection);
        }),
      addRecords: (records) => inWords(() => imported().add(records)),
      openDays: () => inWords(() => imported().openDays()),
      finishImport: (additions) => inWords(() => imported().finish(additions)),
    },
    close: async () => {
      await exporting?.close();
      await connection?.close();
      await database.close();
    },
  };
}

/** Reads a project's records one after the other, all of one moment. */
export interface ProjectExport {
  /** None: that was all. */
  next(): Promise<ArchiveRecord[]>;
  close(): Promise<void>;
}

/** Undefined: there is no such project. */
export async function beginExport(database: Database, projectId: string): Promise<ProjectExport | undefined> {
  const connection = await database.connect();
  try {
    await connection.run('begin isolation level repeatable read read only');
    // The reader of the records may be slow.
    await connection.run('set local idle_in_transaction_session_timeout = 0');
    const project = await findProject(connection, projectId);
    if (project) {
      const records = readRecords(connection, project);
      return {
        next: async () => (await records.next()).value ?? [],
        close: () => connection.close(),
      };
    }
  } catch (error) {
    // It would keep the process waiting.
    connection.destroy();
    throw error;
  }
  await connection.close();
  return undefined;
}

/** Citus takes `t.day` in an order for the field `day`: a date is made of it later. */
async function* readRecords(
  connection: Connection,
  project: CountedProject,
): AsyncGenerator<ArchiveRecord[], undefined> {
  // Visitors of days that are not sealed stay here.
  const days = await connection.query<VisitDay>('select id, day from days where project = $1', [project.id]);
  const visits = await readAllSums(alone(connection), project, days);
  const isOwn = ofProject('t', project);
  let count = 0;
  for (const section of archiveSections({ dialect, isOwn, counts: selectCounts(project) })) {
    const values = section.isOfSums ? placeOf(project) : [project.id];
    const rows = readInParts<Record<string, unknown>>(connection, {
      name: `records_of_${section.type}`,
      sql: section.sql,
      values:
        section.type === 'count'
          ? [...values, ...columnsOf(visits, 'day', 'what', 'under', 'text', ...sumNames)]
          : values,
      rowsAtATime: recordsAtATime(section.type),
    });
    for await (const some of rows) {
      count += some.length;
      yield some.map(section.toRecord);
    }
  }
  yield [{ type: 'end', records: count }];
}

function selectCounts(project: CountedProject): string {
  return `select c.day, c.what, c.client, c.name,
      sum(c.human_visitors) as "humanVisitors", sum(c.ai_visitors) as "aiVisitors", sum(c.visitors) as visitors,
      sum(c.human_views) as "humanViews", sum(c.ai_views) as "aiViews"
    from (
      select s.day, s.what, parent.text as client, n.text as name, ${sumColumns}
      from (select day, what, parent, name, ${sumNames.map((name) => `sum(${name}) as ${name}`)}
        from ${allCounts(project, 'c.span = 1')} c group by day, what, parent, name) s
        left join names n on n.project = $2 and n.id = s.name
        left join names parent on parent.project = $2 and parent.id = s.parent
      union all
      select x.day, x.what, x.under, x.text, ${sumColumns}
      from unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[])
        as x(day, what, under, text, ${sumColumns})) c
    group by c.day, c.what, c.client, c.name
    order by c.day, c.what, c.client nulls first, c.name nulls first`;
}

/** By the column's type. */
function cell(column: string, type: string): string {
  const value = `s.row ->> '${column}'`;
  if (type === 'text') return value;
  if (type === 'bytea') return `decode(${value}, 'hex')`;
  return type.endsWith('[]') ? listOf(value, type) : `(${value})::${type}`;
}

const words: ImportWords = {
  make: 'create temp table',
  asJson: (text) => `${text}::json`,
  cell,
  ofSums: { shard: 'cast($1 as int) & 63', slot: '0' },
  calendarColumns: ['sealed_through', 'closed_through'],
  searchable: searchableColumn,
  openDay: reopenDay,
};

/** @param connection of its own, which the gathered project ends with */
export const gatherInto = (connection: Connection): Promise<GatheredProject> =>
  gatherProject(alone(connection), words);
