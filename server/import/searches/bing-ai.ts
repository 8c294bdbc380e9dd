import type { SearchKind } from '../../store/searches.ts';
import { bingDay } from './bing.ts';
import { nameIn, nothing, type SearchTable } from './search-row.ts';

function named(kind: SearchKind, column: string, optional: readonly string[]): SearchTable {
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
  named('query', 'Grounding Query', ['Intent', 'Topic', 'Citation Share']),
  named('page', 'Page', []),
];
