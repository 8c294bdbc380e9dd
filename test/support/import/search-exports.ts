/**
 * Files of search engines' tools, by hand. Search Console's performance report: names and columns of its export in English, no
 * BOM, LF, CTR in percent, no cells on days without data (https://support.google.com/webmasters/answer/7576553). Bing Webmaster
 * Tools: BOM, CRLF, every cell quoted, days as `7/1/2026 12:00:00 AM`. Both as published examples of such files have them; read
 * 2026-11-24.
 */
export interface ExportFile {
  name: string;
  content: string;
}

type Cells = readonly (string | number)[];

const heads = {
  Dates: 'Date',
  Queries: 'Top queries',
  Pages: 'Top pages',
  Countries: 'Country',
  Devices: 'Device',
  'Search appearance': 'Search Appearance',
} as const;

const cell = (value: string | number) =>
  /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

const csv = (lines: readonly Cells[]) => lines.map((cells) => `${cells.map(cell).join(',')}\n`).join('');

/** A table of Search Console: name, clicks, impressions, CTR, position. */
export function consoleFile(table: keyof typeof heads, lines: readonly Cells[]): ExportFile {
  return {
    name: `${table}.csv`,
    content: csv([[heads[table], 'Clicks', 'Impressions', 'CTR', 'Position'], ...lines]),
  };
}

export function consoleFilters(...more: readonly Cells[]): ExportFile {
  const filters: readonly Cells[] = [
    ['Filter', 'Value'],
    ['Search type', 'Web'],
    ['Date', 'Last 28 days'],
  ];
  const isNamed = (name: unknown) => more.some(([own]) => own === name);
  return { name: 'Filters.csv', content: csv([...filters.filter(([name]) => !isNamed(name)), ...more]) };
}

/** Three days of a small site, in all files that there are. */
export const consoleExport: readonly ExportFile[] = [
  consoleFile('Dates', [
    ['2026-10-03', '', '', '', ''],
    ['2026-10-02', 4, 100, '4%', 8],
    ['2026-10-01', 6, 300, '2%', 12.5],
  ]),
  consoleFile('Queries', [
    ['green tea, loose', 5, 200, '2.5%', 6.83],
    ['anna@example.com', 1, 10, '10%', 1],
    ['tea "first flush"', 0, 40, '0%', 22.4],
  ]),
  consoleFile('Pages', [
    ['https://example.com/', 6, 250, '2.4%', 9.4],
    ['https://example.com/tea/', 3, 100, '3%', 4],
    ['https://example.com/tea#water', 1, 100, '1%', 6],
    ['https://staging.example.net/', 1, 1, '100%', 1],
    ['https://example.com/admin/users', 0, 2, '0%', 90],
  ]),
  consoleFile('Countries', [
    ['Germany', 8, 300, '2.67%', 9],
    ['Côte d’Ivoire', 0, 3, '0%', 40],
  ]),
  consoleFile('Devices', [
    ['Desktop', 7, 250, '2.8%', 11],
    ['Mobile', 3, 150, '2%', 11.6],
  ]),
  consoleFile('Search appearance', []),
  consoleFilters(),
];

/** Quotes inside of cells are left as they are. */
export function bingFile(lines: readonly Cells[]): string {
  const rows = lines.map((cells) => `${cells.map((value) => `"${value}"`).join(',')}\r\n`);
  return `\uFEFF${rows.join('')}`;
}

/** An answer of https://developers.google.com/webmaster-tools/v1/searchanalytics/query */
export function apiAnswer(
  rows: readonly { keys: string[]; clicks: number; impressions: number; position: number }[],
) {
  return JSON.stringify({
    rows: rows.map((row) => ({ ...row, ctr: row.impressions === 0 ? 0 : row.clicks / row.impressions })),
    responseAggregationType: 'byPage',
  });
}
