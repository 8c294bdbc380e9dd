import type { ArchiveRecord, RecordType } from '../../../../shared/project/project-archive.ts';
import { tallies } from '../../../../shared/reports/tallies.ts';
import { numberOf, what } from '../../../counting/what.ts';
import { toStaged } from '../../archive/records.ts';
import type { Connection } from '../connection.ts';
import { searchableColumn } from '../counts/names/searchable.ts';

type Of<T extends RecordType> = Extract<ArchiveRecord, { type: T }>;
/** Kinds of records of which sums are made. */
type StagedType = 'count' | 'dropped' | 'nameCap' | 'tally';

type Value = string | number | null;
type Row = readonly Value[];

/** What a table gathers of one kind of record: its columns, and their values. */
interface Staged<T extends StagedType> {
  table: string;
  columns: Record<string, string>;
  rowOf(record: Of<T>): Row;
}

const sums = {
  human_visitors: 'bigint',
  ai_visitors: 'bigint',
  visitors: 'bigint',
  human_views: 'bigint',
  ai_views: 'bigint',
};

/** The records of a project, as its tables are to have them; names are texts until they get their numbers. */
const stagedTables: { [T in StagedType]: Staged<T> } = {
  count: {
    table: 'staged_counts',
    columns: {
      ...{
        day: 'int',
        what: 'int',
        client: 'text',
        client_searchable: 'text',
        name: 'text',
        searchable: 'text',
      },
      ...sums,
    },
    rowOf: ({ day, of, client, name, humanVisitors, aiVisitors, visitors, humanViews, aiViews }) => [
      ...[dayOf(day), numberOf(of), client, searchableOf(client), name, searchableOf(name)],
      ...[humanVisitors, aiVisitors, visitors, humanViews, aiViews],
    ],
  },
  dropped: {
    table: 'staged_dropped',
    columns: { day: 'int', reason: 'text', family: 'text', hits: 'bigint' },
    rowOf: ({ day, reason, family, hits }) => [dayOf(day), reason, family, hits],
  },
  nameCap: {
    table: 'staged_name_caps',
    columns: { day: 'int', what: 'int', cap: 'text', kind: 'int', client: 'text', views: 'bigint' },
    rowOf: ({ day, of, cap, kind, client, views }) => [dayOf(day), numberOf(of), cap, kind, client, views],
  },
  tally: {
    table: 'staged_tallies',
    columns: { tally: 'int', day: 'int', subject: 'text', name: 'text', hits: 'bigint', amount: 'bigint' },
    rowOf: ({ tally, day, group, name, hits, amount }) => [
      ...[tallies[tally].number, dayOf(day), group, name, hits, amount],
    ],
  },
};

/** Gathers records in tables that nobody else sees, and that end with the connection. */
export class Staging {
  readonly #connection: Connection;

  static async make(connection: Connection): Promise<Staging> {
    for (const { table, columns } of Object.values(stagedTables)) {
      const declared = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
      await connection.run(
        `create temp table ${table} (place bigint generated always as identity, ${declared})`,
      );
    }
    await connection.run(
      `create temp table staged (place bigint generated always as identity primary key, type text, row json)`,
    );
    return new Staging(connection);
  }

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  async add(records: readonly ArchiveRecord[]): Promise<void> {
    const staged = records.flatMap((record) => toStaged(record) ?? []);
    if (staged.length > 0) {
      await this.#connection.query(
        `insert into staged (type, row) select x.type, x.row from json_to_recordset($1::json) x (type text, row json)`,
        [JSON.stringify(staged)],
      );
    }
    const ofKinds = Map.groupBy(records, ({ type }) => type);
    for (const [type, some] of ofKinds)
      if (type in stagedTables) await this.#addKind(type as StagedType, some);
  }

  /** So that what reads them knows how much there is. */
  async analyze(): Promise<void> {
    for (const { table } of Object.values(stagedTables)) await this.#connection.run(`analyze ${table}`);
    await this.#connection.run('analyze staged');
  }

  /** Days of the site, from the first. */
  async siteDaysAfter(day: number): Promise<number[]> {
    const rows = await this.#connection.query<{ day: number }>(
      `select distinct day from staged_counts where what = ${what.site} and day > $1 order by day`,
      [day],
    );
    return rows.map((row) => row.day);
  }

  async #addKind<T extends StagedType>(type: T, records: readonly ArchiveRecord[]): Promise<void> {
    const { table, columns, rowOf } = stagedTables[type];
    const rows = records.map((record) => rowOf(record as Of<T>));
    const names = Object.entries(columns);
    await this.#connection.query(
      `insert into ${table} (${names.map(([name]) => name)}) select ${names.map(([name, kind]) => `x.${name}::${kind}`)}
       from unnest(${names.map((_, i) => `$${i + 1}::text[]`)}) x (${names.map(([name]) => name)})`,
      names.map((_, column) => rows.map((row) => asText(row[column]))),
    );
  }
}

/** As a day, from a date. */
export function dayOf(date: string): number {
  return Date.parse(date) / 86_400_000;
}

function asText(value: Value | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

function searchableOf(name: string | null): string | null {
  return name === null ? null : searchableColumn(name);
}
