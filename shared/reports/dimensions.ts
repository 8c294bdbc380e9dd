/** How a model asks for a report. */
export interface Tool {
  name: string;
  title: string;
  description: string;
}

export interface DimensionRule {
  /** As stored: never change it. 0, 1, 7 to 9, 24 to 35, 40 to 46 and 48 are what else is counted (pairs.ts, server/counting/what.ts). */
  number: number;
  /** Of the report: its route, and `fieldOf` the reply has its rows. A row is named by the dimension itself. */
  report: string;
  /**
   * Its source. `sender`: it follows from the address and the user agent, as the visitor does, so that a visitor has the
   * same all day. `request`: each request anew. `page`: only the script in the page, so that other views have none.
   */
  from: 'sender' | 'request' | 'page';
  /** Its panel in the dashboard, which it shares with others. */
  panel: 'sources' | 'places' | 'technology';
  /** Of the panel, in English: its title, the head of its names, and what is said when there are none. */
  words: { title: string; head: string; empty: string };
  /** How a model asks for it alone; missing: as for one of several. */
  tool?: Tool;
}

const needsCities =
  'None are known. Countries come with Headcount; regions and cities need a database of cities, whose file the server’s setting HEADCOUNT_COUNTRY_DATABASE names.';
const noCampaigns = 'No visitor came through a link that names one, such as /tea?utm_campaign=spring.';

/** The dimensions of views besides paths and AI clients, in the order of the reports. */
export const dimensions = {
  /** Where the visit came from; none inside the site. */
  source: {
    ...{ number: 2, report: 'sources', from: 'request', panel: 'sources' },
    words: { title: 'Sources', head: 'Came from', empty: 'No sources in this period.' },
    tool: {
      name: 'read_sources',
      title: 'Sources',
      description:
        'Counts visitors by where they came from; with `path` to that page. For the pages of one source use read_visitors with `source`.',
    },
  },
  /** ISO 3166-1 alpha-2. */
  country: {
    ...{ number: 6, report: 'countries', from: 'sender', panel: 'places' },
    words: { title: 'Countries', head: 'Country', empty: 'The countries of these visitors are not known.' },
  },
  /** With its country, `California, US`; only where the operator's database knows regions, and cities. */
  region: {
    ...{ number: 12, report: 'regions', from: 'sender', panel: 'places' },
    words: { title: 'Regions', head: 'Region', empty: needsCities },
  },
  city: {
    ...{ number: 13, report: 'cities', from: 'sender', panel: 'places' },
    words: { title: 'Cities', head: 'City', empty: needsCities },
  },
  /** Language and region that somebody reads best, such as `de-AT` or `en` (BCP 47); none where no header names it. */
  language: {
    ...{ number: 10, report: 'languages', from: 'request', panel: 'places' },
    words: { title: 'Languages', head: 'Language', empty: 'No languages in this period.' },
  },
  /** desktop, mobile, tablet, smarttv, console, wearable, xr, embedded */
  device: {
    ...{ number: 3, report: 'devices', from: 'sender', panel: 'technology' },
    words: { title: 'Devices', head: 'Device', empty: 'No devices in this period.' },
  },
  /** Name without version: Chrome, Mobile Safari, … */
  browser: {
    ...{ number: 4, report: 'browsers', from: 'sender', panel: 'technology' },
    words: { title: 'Browsers', head: 'Browser', empty: 'No browsers in this period.' },
  },
  system: {
    ...{ number: 5, report: 'systems', from: 'sender', panel: 'technology' },
    words: { title: 'Systems', head: 'System', empty: 'No systems in this period.' },
  },
  /** xs, sm, md, lg, xl: classes of the viewport's width, which begin at 0, 512, 768, 1024 and 1280 pixels. */
  screen: {
    ...{ number: 11, report: 'screens', from: 'page', panel: 'technology' },
    words: {
      ...{ title: 'Screens', head: 'Width of the window' },
      empty: 'No widths are known. Only the script measures them; the image and reports from servers do not.',
    },
  },
  /** Of the page's address: the campaign that led there. */
  utmCampaign: {
    ...{ number: 14, report: 'utm-campaigns', from: 'request', panel: 'sources' },
    words: { title: 'Campaigns', head: 'Campaign', empty: noCampaigns },
  },
  utmSource: {
    ...{ number: 15, report: 'utm-sources', from: 'request', panel: 'sources' },
    words: { title: 'Tagged', head: 'utm_source', empty: noCampaigns },
  },
  utmMedium: {
    ...{ number: 16, report: 'utm-mediums', from: 'request', panel: 'sources' },
    words: { title: 'Mediums', head: 'utm_medium', empty: noCampaigns },
  },
  ref: {
    ...{ number: 17, report: 'refs', from: 'request', panel: 'sources' },
    words: { title: 'Refs', head: 'ref', empty: noCampaigns },
  },
} as const satisfies Record<string, DimensionRule>;

export type Dimension = keyof typeof dimensions;

export const dimensionNames = Object.keys(dimensions) as readonly Dimension[];

/** The field of a reply that has the rows of a dimension's report: `utmSources` of `utm-sources`. */
export function fieldOf(report: string): string {
  return report.replace(/-(.)/g, (_all, letter: string) => letter.toUpperCase());
}

/** Those that come from there. */
export type DimensionFrom<From extends DimensionRule['from']> = {
  [Name in Dimension]: (typeof dimensions)[Name]['from'] extends From ? Name : never;
}[Dimension];
