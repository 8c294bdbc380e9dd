import {
  type SearchNameKind,
  type SearchTool,
  searchNameKinds,
} from '../../shared/reports/search-engines.ts';
import type { Day } from '../counting/calendar.ts';
import type { Sql } from '../database/sql.ts';
import { firstDay, lastDay } from './page.ts';
import { lockProject } from './projects.ts';

/** The numbers of a search engine for a site, or for one name. */
export interface SearchNumbers {
  clicks: number;
  impressions: number;
  /** Hundredths of positions, added up over impressions; null: unknown. */
  positions: number | null;
  citations: number;
  /** Cited pages of the site on a day; null: unknown. */
  pages: number | null;
}

export interface SearchRow extends SearchNumbers {
  /** Empty: the site. */
  name: string;
}

export const searchKinds = ['site', ...searchNameKinds] as const;
export type SearchKind = (typeof searchKinds)[number];

/** A day, or a range of days with one sum. */
export interface SearchPeriod {
  tool: SearchTool;
  kind: SearchKind;
  from: Day;
  /** The last day, inclusive: that of `from` for numbers by day. */
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
  /** Impressions with a known position. */
  placed: number;
  from: Day;
  to: Day;
}

export type SearchStore = ReturnType<typeof searches>;

const numbers = 'clicks, impressions, positions, citations, pages';
const inRange =
  'project = (select id from projects where public_id = $1) and last_day >= $2 and first_day < $3';

/** Numbers of search engines, as they were imported; they are in no count. */
export function searches(sql: Sql) {
  return {
    /** Replaces all numbers of a period. `gone`: there is no such project. */
    setPeriod(
      projectId: string,
      { tool, kind, from, to }: SearchPeriod,
      rows: SearchRow[],
    ): Promise<'added' | 'same' | 'replaced' | 'gone'> {
      return sql.transaction(async (transaction) => {
        // Concurrent imports of the same wait.
        const project = await lockProject(transaction, projectId);
        if (project === undefined) return 'gone';
        const place = [project, tool, kind, from, to];
        const ofPeriod = 'project = $1 and tool = $2 and kind = $3 and first_day = $4 and last_day = $5';
        const known = await transaction.query<SearchRow>(
          `select name, ${numbers} from search_numbers where ${ofPeriod}`,
          place,
        );
        if (isSameRows(known, rows)) return 'same';
        await transaction.query(`delete from search_numbers where ${ofPeriod}`, place);
        const given = sql.dialect.rows('$6', {
          ...{ name: 'text', clicks: 'bigint', impressions: 'bigint', positions: 'bigint' },
          ...{ citations: 'bigint', pages: 'bigint' },
        });
        await transaction.query(
          `insert into search_numbers (project, tool, kind, first_day, last_day, name, ${numbers})
           select $1, $2, $3, $4, $5, name, ${numbers} from ${given} as given`,
          [...place, JSON.stringify(rows)],
        );
        return known.length > 0 ? 'replaced' : 'added';
      });
    },

    /** All that have a day in common with the range: by tool, kind, last day and first day. */
    listPeriods: ({ projectId, from, to }: SearchDaysQuery): Promise<SearchPeriod[]> =>
      sql.query<SearchPeriod>(
        `select distinct tool, kind, first_day as "from", last_day as "to" from search_numbers where ${inRange}
         order by tool, kind, last_day, first_day`,
        [projectId, from ?? firstDay, to ?? lastDay],
      ),

    /** Numbers of the site by day, then tool. */
    listDays: ({ projectId, from, to }: SearchDaysQuery): Promise<SearchDay[]> =>
      sql.query<SearchDay>(
        `select tool, last_day as day, ${numbers} from search_numbers
         where ${inRange} and kind = 'site' and first_day = last_day order by last_day, tool`,
        [projectId, from ?? firstDay, to ?? lastDay],
      ),

    /** By clicks, citations and impressions, descending, then name ascending by code point. */
    listNames({ projectId, kind, chosen, limit, offset }: SearchNamesOf): Promise<SearchNameRow[]> {
      const periods = sql.dialect.rows('$3', {
        ...{ tool: 'text', from: 'int', to: 'int', isByDay: 'boolean' },
      });
      return sql.query<SearchNameRow>(
        `select n.tool, n.name, c."from", c."to", sum(clicks) as clicks, sum(n.citations) as citations,
           sum(case when positions is null then 0 else impressions end) as placed, sum(impressions) as impressions,
           sum(positions) as positions
         from ${periods} as c join search_numbers n on n.tool = c.tool and n.last_day between c."from" and c."to"
           and case when c."isByDay" then n.first_day = n.last_day
             else n.first_day = c."from" and n.last_day = c."to" end
         where n.project = (select id from projects where public_id = $1) and n.kind = $2
         group by n.tool, n.name, c."from", c."to"
         order by sum(clicks) desc, sum(n.citations) desc, sum(impressions) desc, n.name, n.tool limit $4 offset $5`,
        [projectId, kind, JSON.stringify(chosen), limit, offset],
      );
    },

    /** Takes all of a tool out again, and answers of how many periods that was. */
    removeTool(projectId: string, tool: SearchTool): Promise<number> {
      return sql.transaction(async (transaction) => {
        const removed = await transaction.query<SearchPeriod>(
          `delete from search_numbers where project = (select id from projects where public_id = $1) and tool = $2
           returning kind, first_day as "from", last_day as "to"`,
          [projectId, tool],
        );
        return new Set(removed.map(({ kind, from, to }) => `${kind} ${from} ${to}`)).size;
      });
    },
  };
}

/** Whether they are equal, in any order. */
export function isSameRows(known: readonly SearchRow[], rows: readonly SearchRow[]): boolean {
  const knownByName = new Map(known.map((row) => [row.name, numbersOf(row)]));
  return known.length === rows.length && rows.every((row) => knownByName.get(row.name) === numbersOf(row));
}

const numbersOf = ({ clicks, impressions, positions, citations, pages }: SearchRow): string =>
  [clicks, impressions, positions, citations, pages].join(' ');
