import { what } from '../../counting/what.ts';
import type { People } from './day-sums.ts';
import { type HistoryFormat, type Reading, siteSums, type Table } from './format.ts';
import { browserOf, countryOf, deviceOf, type HistorySite, systemOf } from './history-site.ts';
import type { Row } from './row.ts';

const session = ['visitors', 'visits', 'visit_duration', 'bounces'];

/** Sums that have no place here. */
const unread = (columns: readonly string[], optional: readonly string[]): Table => ({
  ...{ required: ['date', ...columns], optional, read: null },
});

/** Visitors with what they did; a line of nothing but events has no view. */
function readPeople(row: Row, views: 'pageviews' | 'visits'): People | undefined {
  return row.number(views) === 0 ? undefined : row.people('visitors', views);
}

/** Sums of a day by one thing that visitors have all the time, so that all of their views do. */
function byTrait(column: string, more: string[], named: (row: Row) => [kind: number, name: string]): Table[] {
  const required = ['date', column, ...session];
  const read = (row: Row): Reading => {
    const people = readPeople(row, 'pageviews');
    if (!people) return { left: 'no_views' };
    return { day: row.day('date'), add: (into) => into.add(...named(row), people) };
  };
  // Exports of before 2024-04 have no views by these.
  return [
    {
      sums: `views by ${column.replace('_', ' ')}`,
      required: [...required, 'pageviews'],
      optional: more,
      read,
    },
    unread(required.slice(1), more),
  ];
}

function readPage(row: Row, site: HistorySite): Reading {
  const people = readPeople(row, 'pageviews');
  if (!people) return { left: 'no_views' };
  const page = site.page(row.text('hostname'), row.text('page'));
  if ('left' in page) return page;
  return { day: row.day('date'), add: (into) => into.add(what.path, page.path, people) };
}

/** A source, or a campaign, is of the view that a visit began with, so that its views are the visits. */
function readSource(row: Row, site: HistorySite): Reading {
  const people = readPeople(row, 'visits');
  if (!people) return { left: 'no_views' };
  const [utmSource, utmMedium, utmCampaign] = ['utm_source', 'utm_medium', 'utm_campaign'].map((column) =>
    row.text(column),
  ) as [string, string, string];
  const source = site.source({ source: row.text('source'), referrer: row.text('referrer'), utmSource });
  const tags = site.campaign({ utmSource, utmMedium, utmCampaign });
  return {
    day: row.day('date'),
    add: (into) => {
      if (source !== null) into.add(what.source, source, people);
      for (const [tag, name] of Object.entries(tags)) {
        if (name !== null) into.add(what[tag as keyof typeof tags], name, people);
      }
    },
  };
}

function readSite(row: Row): Reading {
  const people = readPeople(row, 'pageviews');
  if (!people) return { left: 'no_views' };
  return { day: row.day('date'), add: (into) => into.addSite(people) };
}

/**
 * The CSV files of the export in a site's settings: sums by day in the site's time zone
 * (https://plausible.io/docs/export-stats, and lib/plausible/exports.ex of https://github.com/plausible/analytics).
 */
export const plausible: HistoryFormat = {
  tool: 'plausible',
  measures: [
    ...['visitors', 'pageviews', 'visits', 'visit_duration', 'bounces', 'entrances', 'exits', 'events'],
    ...['time_on_page', 'total_scroll_depth', 'total_scroll_depth_visits'],
    ...['total_time_on_page', 'total_time_on_page_visits'],
  ],
  untold:
    'visits with their duration and bounces, entry and exit pages, time on page, scroll depth, events, regions and cities',
  tables: [
    {
      sums: 'views by page',
      required: ['date', 'page', 'visitors', 'pageviews'],
      optional: [
        ...['hostname', 'visits', 'exits', 'time_on_page', 'total_scroll_depth', 'total_scroll_depth_visits'],
        ...['total_time_on_page', 'total_time_on_page_visits'],
      ],
      read: readPage,
    },
    {
      sums: 'visits by source',
      required: ['date', 'source', 'visitors', 'visits'],
      optional: [
        ...['referrer', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
        ...['pageviews', 'visit_duration', 'bounces'],
      ],
      read: readSource,
    },
    ...byTrait('country', ['region', 'city'], (row) => [what.country, countryOf(row.text('country')) ?? '']),
    ...byTrait('device', [], (row) => [what.device, deviceOf(row.text('device')) ?? '']),
    ...byTrait('browser', ['browser_version'], (row) => [what.browser, browserOf(row.text('browser'))]),
    ...byTrait('operating_system', ['operating_system_version'], (row) => [
      what.system,
      systemOf(row.text('operating_system')),
    ]),
    unread(['entry_page', 'visitors'], ['entrances', 'visit_duration', 'bounces', 'pageviews']),
    unread(['exit_page', 'visitors'], ['exits', 'visit_duration', 'bounces', 'pageviews']),
    unread(['name', 'visitors', 'events'], ['link_url', 'path']),
    {
      sums: siteSums,
      required: ['date', 'visitors', 'pageviews', 'visits'],
      optional: ['bounces', 'visit_duration'],
      read: readSite,
    },
  ],
};
