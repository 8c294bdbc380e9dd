import type { ArchiveRecord } from '../../../../shared/project/project-archive.ts';
import { numberOf, what } from '../../../counting/what.ts';
import { toStaged } from '../../archive/records.ts';
import type { Connection } from '../connection.ts';
import { searchableColumn } from '../counts/names/searchable.ts';

type Count = Extract<ArchiveRecord, { type: 'count' }>;
type Value = string | number | null;

/** Sums by name as they are gathered; names are texts until they get their numbers. */
const columns = {
  ...{ day: 'int', what: 'int', client: 'text', client_searchable: 'text', name: 'text', searchable: 'text' },
  ...{
    human_visitors: 'bigint',
    ai_visitors: 'bigint',
    visitors: 'bigint',
    human_views: 'bigint',
    ai_views: 'bigint',
  },
};
const names = Object.keys(columns);
const typed = (prefix: string, colon: string) =>
  Object.entries(columns).map(([name, type]) => `${prefix}${name}${colon}${type}`);

function rowOf(count: Count): Value[] {
  const { day, of, client, name, humanVisitors, aiVisitors, visitors, humanViews, aiViews } = count;
  return [
    ...[dayOf(day), numberOf(of), client, searchableOf(client), name, searchableOf(name)],
    ...[humanVisitors, aiVisitors, visitors, humanViews, aiViews],
  ];
}

/** Gathers records in tables that nobody else sees, and that end with the connection. */
export class Staging {
  readonly #connection: Connection;

  static async make(connection: Connection): Promise<Staging> {
    await connection.run(`create temp table staged_counts (${typed('', ' ')})`);
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
    const rows = records.filter((record) => record.type === 'count').map(rowOf);
    if (rows.length === 0) return;
    await this.#connection.query(
      `insert into staged_counts (${names}) select ${typed('x.', '::')}
       from unnest(${names.map((_, i) => `$${i + 1}::text[]`)}) x (${names})`,
      names.map((_, column) => rows.map((row) => asText(row[column]))),
    );
  }

  /** So that what reads them knows how much there is. */
  async analyze(): Promise<void> {
    await this.#connection.run('analyze staged_counts; analyze staged');
  }

  /** Days of the site, from the first. */
  async siteDaysAfter(day: number): Promise<number[]> {
    const rows = await this.#connection.query<{ day: number }>(
      `select distinct day from staged_counts where what = ${what.site} and day > $1 order by day`,
      [day],
    );
    return rows.map((row) => row.day);
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
