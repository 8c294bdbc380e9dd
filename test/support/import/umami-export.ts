/**
 * `website_event.csv` of Umami's export, by hand: columns of the table website_event in db/clickhouse/schema.sql, with
 * those of db/clickhouse/migrations/05 to 07 (https://github.com/umami-software/umami, read 2026-11-24).
 */
const columns = [
  ...['website_id', 'session_id', 'visit_id', 'event_id', 'hostname', 'browser', 'os', 'device', 'screen'],
  ...['language', 'country', 'region', 'city', 'url_path', 'url_query', 'utm_source', 'utm_medium'],
  ...['utm_campaign', 'utm_content', 'utm_term', 'referrer_path', 'referrer_query', 'referrer_domain'],
  ...[
    'page_title',
    'gclid',
    'fbclid',
    'msclkid',
    'ttclid',
    'li_fat_id',
    'twclid',
    'event_type',
    'event_name',
  ],
  ...['tag', 'distinct_id', 'created_at', 'job_id'],
] as const;

type Cells = Partial<Record<(typeof columns)[number], string>>;

const usual: Cells = {
  ...{ website_id: 'w', hostname: 'example.com', browser: 'chrome', os: 'Windows 10', device: 'desktop' },
  ...{ country: 'DE', url_path: '/', event_type: '1', job_id: '\\N' },
};

export function umamiExport(lines: readonly Cells[]): string {
  const rows = lines.map((line) => {
    const cells = { ...usual, ...line };
    return columns.map((column) => JSON.stringify(cells[column] ?? '')).join(',');
  });
  return `${[columns.join(','), ...rows].join('\n')}\n`;
}

/** What an export has besides. */
export const umamiEventData =
  'website_id,session_id,event_id,url_path,event_name,data_key,string_value,number_value,date_value,data_type,created_at,job_id\n';
