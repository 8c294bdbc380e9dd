import { parseLanguage } from '../../counting/visitor/visitor.ts';
import { what } from '../../counting/what.ts';
import type { Named } from './day-sums.ts';
import type { HistoryFormat, Lookup, Reading } from './format.ts';
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
function findSource(row: Row, site: HistorySite, hostname: string, isFirst: boolean): string | null {
  const referrer = row.text('referrer_domain');
  const utmSource = tagOf(row, 'utm_source');
  if (!isFirst && referrer === '' && utmSource === '') return null;
  if (utmSource === '' && referrer !== '' && referrer === hostname) return null;
  return site.source({ source: '', referrer, utmSource });
}

/** Exports of before 2025 have tags in the query alone. */
function tagOf(row: Row, tag: string): string {
  return row.text(tag) || (new URLSearchParams(row.text('url_query')).get(tag) ?? '');
}

/** What a table of views has not is in the one of sessions. */
type Trait = 'hostname' | 'browser' | 'os' | 'device' | 'country' | 'language';

const traits: readonly Trait[] = ['hostname', 'browser', 'os', 'device', 'country', 'language'];

type TraitOf = (trait: Trait) => string;

function traitsOf(row: Row, lookup: Lookup): TraitOf {
  const session = lookup('session', row.text('session_id'));
  return (trait) => row.text(trait) || (session?.[trait] ?? '');
}

interface View {
  path: string;
  traitOf: TraitOf;
}

function namesOf(row: Row, site: HistorySite, { path, traitOf }: View, isFirst: boolean): Named[] {
  const { utmSource, utmMedium, utmCampaign } = site.campaign({
    utmSource: tagOf(row, 'utm_source'),
    utmMedium: tagOf(row, 'utm_medium'),
    utmCampaign: tagOf(row, 'utm_campaign'),
  });
  const browser = traitOf('browser');
  return [
    [what.path, path],
    [what.source, findSource(row, site, traitOf('hostname'), isFirst) ?? ''],
    [what.utmSource, utmSource ?? ''],
    [what.utmMedium, utmMedium ?? ''],
    [what.utmCampaign, utmCampaign ?? ''],
    [what.country, countryOf(traitOf('country')) ?? ''],
    [what.device, deviceOf(traitOf('device')) ?? ''],
    [what.browser, browserOf(browsers[browser] ?? browser)],
    [what.system, systemOf(traitOf('os'))],
    [what.language, parseLanguage(traitOf('language')) ?? ''],
  ];
}

function readView(row: Row, site: HistorySite, lookup: Lookup): Reading {
  const visitor = row.some('session_id');
  if (row.number('event_type') !== pageView) return { left: 'event' };
  const day = site.dayOf(row.moment('created_at'));
  const query = row.text('url_query');
  const traitOf = traitsOf(row, lookup);
  const page = site.page(traitOf('hostname'), `${row.text('url_path')}${query && `?${query}`}`);
  if ('left' in page) return page;
  return {
    day,
    add: (into) =>
      into.addView(visitor, (isFirst) => namesOf(row, site, { path: page.path, traitOf }, isFirst)),
  };
}

/**
 * The tables of Umami 2 and 3: website_event, a line for each page view and event, which its cloud exports with the fields
 * of the session, and databases have apart from it, in the table session (prisma/schema.prisma and db/clickhouse/schema.sql of
 * https://github.com/umami-software/umami).
 */
export const umami: HistoryFormat = {
  tool: 'umami',
  untold: 'visits, events with their data, titles, tags, sizes of screens, regions and cities',
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
        ...['distinct_id', 'job_id', 'lcp', 'inp', 'cls', 'fcp', 'ttfb'],
      ],
      siteColumn: 'website_id',
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
    {
      required: ['session_id', 'browser', 'os', 'device', 'country'],
      optional: [],
      key: { column: 'session_id', table: 'session' },
      kept: traits,
      read: null,
    },
  ],
};
