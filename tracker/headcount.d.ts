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
