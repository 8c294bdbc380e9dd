import { what } from '../../counting/what.ts';
import { lineError } from './csv.ts';
import type { Named, People } from './day-sums.ts';
import { type HistoryFormat, type Reading, siteSums, type Table } from './format.ts';
import {
  browserOf,
  countryOf,
  deviceOf,
  type HistorySite,
  nameWithoutVersion,
  systemOf,
} from './history-site.ts';
import type { Row } from './row.ts';
import type { ExportedTable } from './tables.ts';

/** Columns as its reporting interface calls them, by what the export of its pages in English does. */
const english: Readonly<Record<string, string>> = {
  Date: 'date',
  Label: 'label',
  'Unique visitors': 'nb_uniq_visitors',
  Visits: 'nb_visits',
  Actions: 'nb_actions',
};

/** The name for pages in its reports; the sums of the site use another. */
const englishPages: Readonly<Record<string, string>> = {
  Pageviews: 'nb_hits',
  'Unique Pageviews': 'nb_visits',
};
const englishSite: Readonly<Record<string, string>> = {
  Pageviews: 'nb_pageviews',
  'Unique Pageviews': 'nb_uniq_pageviews',
};

/** The dimension of a report's rows. */
const kinds = {
  page: /getPageUrls\b|Page URLs/i,
  browser: /getBrowsers?\b|getBrowserVersions|_ Browsers _|Browser versions?/i,
  system: /getOsFamilies|getOsVersions|getOSFamily|Operating System/i,
  device: /DevicesDetection\.getType|_ Device type/i,
  country: /getCountry|_ Country _/i,
  website: /getWebsites|_ Websites _/i,
  search: /getSearchEngines|_ Search Engines _/i,
  social: /getSocials|_ Social Networks _/i,
  campaign: /getCampaigns|_ Campaigns _/i,
  referrerType: /getReferrerType|_ (?:Channel|Referrer) Types? _/i,
  anyReferrer: /Referrers\.getAll|_ All (?:Channels|Referrers) _/i,
} as const;

type Kind = keyof typeof kinds;

const kindNames = Object.keys(kinds) as Kind[];

/** Segments by which it narrows a report to one row (https://developer.matomo.org/api-reference/reporting-api-segmentation). */
const segments: readonly (readonly [start: RegExp, kind: Kind | 'other'])[] = [
  [/^pageUrl(?:==|=\^)/, 'page'],
  [/^browser(?:Code|Name)==/, 'browser'],
  [/^operatingSystem(?:Code|Name)==/, 'system'],
  [/^deviceType==/, 'device'],
  [/^countryCode==/, 'country'],
  [/^referrerType==website;referrerName/, 'website'],
  [/^referrerType==search;referrerName/, 'search'],
  [/^referrerType==social;referrerName/, 'social'],
  [/^referrerType==campaign;referrerName/, 'campaign'],
  [/^referrerName==/, 'website'],
  [/^referrerType==[\w-]+$/, 'referrerType'],
  [/^\w+(?:==|=\^|=@)/, 'other'],
];

const logos: readonly (readonly [part: RegExp, kind: Kind])[] = [
  [/\/browsers\//, 'browser'],
  [/\/os\//, 'system'],
  [/\/devices\/|\/images\/screens\//, 'device'],
  [/\/flags\//, 'country'],
  [/\/searchEngines\//, 'search'],
  [/\/socials\//, 'social'],
];

/** Undefined: nothing says it. */
function kindOf({ name, sample }: ExportedTable, columns: readonly string[]): Kind | 'other' | undefined {
  const first = (column: string) => {
    const place = columns.indexOf(column);
    return sample.map(({ cells }) => cells[place] ?? '').find((text) => text !== '') ?? '';
  };
  const bySegment = segments.find(([start]) => start.test(first('segment')))?.[1];
  const byName = kindNames.find((kind) => kinds[kind].test(name));
  if (bySegment === 'referrerType' || bySegment === undefined) {
    if (byName) return byName;
    if (bySegment === undefined && (columns.includes('referer_type') || columns.includes('referrer_type')))
      return 'anyReferrer';
  }
  if (bySegment) return bySegment;
  const byLogo = logos.find(([part]) => part.test(first('logo')))?.[1];
  if (byLogo) return byLogo;
  return columns.includes('nb_hits') && first('label').startsWith('/') ? 'page' : undefined;
}

/** The label is called by what it is a label of. @throws ImportError */
function rename(table: ExportedTable): string[] | undefined {
  const hasLabel = table.columns.some((column) => column === 'label' || column === 'Label');
  const names = { ...english, ...(hasLabel ? englishPages : englishSite) };
  const plain = table.columns.map(
    (column) => names[column] ?? column.replace(/^(?:metadata_|Metadata: )/, ''),
  );
  const columns = plain.map((column, i) => (plain.indexOf(column) === i ? column : (table.columns[i] ?? '')));
  if (!['nb_visits', 'nb_pageviews', 'nb_uniq_visitors'].some((column) => columns.includes(column)))
    return undefined;
  if (!columns.includes('date'))
    throw lineError(table.name, 'has sums of Matomo without days: ask for period=day and a range of dates');
  if (columns.some((column) => /^idsite$/i.test(column)))
    throw lineError(table.name, 'has sums of several sites: ask for one idSite');
  if (!hasLabel) return columns;
  const kind = kindOf(table, columns);
  if (kind === undefined)
    throw lineError(
      table.name,
      'does not say which report of Matomo it is: name the file after it, such as DevicesDetection.getBrowsers.csv',
    );
  return columns.map((column) => (column === 'label' ? kind : column));
}

const known = (column: string) =>
  /^(?:nb_|max_|min_|sum_|avg_|bounce|conversion|revenue|entry_|exit_|goals?|idsubdatatable|logo|level|is_|PagePerformance_|interaction|orders|quantity)/.test(
    column,
  ) ||
  [
    'segment',
    'url',
    'code',
    'referer_type',
    'referrer_type',
    'labelIndex',
    'title',
    'urls',
    'page_title_path',
  ].includes(column) ||
  // Names of other numbers, in the language of the export.
  /[ %]/.test(column) ||
  /^[A-Z]/.test(column);

/** A row may be there without visitors of its own, where Matomo cut it or never counted them: visits are as many at least. */
function peopleOf(row: Row, views: string): People {
  const visitors = row.text('nb_uniq_visitors') === '' ? 'nb_visits' : 'nb_uniq_visitors';
  return row.text(views) === '' ? { visitors: 0, views: 0 } : row.people(visitors, views);
}

function readPage(row: Row, site: HistorySite): Reading {
  if (row.text('idsubdatatable') !== '' || row.text('subtable') !== '')
    row.fail('page', 'is a folder of pages: ask for the report with flat=1');
  const people = peopleOf(row, 'nb_hits');
  const url = URL.parse(row.text('url'));
  const page = url
    ? site.page(url.host, `${url.pathname}${url.search}`)
    : site.page('', row.text('page').replace(/\/index$/, '/'));
  if ('left' in page) return page;
  return { day: row.day('date'), add: (into) => into.add(what.path, page.path, people) };
}

const plainSums = { optional: [], isKnown: known };

function byTrait(kind: Kind, named: (row: Row) => Named): Table {
  return {
    ...plainSums,
    sums: `visits by ${kind}`,
    required: ['date', kind, 'nb_visits'],
    read: (row) => ({
      day: row.day('date'),
      add: (into) =>
        into.add(...named(row), peopleOf(row, row.has('nb_actions') ? 'nb_actions' : 'nb_visits')),
    }),
  };
}

/** Numbers and names of where visits come from, as Matomo stores them. */
const referrerKinds: Readonly<Record<string, Kind | 'direct'>> = {
  ...{ '1': 'direct', '3': 'website', '6': 'campaign', '7': 'social' },
  direct: 'direct',
  'Direct Entry': 'direct',
};

const referrerOf = (row: Row, label: string) =>
  referrerKinds[row.text('referer_type') || row.text('referrer_type')] ??
  referrerKinds[row.text('segment').replace('referrerType==', '')] ??
  referrerKinds[label];

/** Visits are all that Matomo counts of them. */
function addReferrer(row: Row, site: HistorySite, kind: Kind | 'direct' | undefined, label: string): Reading {
  const people = peopleOf(row, 'nb_visits');
  const none = { source: '', referrer: '', utmSource: '' };
  const sums = `visits by ${kind ?? 'referrer'}`;
  const isRest = label === '' || label === 'Others' || label === '-1';
  return {
    day: row.day('date'),
    sums,
    add: (into) => {
      if (kind === 'direct') into.add(what.source, site.source(none) ?? '', people);
      else if (isRest) return;
      else if (kind === 'website')
        into.add(what.source, site.source({ ...none, referrer: label }) ?? '', people);
      else if (kind === 'search' || kind === 'social')
        into.add(what.source, site.source({ ...none, source: label }) ?? '', people);
      else if (kind === 'campaign') {
        const { utmCampaign } = site.campaign({ utmSource: '', utmMedium: '', utmCampaign: label });
        into.add(what.utmCampaign, utmCampaign ?? '', people);
      }
    },
  };
}

function byReferrer(
  column: Kind,
  kindOfRow: (row: Row, label: string) => Kind | 'direct' | undefined,
): Table {
  return {
    ...plainSums,
    sums: `visits by ${column}`,
    required: ['date', column, 'nb_visits'],
    read: (row, site) => {
      const label = row.text(column);
      return addReferrer(row, site, kindOfRow(row, label), label);
    },
  };
}

const readSite =
  (views: 'nb_pageviews' | 'nb_actions') =>
  (row: Row): Reading => {
    const people = peopleOf(row, views);
    if (people.views === 0) return { left: 'no_views' };
    return { day: row.day('date'), add: (into) => into.addSite(people) };
  };

const bySite = (views: 'nb_pageviews' | 'nb_actions'): Table => ({
  ...plainSums,
  sums: siteSums,
  required: ['date', 'nb_uniq_visitors', views],
  read: readSite(views),
});

/** `Chrome Mobile` */
const matomoBrowser = (text: string) =>
  browserOf(
    nameWithoutVersion(text)
      .replace(/^(Chrome|Firefox) Mobile$/, 'Mobile $1')
      .replace(/^Internet Explorer$/, 'IE'),
  );

/**
 * Reports with period=day and a range of dates, as the reporting interface answers them in JSON, CSV and TSV, and as its pages
 * export them in English (https://developer.matomo.org/api-reference/reporting-api). Sums of days in the site's time zone.
 */
export const matomo: HistoryFormat = {
  tool: 'matomo',
  untold:
    'visits with their duration and bounces, entry and exit pages, keywords, goals, events, titles, regions and cities',
  rename,
  isRagged: true,
  tables: [
    {
      ...plainSums,
      sums: 'views by page',
      required: ['date', 'page', 'nb_hits'],
      read: readPage,
    },
    byTrait('browser', (row) => [what.browser, matomoBrowser(row.text('browser'))]),
    byTrait('system', (row) => [what.system, systemOf(nameWithoutVersion(row.text('system')))]),
    byTrait('device', (row) => [what.device, deviceOf(row.text('device')) ?? '']),
    byTrait('country', (row) => {
      const code = row.text('code') || row.text('segment').replace('countryCode==', '');
      return [what.country, countryOf(code.toUpperCase().replace(/^XX$/, '')) ?? ''];
    }),
    ...(['website', 'search', 'social', 'campaign'] as const).map((kind) => byReferrer(kind, () => kind)),
    byReferrer('referrerType', (row, label) => (referrerOf(row, label) === 'direct' ? 'direct' : undefined)),
    byReferrer('anyReferrer', referrerOf),
    { ...plainSums, required: ['date', 'other'], read: null },
    bySite('nb_pageviews'),
    bySite('nb_actions'),
    {
      ...plainSums,
      sums: 'page views of the site',
      required: ['date', 'nb_pageviews'],
      read: (row) => {
        const views = row.text('nb_pageviews') === '' ? 0 : row.number('nb_pageviews');
        return { day: row.day('date'), add: (into) => into.setPageViews(views) };
      },
    },
  ],
};
