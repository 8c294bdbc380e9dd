interface DimensionRule {
  /** As stored: never change it. 0, 1, 7 to 9, 24 to 34 and 40 to 45 are what else is counted (pairs.ts, server/counting/what.ts). */
  number: number;
  /** Of the report: its route, and `fieldOf` the reply has its rows. A row is named by the dimension itself. */
  report: string;
  /**
   * Who tells it. `sender`: it follows from the address and the user agent, as the visitor does, so that a visitor has the
   * same all day. `request`: each request anew. `page`: only the script in the page, so that other views have none.
   */
  from: 'sender' | 'request' | 'page';
}

/** What views are counted by, besides their paths and AI clients. In the order in which reports list them. */
export const dimensions = {
  /** Where the visit came from; none inside the site. */
  source: { number: 2, report: 'sources', from: 'request' },
  /** ISO 3166-1 alpha-2. */
  country: { number: 6, report: 'countries', from: 'sender' },
  /** With its country, `California, US`; only where the operator's database knows regions, and cities. */
  region: { number: 12, report: 'regions', from: 'sender' },
  city: { number: 13, report: 'cities', from: 'sender' },
  /** Language and region that somebody reads best, such as `de-AT` or `en` (BCP 47); none where no header tells. */
  language: { number: 10, report: 'languages', from: 'request' },
  /** desktop, mobile, tablet, smarttv, console, wearable, xr, embedded */
  device: { number: 3, report: 'devices', from: 'sender' },
  /** Name without version: Chrome, Mobile Safari, … */
  browser: { number: 4, report: 'browsers', from: 'sender' },
  system: { number: 5, report: 'systems', from: 'sender' },
  /** xs, sm, md, lg, xl: classes of the viewport's width, which begin at 0, 512, 768, 1024 and 1280 pixels. */
  screen: { number: 11, report: 'screens', from: 'page' },
  /** Of the page's address: the campaign that led there. */
  utmCampaign: { number: 14, report: 'utm-campaigns', from: 'request' },
  utmSource: { number: 15, report: 'utm-sources', from: 'request' },
  utmMedium: { number: 16, report: 'utm-mediums', from: 'request' },
  ref: { number: 17, report: 'refs', from: 'request' },
} as const satisfies Record<string, DimensionRule>;

export type Dimension = keyof typeof dimensions;

export const dimensionNames = Object.keys(dimensions) as readonly Dimension[];

/** The field of a reply that has the rows of the dimension: `utmSources` of `utm-sources`. */
export function fieldOf(dimension: Dimension): string {
  return dimensions[dimension].report.replace(/-(.)/g, (_all, letter: string) => letter.toUpperCase());
}

/** Those that such a teller tells. */
export type DimensionFrom<From extends DimensionRule['from']> = {
  [Name in Dimension]: (typeof dimensions)[Name]['from'] extends From ? Name : never;
}[Dimension];
