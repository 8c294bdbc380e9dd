import type { SearchNameKind, SearchTool } from '../../shared/reports/search-engines.ts';
import type { Day } from '../counting/calendar.ts';

/** What a search engine tells of a site, or of one name. */
export interface SearchNumbers {
  clicks: number;
  impressions: number;
  /** Hundredths of positions, added up over impressions; null: they are not told. */
  positions: number | null;
  citations: number;
  /** Cited pages of the site on a day; null: that is not told. */
  pages: number | null;
}

export interface SearchRow extends SearchNumbers {
  /** Empty: the site. */
  name: string;
}

export type SearchKind = SearchNameKind | 'site';

/** A day, or a range of days that is told as a whole. */
export interface SearchPeriod {
  tool: SearchTool;
  kind: SearchKind;
  from: Day;
  /** The last day, inclusive: that of `from` where it is told by day. */
  to: Day;
}

export interface SearchDay extends SearchNumbers {
  tool: SearchTool;
  day: Day;
}

export interface SearchDaysQuery {
  projectId: string;
  /** First day, inclusive; null: from the beginning. */
  from: Day | null;
  /** Last day, exclusive; null: to the end. */
  to: Day | null;
}

/** Days of a tool, or one range of it. */
export type ChosenPeriod = Omit<SearchPeriod, 'kind'> & { isByDay: boolean };

export interface SearchNamesOf {
  projectId: string;
  kind: SearchNameKind;
  /** Of each tool one at most. */
  chosen: readonly ChosenPeriod[];
  limit: number;
  offset: number;
}

/** Numbers of a name in the days chosen of its tool. */
export interface SearchNameRow extends Omit<SearchRow, 'pages'> {
  tool: SearchTool;
  /** Impressions whose positions are told. */
  placed: number;
  from: Day;
  to: Day;
}

/** Numbers of search engines, as they were imported; they are in no count. The rules of `Store` hold. */
export interface SearchStore {
  /** Takes in all that is told of a period, in place of what was known of it. `gone`: there is no such project. */
  setPeriod(
    projectId: string,
    period: SearchPeriod,
    rows: SearchRow[],
  ): Promise<'added' | 'same' | 'replaced' | 'gone'>;
  /** All that have a day in common with the range: by tool, kind, last day and first day. */
  listPeriods(query: SearchDaysQuery): Promise<SearchPeriod[]>;
  /** What is told of the site by day: by day, then tool. */
  listDays(query: SearchDaysQuery): Promise<SearchDay[]>;
  /** By clicks, citations and impressions, descending, then name ascending by code point. */
  listNames(query: SearchNamesOf): Promise<SearchNameRow[]>;
  /** Takes all of a tool out again, and answers of how many periods that was. */
  removeTool(projectId: string, tool: SearchTool): Promise<number>;
}

/** Whether they tell the same, in whatever order. */
export function isSameRows(known: readonly SearchRow[], rows: readonly SearchRow[]): boolean {
  const knownByName = new Map(known.map((row) => [row.name, numbersOf(row)]));
  return known.length === rows.length && rows.every((row) => knownByName.get(row.name) === numbersOf(row));
}

const numbersOf = ({ clicks, impressions, positions, citations, pages }: SearchRow): string =>
  [clicks, impressions, positions, citations, pages].join(' ');
