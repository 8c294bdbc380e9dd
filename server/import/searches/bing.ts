import type { Day } from '../../counting/calendar.ts';
import type { SearchKind } from '../../store/searches.ts';
import { type Row, readDay } from '../history/row.ts';
import { nameIn, nothing, positionsOf, type SearchTable } from './search-row.ts';

/** As Bing writes it in English: `7/1/2026 12:00:00 AM`. */
const bingDate = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: 12:00:00 AM)?$/;

/** @throws ImportError also for dates of other languages, which may mean another day */
function bingDay(row: Row): Day {
  const text = row.text('Date');
  const [, month = '', date = '', year = ''] = bingDate.exec(text) ?? [];
  const iso = year === '' ? text : `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  return (
    readDay(iso) ??
    row.fail('Date', 'is not a date such as 7/31/2026. Set the language of Bing Webmaster Tools to English')
  );
}

function named(kind: SearchKind, column: string): SearchTable {
  return {
    ...{ tool: 'bing', kind, day: null },
    required: [column, 'Impressions', 'Clicks', 'Avg. Position'],
    optional: ['CTR'],
    read: (row) => {
      const impressions = row.number('Impressions');
      return {
        ...nothing,
        ...{ day: null, name: nameIn(row, column), clicks: row.number('Clicks'), impressions },
        positions: positionsOf(row, 'Avg. Position', impressions),
      };
    },
  };
}

/** Search Performance of Bing Webmaster Tools: `SearchPerformanceOverview`, `KeywordReport` and `PageTrafficReport`. */
export const bing: readonly SearchTable[] = [
  {
    ...{ tool: 'bing', kind: 'site', day: 'Date' },
    required: ['Date', 'Clicks', 'Impressions'],
    optional: ['Avg. CTR', 'CTR', 'Avg. Position'],
    read: (row) => {
      const impressions = row.number('Impressions');
      return {
        ...nothing,
        ...{ day: bingDay(row), name: '', clicks: row.number('Clicks'), impressions },
        positions: positionsOf(row, 'Avg. Position', impressions),
      };
    },
  },
  named('query', 'Keyword'),
  named('page', 'Page'),
];

function namedByAi(kind: SearchKind, column: string, optional: readonly string[]): SearchTable {
  return {
    ...{ tool: 'bing-ai', kind, day: null },
    required: [column, 'Citations'],
    optional,
    read: (row) => ({
      ...nothing,
      ...{ day: null, name: nameIn(row, column), citations: row.number('Citations') },
    }),
  };
}

/**
 * AI Performance of Bing Webmaster Tools: `AIPerformanceOverviewStats`, `AISearchQueriesReport` and `AIPageStatsReport`
 * (https://blogs.bing.com/webmaster/February-2026/Introducing-AI-Performance-in-Bing-Webmaster-Tools-Public-Preview).
 */
export const bingAi: readonly SearchTable[] = [
  {
    ...{ tool: 'bing-ai', kind: 'site', day: 'Date' },
    required: ['Date', 'Citations'],
    optional: ['Cited Pages'],
    read: (row) => ({
      ...nothing,
      ...{ day: bingDay(row), name: '', citations: row.number('Citations') },
      pages: row.has('Cited Pages') ? row.number('Cited Pages') : null,
    }),
  },
  namedByAi('query', 'Grounding Query', ['Intent', 'Topic', 'Citation Share']),
  namedByAi('page', 'Page', []),
];
