import { what } from '../../counting/what.ts';
import type { People } from './day-sums.ts';
import { type HistoryFormat, type Reading, siteSums, type Table } from './format.ts';
import { browserOf, countryOf, deviceOf, type HistorySite, shortName, systemOf } from './history-site.ts';
import type { Row } from './row.ts';

const users = ['Active users', 'Total users'] as const;

/** What an exploration may show besides; every other column splits lines by something, so that users of them cannot be added. */
const metrics = [
  ...users,
  ...['New users', 'Returning users', 'Views', 'Sessions', 'Engaged sessions', 'Event count', 'Key events'],
  ...[
    'Views per active user',
    'Views per session',
    'Sessions per active user',
    'Event count per active user',
  ],
  ...['Event count per session', 'Engaged sessions per active user', 'Engagement rate', 'Bounce rate'],
  ...['User engagement', 'Average engagement time', 'Average engagement time per active user'],
  ...['Average engagement time per session', 'Average session duration', 'User key event rate'],
  ...['Session key event rate', 'Entrances', 'Exits', 'Total revenue'],
];

type Left = Extract<Reading, { left: unknown }>;
type Taken = Exclude<Reading, Left>;

/** A user may be active without a view, and is no visitor then. */
function readPeople(row: Row, views: 'Views' | 'Sessions'): People | undefined {
  const column = users.find((name) => row.has(name)) ?? users[0];
  const people = row.people(column, views);
  return people.views === 0 ? undefined : people;
}

type Finish = (row: Row, people: People, site: HistorySite) => Pick<Taken, 'add'> | Left;

/** One for each way to count users. */
function tables(
  sums: string,
  columns: readonly string[],
  views: 'Views' | 'Sessions',
  finish: Finish,
  optional: readonly string[] = [],
): Table[] {
  return users.map((user) => ({
    sums,
    required: ['Date', ...columns, user, views],
    optional: [...metrics, ...optional],
    read: (row, site) => {
      const people = readPeople(row, views);
      if (!people) return { left: 'no_views' };
      const finished = finish(row, people, site);
      return 'left' in finished ? finished : { ...finished, day: row.day('Date') };
    },
  }));
}

/** `(not set)` is none. */
const nameIn = (row: Row, column: string) => (/^\(.*\)$/.test(row.text(column)) ? '' : row.text(column));

const byName = (
  sums: string,
  column: string,
  kind: number,
  views: 'Views' | 'Sessions',
  nameOf: (text: string) => string | undefined,
): Table[] =>
  tables(sums, [column], views, (row, people) => ({
    add: (into) => into.add(kind, nameOf(nameIn(row, column)) ?? '', people),
  }));

function byPath(column: string): Table[] {
  const finish: Finish = (row, people, site) => {
    const page = site.page(row.text('Hostname'), row.text(column));
    if ('left' in page) return page;
    return { add: (into) => into.add(what.path, page.path, people) };
  };
  return tables('views by page', [column], 'Views', finish, ['Hostname']);
}

const bySource = (column: string): Table[] =>
  tables('sessions by source', [column], 'Sessions', (row, people, site) => {
    const isDirect = row.text(column) === '(direct)';
    const name = nameIn(row, column);
    const source = site.source({ source: name, referrer: '', utmSource: '' });
    return {
      add: (into) => {
        if (isDirect || name !== '') into.add(what.source, source ?? '', people);
      },
    };
  });

/**
 * Explorations of Google Analytics 4 in the form "Free form", with the row Date and one other, in English: comments,
 * columns, and a line with the sums of all (https://support.google.com/analytics/answer/9327972; columns are named as in
 * https://support.google.com/analytics/answer/9143382).
 */
export const ga4: HistoryFormat = {
  tool: 'ga4',
  measures: metrics,
  untold: 'sessions but for where they came from, engagement, events, key events and revenue',
  isTotal: (cells) => cells[0] === '',
  totalled: { Views: 0, Sessions: 0.05 },
  tables: [
    ...['Page path and screen class', 'Page path', 'Page path + query string'].flatMap(byPath),
    ...['Session source', 'Session manual source'].flatMap(bySource),
    ...['Session campaign', 'Session manual campaign name'].flatMap((column) =>
      byName('sessions by campaign', column, what.utmCampaign, 'Sessions', shortName),
    ),
    ...byName('views by country', 'Country ID', what.country, 'Views', countryOf),
    ...byName('views by device', 'Device category', what.device, 'Views', deviceOf),
    ...byName('views by browser', 'Browser', what.browser, 'Views', browserOf),
    ...byName('views by system', 'Operating system', what.system, 'Views', systemOf),
    ...tables(siteSums, [], 'Views', (_row, people) => ({ add: (into) => into.addSite(people) })),
  ],
};
