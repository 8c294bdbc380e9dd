import type { EventSettings } from './clicks.ts';
import { ofDocument } from './page.ts';
import type { SendEvent } from './track.ts';

/**
 * Sends an event for pages that are not there, and for searches on the site, where that is asked for.
 *
 * @returns to be called at each new address
 */
export function watchArrivals(send: SendEvent, settings: EventSettings): () => void {
  /** At the first look none. */
  let searched: string | undefined;
  const look = () => {
    // In the background, or prerendered: nobody has seen it so far.
    if (ofDocument('hidden')) return;
    // Not every browser says how the page was answered.
    if (
      settings[404] != null &&
      searched == null &&
      performance
        .getEntriesByType('navigation')
        .some((page) => (page as PerformanceNavigationTiming).responseStatus === 404)
    )
      send('404', { path: location.pathname });
    const parameters = new URLSearchParams(location.search);
    const query = (settings.search || '')
      .split(',')
      .map((name) => parameters.get(name.trim()))
      .find((text) => text);
    if (query && query !== searched) send('Site search', { query });
    searched = query || '';
  };
  addEventListener('visibilitychange', look);
  look();
  return look;
}
