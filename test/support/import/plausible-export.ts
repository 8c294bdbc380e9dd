/**
 * Files of an export of Plausible, by hand: names, columns and order of lib/plausible/exports.ex
 * (https://github.com/plausible/analytics, read 2026-11-24), quoted as ClickHouse writes CSVWithNames.
 */
export const plausibleColumns = {
  visitors: 'date,visitors,pageviews,bounces,visits,visit_duration',
  sources:
    'date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces',
  pages:
    'date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,total_time_on_page,total_time_on_page_visits',
  entry_pages: 'date,entry_page,visitors,entrances,visit_duration,bounces,pageviews',
  exit_pages: 'date,exit_page,visitors,visit_duration,exits,bounces,pageviews',
  custom_events: 'date,name,link_url,path,visitors,events',
  locations: 'date,country,region,city,visitors,visits,visit_duration,bounces,pageviews',
  devices: 'date,device,visitors,visits,visit_duration,bounces,pageviews',
  browsers: 'date,browser,browser_version,visitors,visits,visit_duration,bounces,pageviews',
  operating_systems:
    'date,operating_system,operating_system_version,visitors,visits,visit_duration,bounces,pageviews',
} as const;

export type PlausibleTable = keyof typeof plausibleColumns;

export interface PlausibleFile {
  name: string;
  content: string;
}

const quoted = (cell: string | number) => (typeof cell === 'number' ? String(cell) : JSON.stringify(cell));

/** One file; cells in the order of the columns. */
export function plausibleFile(table: PlausibleTable, lines: readonly (string | number)[][]): PlausibleFile {
  const head = plausibleColumns[table].split(',').map(quoted).join(',');
  const rows = lines.map((cells) => cells.map(quoted).join(','));
  return { name: `imported_${table}_20250101_20251231.csv`, content: `${[head, ...rows].join('\n')}\n` };
}

/** Two days of a small site, in all files that there are. */
export const plausibleExport: readonly PlausibleFile[] = [
  plausibleFile('visitors', [
    ['2025-03-01', 10, 25, 3, 12, 600],
    ['2025-03-02', 4, 6, 2, 4, 90],
  ]),
  plausibleFile('sources', [
    ['2025-03-01', '', '', '', '', '', '', '', 12, 5, 6, 300, 1],
    ['2025-03-01', 'Google', 'google.com', '', '', '', '', '', 8, 4, 4, 200, 2],
    ['2025-03-01', 'Hacker News', 'news.ycombinator.com/item', '', '', '', '', '', 2, 1, 1, 100, 0],
    ['2025-03-01', 'newsletter', '', 'newsletter', 'email', 'spring', 'top', '', 3, 1, 1, 0, 0],
    ['2025-03-02', '', '', '', '', '', '', '', 6, 4, 4, 90, 2],
  ]),
  plausibleFile('pages', [
    ['2025-03-01', 'example.com', '/', 9, 9, 12, 0, 0, 0, 0],
    ['2025-03-01', 'example.com', '/docs/', 5, 4, 8, 120, 4, 40, 4],
    ['2025-03-01', 'example.com', '/docs', 1, 1, 1, 0, 0, 0, 0],
    ['2025-03-01', 'example.com', '/users/anna@example.com', 1, 1, 1, 0, 0, 0, 0],
    ['2025-03-01', 'example.com', '/admin/users', 2, 2, 2, 0, 0, 0, 0],
    ['2025-03-01', 'staging.example.net', '/', 1, 1, 1, 0, 0, 0, 0],
    ['2025-03-02', 'example.com', '/?ref=x', 4, 4, 6, 0, 0, 0, 0],
  ]),
  plausibleFile('entry_pages', [['2025-03-01', '/', 9, 10, 600, 3, 22]]),
  plausibleFile('exit_pages', [['2025-03-01', '/docs', 4, 300, 5, 1, 12]]),
  plausibleFile('custom_events', [['2025-03-01', 'Signup', '', '', 2, 3]]),
  plausibleFile('locations', [
    ['2025-03-01', 'DE', 'DE-BY', 2867714, 6, 7, 300, 2, 15],
    ['2025-03-01', 'DE', 'DE-BE', 2950159, 2, 2, 100, 0, 6],
    ['2025-03-01', 'US', '', 0, 2, 3, 200, 1, 4],
    ['2025-03-02', 'US', '', 0, 4, 4, 90, 2, 6],
  ]),
  plausibleFile('devices', [
    ['2025-03-01', 'Desktop', 7, 9, 500, 2, 19],
    ['2025-03-01', 'Mobile', 3, 3, 100, 1, 6],
  ]),
  plausibleFile('browsers', [
    ['2025-03-01', 'Chrome', '133.0', 6, 8, 500, 2, 16],
    ['2025-03-01', 'Chrome', '134.0', 2, 2, 50, 1, 4],
    ['2025-03-01', 'Microsoft Edge', '133.0', 2, 2, 50, 0, 5],
  ]),
  plausibleFile('operating_systems', [
    ['2025-03-01', 'GNU/Linux', '', 4, 5, 300, 1, 10],
    ['2025-03-01', 'Mac', '10.15', 6, 7, 300, 2, 15],
  ]),
];
