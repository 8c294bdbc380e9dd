import { what } from '../../counting/what.ts';
import type { HistoryFormat, Reading } from './format.ts';
import { browserOf, countryOf, type HistorySite, nameWithoutVersion, systemOf } from './history-site.ts';
import type { Row } from './row.ts';

/** Schemes of referrers, as the documentation of the export has them. */
const schemes = { address: 'h', generated: 'g', campaign: 'c', other: 'o' } as const;

function findSource(row: Row, site: HistorySite): string | null {
  const referrer = row.text('Referrer');
  const none = { source: '', referrer: '', utmSource: '' };
  if (referrer === '') return site.source(none);
  const scheme = row.text('Referrer scheme');
  if (scheme === schemes.address) return site.source({ ...none, referrer });
  return site.source({ ...none, utmSource: referrer });
}

function readView(row: Row, site: HistorySite): Reading {
  if (row.flag('Event')) return { left: 'event' };
  if (row.number('Bot') !== 0) return { left: 'bot' };
  const visitor = row.some('Session');
  const day = site.dayOf(row.moment('Date'));
  const page = site.page('', row.text('2Path'));
  if ('left' in page) return page;
  return {
    day,
    add: (into) =>
      into.addView(visitor, (isFirst) => [
        [what.path, page.path],
        // Steps inside the site have no referrer either.
        [what.source, isFirst || row.text('Referrer') !== '' ? (findSource(row, site) ?? '') : ''],
        [what.country, countryOf(row.text('Location').slice(0, 2)) ?? ''],
        [what.browser, browserOf(nameWithoutVersion(row.text('Browser')))],
        [what.system, systemOf(nameWithoutVersion(row.text('System')))],
      ]),
  };
}

/**
 * The CSV export of a site, version 2: a line for each page view, with a session
 * (https://www.goatcounter.com/help/export).
 */
export const goatcounter: HistoryFormat = {
  tool: 'goatcounter',
  untold: 'events, bots, titles, sizes of screens and regions',
  tables: [
    {
      required: ['2Path', 'Event', 'Session', 'Bot', 'Referrer', 'Referrer scheme', 'Date'],
      optional: [
        ...['Title', 'UserAgent', 'User-Agent', 'Browser', 'System', 'Screen size', 'Location'],
        'FirstVisit',
      ],
      read: readView,
    },
  ],
};
