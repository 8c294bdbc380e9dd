/** What `start` needs to know. */
export interface Options {
  /** Id of the project that the views are counted for. */
  project: string;
  /** Address of the Headcount server, with its base path if it has one: `https://stats.example.org`. */
  server: string;
  /** Count the route in the fragment (`/#/docs`) as part of the path. */
  hash?: boolean;
  /** Count nothing by itself: only `view` does. */
  manual?: boolean;
  /** Count nothing where the browser asks for it, by Global Privacy Control or Do Not Track. */
  respectGpc?: boolean;
  /** Report clicks on links to other hosts, as the event `Outbound link`. */
  outbound?: boolean;
  /** Report clicks on links to files, as the event `Download`. */
  downloads?: boolean;
  /** Report pages that were answered 404, as the event `404`, where the browser knows the status. */
  notFound?: boolean;
  /** Report how long pages are in sight: after 10, 30, 60, 180 and 600 seconds. */
  time?: boolean;
  /** Report searches on the site, as the event `Site search`: the parameters of an address that hold what is looked for. */
  search?: readonly string[];
}

export interface Tracker {
  /** Counts one view, of the page's address or of the one given (relative ones are resolved). Never throws. */
  view(url?: string): void;
  /** Counts something that happened on the page, such as `Sign up`, with at most ten properties. Never throws. */
  event(name: string, properties?: Record<string, string | number | boolean>): void;
  /** Nothing is counted from here on, `view` included. */
  stop(): void;
}

/**
 * Counts this page and every navigation in it, until stopped. Two running trackers count everything twice.
 * Where there is no page, as when a server renders, it does nothing. It has a timer, so an app with zone.js starts it
 * outside of the zone.
 */
export function start(options: Options): Tracker;
