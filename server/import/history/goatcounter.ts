import { parseLanguage, parseTraits } from '../../counting/visitor/visitor.ts';
import { what } from '../../counting/what.ts';
import type { Named } from './day-sums.ts';
import type { HistoryFormat, Lookup, Reading, Table } from './format.ts';
import { browserOf, countryOf, type HistorySite, nameWithoutVersion, systemOf } from './history-site.ts';
import type { Row } from './row.ts';

/** Schemes of referrers, as the documentation of the export has them. */
const schemes = { address: 'h', generated: 'g', campaign: 'c', other: 'o' } as const;

function findSource(referrer: string, scheme: string, site: HistorySite): string | null {
  const none = { source: '', referrer: '', utmSource: '' };
  if (referrer === '') return site.source(none);
  if (scheme === schemes.address) return site.source({ ...none, referrer });
  return site.source({ ...none, utmSource: referrer });
}

/** Version 1 has the user agent itself. */
function agentNames(row: Row): Named[] {
  const browser = row.text('Browser');
  if (/^\S+\/\S+ /.test(browser)) {
    const traits = parseTraits(browser);
    return [
      [what.browser, traits.browser ?? ''],
      [what.system, traits.system ?? ''],
      [what.device, traits.device ?? ''],
    ];
  }
  return [
    [what.browser, browserOf(nameWithoutVersion(browser))],
    [what.system, systemOf(nameWithoutVersion(row.text('System')))],
  ];
}

const readView =
  (path: '1Path' | '2Path') =>
  (row: Row, site: HistorySite): Reading => {
    if (row.flag('Event')) return { left: 'event' };
    if (row.number('Bot') !== 0) return { left: 'bot' };
    const visitor = row.some('Session');
    const day = site.dayOf(row.moment('Date'));
    const page = site.page('', row.text(path));
    if ('left' in page) return page;
    const referrer = row.text('Referrer');
    return {
      day,
      add: (into) =>
        into.addView(visitor, (isFirst) => [
          [what.path, page.path],
          // Steps inside the site have no referrer either.
          [
            what.source,
            isFirst || referrer !== '' ? (findSource(referrer, row.text('Referrer scheme'), site) ?? '') : '',
          ],
          [what.country, countryOf(row.text('Location').slice(0, 2)) ?? ''],
          ...agentNames(row),
        ]),
    };
  };

/** A line for each page view, with a session. Version 1 was written until 2020-11. */
const views = (path: '1Path' | '2Path'): Table => ({
  required: [path, 'Event', 'Session', 'Bot', 'Referrer', 'Referrer scheme', 'Date'],
  optional: [
    ...['Title', 'UserAgent', 'User-Agent', 'Browser', 'System', 'Screen size', 'Location'],
    'FirstVisit',
  ],
  read: readView(path),
});

/** The page that a sum is of. */
function pageOf(
  row: Row,
  site: HistorySite,
  lookup: Lookup,
): ReturnType<HistorySite['page']> | { left: 'event' } {
  const path = lookup('paths', row.some('path_id')) ?? row.fail('path_id', 'is not in paths.jsonl');
  return path.event === 'true' ? { left: 'event' } : site.page('', path.path ?? '');
}

/** GoatCounter counts somebody once for each page, and no second view of it, so that a sum is of both. */
const peopleOf = (row: Row) => {
  const count = row.number('count');
  return { visitors: count, views: count };
};

function readHits(row: Row, site: HistorySite, lookup: Lookup): Reading {
  const page = pageOf(row, site, lookup);
  if ('left' in page) return page;
  const ref = lookup('refs', row.some('ref_id')) ?? row.fail('ref_id', 'is not in refs.jsonl');
  const people = peopleOf(row);
  return {
    day: site.dayOf(row.moment('hour')),
    add: (into) => {
      into.addSite(people);
      into.add(what.path, page.path, people);
      into.add(what.source, findSource(ref.ref ?? '', ref.ref_scheme ?? '', site) ?? '', people);
    },
  };
}

function byTrait(title: string, column: string, named: (row: Row, lookup: Lookup) => Named): Table {
  return {
    title,
    sums: `visitors by ${column.replace('_id', '')}`,
    required: ['day', 'path_id', column, 'count'],
    optional: [],
    read: (row, site, lookup) => {
      const page = pageOf(row, site, lookup);
      if ('left' in page) return page;
      return { day: row.day('day'), add: (into) => into.add(...named(row, lookup), peopleOf(row)) };
    },
  };
}

const listed = (title: string, kept: readonly string[]): Table => ({
  title,
  required: ['id', ...kept.slice(0, 1)],
  optional: [],
  key: { column: 'id', table: title },
  kept,
  read: null,
});

const nameOf = (table: string, column: string) => (row: Row, lookup: Lookup) =>
  lookup(table, row.some(column))?.name ?? '';

/**
 * The CSV of a site, versions 1 and 2, and its JSON, version 1: sums by hour and by day, in UTC
 * (https://www.goatcounter.com/help/export and /help/export-json).
 */
export const goatcounter: HistoryFormat = {
  tool: 'goatcounter',
  untold: 'events, bots, titles, sizes of screens and regions',
  tables: [
    views('2Path'),
    views('1Path'),
    { title: 'info', required: ['export_version'], optional: [], read: null },
    listed('paths', ['path', 'event']),
    listed('refs', ['ref', 'ref_scheme']),
    listed('browsers', ['name']),
    listed('systems', ['name']),
    {
      title: 'hit_stats',
      sums: 'visitors by page and referrer',
      required: ['hour', 'path_id', 'ref_id', 'count'],
      optional: [],
      read: readHits,
    },
    byTrait('browser_stats', 'browser_id', (row, lookup) => [
      what.browser,
      browserOf(nameOf('browsers', 'browser_id')(row, lookup)),
    ]),
    byTrait('system_stats', 'system_id', (row, lookup) => [
      what.system,
      systemOf(nameOf('systems', 'system_id')(row, lookup)),
    ]),
    byTrait('location_stats', 'location', (row) => [
      what.country,
      countryOf(row.text('location').slice(0, 2)) ?? '',
    ]),
    byTrait('language_stats', 'language', (row) => [
      what.language,
      parseLanguage(row.text('language')) ?? '',
    ]),
  ],
};
