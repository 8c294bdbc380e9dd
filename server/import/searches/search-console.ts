import type { SearchKind } from '../../store/searches.ts';
import type { Row } from '../history/row.ts';
import { type ExportRow, nameIn, nothing, positionsOf, type SearchTable } from './search-row.ts';

interface Columns {
  date: string | null;
  name: string | null;
  clicks: string;
  impressions: string;
  position: string;
}

/** Days on which nothing was shown may have empty cells. */
function reader({ date, name, clicks, impressions, position }: Columns): (row: Row) => ExportRow {
  return (row) => {
    const count = (column: string) => (row.text(column) === '' ? 0 : row.number(column));
    const shown = count(impressions);
    return {
      ...nothing,
      day: date === null ? null : row.day(date),
      name: name === null ? '' : nameIn(row, name),
      clicks: count(clicks),
      impressions: shown,
      positions: positionsOf(row, position, shown),
    };
  };
}

function exported(kind: SearchKind | null, first: string): SearchTable {
  const numbers = { clicks: 'Clicks', impressions: 'Impressions', position: 'Position' };
  const day = kind === 'site' ? first : null;
  const name = kind === 'site' ? null : first;
  return {
    ...{ tool: 'search-console', kind, day },
    required: [first, ...Object.values(numbers)],
    optional: ['CTR'],
    read: reader({ date: day, name, ...numbers }),
  };
}

/** As the API names what it was asked for: https://developers.google.com/webmaster-tools/v1/searchanalytics/query */
export const apiDimensions = ['date', 'query', 'page', 'country', 'device'] as const;
export const apiNumbers = ['clicks', 'impressions', 'ctr', 'position'] as const;

function asked(kind: SearchKind, columns: readonly string[]): SearchTable {
  const day = columns.includes('date') ? 'date' : null;
  const numbers = { clicks: 'clicks', impressions: 'impressions', position: 'position' };
  return {
    ...{ tool: 'search-console', kind, day },
    required: [...columns, ...Object.values(numbers)],
    optional: ['ctr'],
    read: reader({ date: day, name: kind === 'site' ? null : kind, ...numbers }),
  };
}

const named = ['query', 'page', 'country', 'device'] as const;

/**
 * Search Console's performance report: the files of its export, in English
 * (https://support.google.com/webmasters/answer/7576553), and rows of its API as CSV or JSON.
 */
export const searchConsole: readonly SearchTable[] = [
  exported('site', 'Date'),
  exported('query', 'Top queries'),
  exported('page', 'Top pages'),
  exported('country', 'Country'),
  exported('device', 'Device'),
  exported(null, 'Search Appearance'),
  asked('site', ['date']),
  ...named.flatMap((kind) => [asked(kind, ['date', kind]), asked(kind, [kind])]),
];

/** The filters of the export, in `Filters.csv`. */
export const filterColumns = ['Filter', 'Value'] as const;

/** Why the numbers of an export are not those of the site; undefined: they are. */
export function whyOfPart(row: Row): string | undefined {
  const [filter, value] = [row.text('Filter'), row.text('Value')];
  if (filter === 'Date') {
    return value.startsWith('Compare') ? 'compares two ranges of days. Export one of them' : undefined;
  }
  if (filter === 'Search type')
    return value === 'Web' ? undefined : 'is of another search type than Web, which is the one that is kept';
  return 'is filtered, so that its numbers are not those of the site. Export it without a filter';
}
