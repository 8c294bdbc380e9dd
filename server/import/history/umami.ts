import { what } from '../../counting/what.ts';
import type { Named } from './day-sums.ts';
import type { HistoryFormat, Reading } from './format.ts';
import { browserOf, countryOf, deviceOf, type HistorySite, systemOf } from './history-site.ts';
import type { Row } from './row.ts';

const pageView = 1;

/** As the library that Umami asks calls browsers (https://github.com/DamonOehlman/detect-browser), by what hits call them. */
const browsers: Readonly<Record<string, string>> = {
  chrome: 'Chrome',
  'chromium-webview': 'Chrome WebView',
  crios: 'Mobile Chrome',
  edge: 'Edge',
  'edge-chromium': 'Edge',
  'edge-ios': 'Edge',
  facebook: 'Facebook',
  firefox: 'Firefox',
  fxios: 'Mobile Firefox',
  ie: 'IE',
  instagram: 'Instagram',
  ios: 'Mobile Safari',
  'ios-webview': 'Mobile Safari',
  opera: 'Opera',
  safari: 'Safari',
  samsung: 'Samsung Internet',
  silk: 'Silk',
  yandexbrowser: 'Yandex',
};

/** Steps inside the site name its own host as where they came from. */
function findSource(row: Row, site: HistorySite, isFirst: boolean): string | null {
  const referrer = row.text('referrer_domain');
  const utmSource = tagOf(row, 'utm_source');
  if (!isFirst && referrer === '' && utmSource === '') return null;
  if (utmSource === '' && referrer !== '' && referrer === row.text('hostname')) return null;
  return site.source({ source: '', referrer, utmSource });
}

/** Exports of before 2025 have tags in the query alone. */
function tagOf(row: Row, tag: string): string {
  return row.text(tag) || (new URLSearchParams(row.text('url_query')).get(tag) ?? '');
}

function namesOf(row: Row, site: HistorySite, path: string, isFirst: boolean): Named[] {
  const { utmSource, utmMedium, utmCampaign } = site.campaign({
    utmSource: tagOf(row, 'utm_source'),
    utmMedium: tagOf(row, 'utm_medium'),
    utmCampaign: tagOf(row, 'utm_campaign'),
  });
  const browser = row.text('browser');
  return [
    [what.path, path],
    [what.source, findSource(row, site, isFirst) ?? ''],
    [what.utmSource, utmSource ?? ''],
    [what.utmMedium, utmMedium ?? ''],
    [what.utmCampaign, utmCampaign ?? ''],
    [what.country, countryOf(row.text('country')) ?? ''],
    [what.device, deviceOf(row.text('device')) ?? ''],
    [what.browser, browserOf(browsers[browser] ?? browser)],
    [what.system, systemOf(row.text('os'))],
  ];
}

function readView(row: Row, site: HistorySite): Reading {
  const visitor = row.some('session_id');
  if (row.number('event_type') !== pageView) return { left: 'event' };
  const day = site.dayOf(row.moment('created_at'));
  const query = row.text('url_query');
  const page = site.page(row.text('hostname'), `${row.text('url_path')}${query && `?${query}`}`);
  if ('left' in page) return page;
  return {
    day,
    add: (into) => into.addView(visitor, (isFirst) => namesOf(row, site, page.path, isFirst)),
  };
}

/**
 * The export of a website: `website_event.csv`, a line for each page view and event, with the session
 * (table website_event of db/clickhouse/schema.sql, https://github.com/umami-software/umami).
 */
export const umami: HistoryFormat = {
  tool: 'umami',
  untold: 'visits, events with their data, titles, tags, languages, sizes of screens, regions and cities',
  tables: [
    {
      required: ['session_id', 'url_path', 'event_type', 'created_at'],
      optional: [
        ...[
          'website_id',
          'visit_id',
          'event_id',
          'hostname',
          'browser',
          'os',
          'device',
          'screen',
          'language',
        ],
        ...[
          'country',
          'region',
          'subdivision1',
          'subdivision2',
          'city',
          'url_query',
          'utm_source',
          'utm_medium',
        ],
        ...['utm_campaign', 'utm_content', 'utm_term', 'referrer_path', 'referrer_query', 'referrer_domain'],
        ...['page_title', 'gclid', 'fbclid', 'msclkid', 'ttclid', 'li_fat_id', 'twclid', 'event_name', 'tag'],
        ...['distinct_id', 'job_id'],
      ],
      read: readView,
    },
    {
      required: ['event_id', 'data_key', 'data_type'],
      optional: [
        ...[
          'website_id',
          'session_id',
          'url_path',
          'event_name',
          'string_value',
          'number_value',
          'date_value',
        ],
        ...['created_at', 'job_id'],
      ],
      read: null,
    },
    {
      required: ['session_id', 'data_key', 'data_type'],
      optional: [
        ...[
          'website_id',
          'distinct_id',
          'string_value',
          'number_value',
          'date_value',
          'created_at',
          'job_id',
        ],
      ],
      read: null,
    },
  ],
};
