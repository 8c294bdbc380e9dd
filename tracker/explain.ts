/** Why the script says nothing of a view or an event. */
export type Silence =
  /** Nobody sees the page: in the background, or prerendered. */
  | 'hidden'
  /** The visitor is left out, by what stands in the browser's storage. */
  | 'ignored'
  /** A local file, or the browser's owner asks not to be counted and the site respects that. */
  | 'unwanted'
  /** Only what the page asks for is counted. */
  | 'manual'
  /** Another line of the page counts for the same project already. */
  | 'twice';

/** What is to be reported: the page's address, which is empty where nothing is due, and the event if it is one. */
export interface About {
  page: string;
  event?: unknown;
}

/**
 * Gets the reason why nothing is sent, how the server answers, or what went wrong. Nobody asks: only in hc-debug.js,
 * explain-to-console.ts stands in the place of this file.
 */
export const explain: ((outcome: Silence | Response | Error, about?: About) => void) | undefined = undefined;
