import type { HistoryTool } from '../../../shared/reports/history.ts';
import type { Day } from '../../counting/calendar.ts';
import type { DaySums } from './day-sums.ts';
import type { HistorySite, LeftOut } from './history-site.ts';
import type { Row } from './row.ts';
import type { ExportedTable } from './tables.ts';

/** What a line says: something of a day, or why it is not counted. */
export type Reading = { day: Day; add(into: DaySums): void; sums?: string } | { left: LeftOut };

export interface ReadLine {
  row: Row;
  reading: Reading;
}

/** What lines of other files refer to, by table and key. */
export type Lookup = (table: string, key: string) => Readonly<Record<string, string>> | undefined;

/** One sort of file that a tool exports, known by its columns. */
export interface Table {
  /** As the file or the database calls it, where columns do not say it. */
  title?: string;
  /** What its lines are sums of, so that one file alone has it of a day. Missing: each line is a view. */
  sums?: string;
  /** It has all of these. */
  required: readonly string[];
  /** And may have these. Others are skipped, and named. */
  optional: readonly string[];
  /** Columns with names that are made up, such as those of goals. */
  isKnown?(column: string): boolean;
  /** It is read before the others, which refer to its lines by this column, and to the table by this name. */
  key?: { column: string; table: string };
  /** What is kept of such a line. */
  kept?: readonly string[];
  /** The column that says of which site a line is, where a database has several. */
  siteColumn?: string;
  /** Null: what it tells has no place here. */
  read: ((row: Row, site: HistorySite, lookup: Lookup) => Reading) | null;
}

/** What is told with one line a day. */
export const siteSums = 'visitors and views of the site';

/** How a tool exports what it counted. */
export interface HistoryFormat {
  tool: HistoryTool;
  /** What it counts that has no place here, whatever the file. */
  untold: string;
  /** Columns with numbers, of tables with sums. By all others that are known, a line is the only one. */
  measures?: readonly string[];
  /** Whether a line tells the sums of all others. */
  isTotal?(cells: readonly string[]): boolean;
  /** Columns whose sum is at least what such a line tells, unless lines are missing; and the share by which estimates may differ. */
  totalled?: Readonly<Record<string, number>>;
  /** What the columns are called in the tables below. Undefined: the file is none of the tool's. @throws ImportError */
  rename?(table: ExportedTable): string[] | undefined;
  /** Lines end with the last column that the day had. */
  isRagged?: boolean;
  /** Those that share columns with others come before these. */
  tables: readonly Table[];
}

/** Undefined: the file is none of the tool's. */
export function findTable(
  { tables }: HistoryFormat,
  columns: readonly string[],
  title: string,
): Table | undefined {
  return tables.find(
    ({ required, title: wanted = title }) =>
      wanted === title && required.every((column) => columns.includes(column)),
  );
}
