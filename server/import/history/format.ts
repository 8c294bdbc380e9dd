import type { HistoryTool } from '../../../shared/reports/history.ts';
import type { Day } from '../../counting/calendar.ts';
import type { DaySums } from './day-sums.ts';
import type { HistorySite, LeftOut } from './history-site.ts';
import type { Row } from './row.ts';
import type { ExportedTable } from './tables.ts';

/** The content of a line: data of a day, or why it is not counted. */
export type Reading = { day: Day; add(into: DaySums): void; sums?: string } | { left: LeftOut };

export interface ReadLine {
  row: Row;
  reading: Reading;
}

/** Lines that other files refer to, by table and key. */
export type Lookup = (table: string, key: string) => Readonly<Record<string, string>> | undefined;

/** One sort of file that a tool exports, known by its columns. */
export interface Table {
  /** As the file or the database calls it, where columns do not say it. */
  title?: string;
  /** What its lines are sums of: for each day, only one file may have these. Missing: each line is a view. */
  sums?: string;
  /** It has all of these. */
  required: readonly string[];
  /** And may have these. Others are skipped, and named. */
  optional: readonly string[];
  /** Columns with names that are made up, such as those of goals. */
  isKnown?(column: string): boolean;
  /** It is read before the others, which refer to its lines by this column, and to the table by this name. */
  key?: { column: string; table: string };
  /** Maps such a line to the values to keep. */
  kept?: readonly string[];
  /** The column that says of which site a line is, where a database has several. */
  siteColumn?: string;
  /** Null: there is no place for its data here. */
  read: ((row: Row, site: HistorySite, lookup: Lookup) => Reading) | null;
}

/** Sums with one line a day. */
export const siteSums = 'visitors and views of the site';

/** How a tool exports what it counted. */
export interface HistoryFormat {
  tool: HistoryTool;
  /** Things that it counts and that have no place here, in any file. */
  untold: string;
  /** Columns with numbers, of tables with sums. By all others that are known, a line is the only one. */
  measures?: readonly string[];
  /** Whether a line has the sums of all others. */
  isTotal?(cells: readonly string[]): boolean;
  /** Columns whose sum is at least that of such a line, unless lines are missing; and the share by which estimates may differ. */
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
