import type { SearchTool } from '../../../shared/reports/search-engines.ts';
import type { SearchKind, SearchNumbers } from '../../store/searches.ts';
import type { Row } from '../history/row.ts';

/** A line of an export. */
export interface ExportRow extends SearchNumbers {
  /** Null: the line is of all days of the file. */
  day: number | null;
  name: string;
}

/** One sort of file that a tool exports, known by its columns: it has all of those that are required, and no unknown ones. */
export interface SearchTable {
  tool: SearchTool;
  /** Null: there is no place for its data here. */
  kind: SearchKind | null;
  required: readonly string[];
  optional: readonly string[];
  /** The column of days; null: it has none. */
  day: string | null;
  read: (row: Row) => ExportRow;
}

export const nothing: SearchNumbers = {
  clicks: 0,
  impressions: 0,
  positions: null,
  citations: 0,
  pages: null,
};

/** Of positions on average, hundredths added up over impressions; null where there is none. */
export function positionsOf(row: Row, column: string, impressions: number): number | null {
  const text = row.text(column);
  if (text === '') return null;
  if (!/^\d{1,6}(\.\d{1,20})?$/.test(text)) row.fail(column, 'is not a position such as 8.41');
  return Math.round(Number(text) * impressions * 100);
}

/** Longer ones are cut. */
const maxNameLength = 300;

export function nameIn(row: Row, column: string): string {
  return Array.from(row.some(column).replaceAll('\0', '')).slice(0, maxNameLength).join('').toWellFormed();
}
