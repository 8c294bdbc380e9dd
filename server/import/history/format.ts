import type { HistoryTool } from '../../../shared/reports/history.ts';
import type { Day } from '../../counting/calendar.ts';
import type { DaySums } from './day-sums.ts';
import type { HistorySite, LeftOut } from './history-site.ts';
import type { Row } from './row.ts';

/** What a line says: something of a day, or why it is not counted. */
export type Reading = { day: Day; add(into: DaySums): void } | { left: LeftOut };

export interface ReadLine {
  row: Row;
  reading: Reading;
}

/** One sort of file that a tool exports, known by its columns. */
export interface Table {
  /** What its lines are sums of, so that one file alone tells it of a day. Missing: each line is a view. */
  sums?: string;
  /** It has all of these. */
  required: readonly string[];
  /** And may have these. Others nobody knows what to do with. */
  optional: readonly string[];
  /** Null: what it tells has no place here. */
  read: ((row: Row, site: HistorySite) => Reading) | null;
}

/** What is told with one line a day. */
export const siteSums = 'visitors and views of the site';

/** How a tool exports what it counted. */
export interface HistoryFormat {
  tool: HistoryTool;
  /** What it counts that has no place here, whatever the file. */
  untold: string;
  /** Whether a line tells the sums of all others. */
  isTotal?(cells: readonly string[]): boolean;
  /** Those that share columns with others come before these. */
  tables: readonly Table[];
}

/** Undefined: the file is none of the tool's. */
export function findTable({ tables }: HistoryFormat, columns: readonly string[]): Table | undefined {
  return tables.find(({ required }) => required.every((column) => columns.includes(column)));
}
